"""Files that people write: TOML, JSON and YAML to plain values, and the place of everything that is wrong in one."""
