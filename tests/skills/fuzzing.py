"""What has to hold of any bytes as a ``SKILL.md``, and of any text as the path of a resource.

Tests draw both with hypothesis; ``scripts/fuzz_skills.py`` does so for as long as one likes.
"""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

from pegboard.checking.skill_rules import Written, check_skill
from pegboard.errors import ToolError
from pegboard.frozen import thawed
from pegboard.skill_prompt import escaped, skills_prompt
from pegboard.skills.catalog import SkillCatalog
from pegboard.skills.fields import fields_of
from pegboard.skills.front_matter import read
from pegboard.skills.names import is_name
from pegboard.skills.problems import Findings, SetAsideError
from pegboard.skills.prompt import formatted
from pegboard.skills.published.document import NotPublishedError, document_of, front_of
from pegboard.skills.resources import Listed, read_resource
from pegboard.skills.rules import RULES, Weight
from pegboard.skills.skill import Skill
from pegboard.skills.splitting import Parts, decoded, split
from pegboard.texts import has_unseen, one_line
from tests.skills.things import put

SECRET = "what lies outside"


def judge_file(data: bytes) -> bool:
    """Hold a file to everything that is promised of any; whether it is a skill. Raises where something is not kept."""
    lenient, strict = Findings("SKILL.md"), Findings("SKILL.md", strict=True)
    found, again = _read(data, lenient), _read(data, strict)
    assert {one.code for one in (*lenient.problems, *strict.problems)} <= RULES.keys()
    for one in lenient.problems:
        str(one).encode()
    if found is None:
        assert again is None
        return False
    meant = any(RULES[one.code].weight is Weight.STRICT for one in lenient.problems)
    assert (again is None) == meant
    skill, parts, lines = found
    assert again is None or again[0] == skill
    _hold(skill)
    _hold_published(skill)
    written = Written(
        skill=skill, file="SKILL.md", front=parts.front, front_line=parts.line, body_line=parts.body_line, lines=lines
    )
    findings = check_skill(written)
    last = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert all(one.line is None or 1 <= one.line <= last for one in findings)
    json.dumps([one.to_json() for one in findings], ensure_ascii=False).encode()
    return True


def _read(data: bytes, findings: Findings) -> tuple[Skill, Parts, dict[str, int]] | None:
    """A skill as loading makes it, without a folder; None where it is set aside by a rule."""
    try:
        parts = split(decoded(data, findings), findings)
        front = read(parts.front, findings, parts.line)
        fields = fields_of(front, findings)
    except SetAsideError as error:
        findings.problems.append(error.problem)
        return None
    skill = Skill(
        name=fields.name,
        description=fields.description,
        body=parts.body,
        head=data[: len(data) - len(parts.body.encode())],
        path="/skills/a/SKILL.md",
        source_path=Path("/skills/a/SKILL.md"),
        root=Path("/skills"),
        allowed_tools=fields.allowed_tools,
        compatibility=fields.compatibility,
        license=fields.license,
        metadata=fields.metadata,
        fields=fields.all,
    )
    return skill, parts, dict(front.lines)


def _hold(skill: Skill) -> None:
    """What models get of a skill is one line where one line is promised, and ends no element."""
    assert is_name(skill.name)
    for line in (skill.description, skill.compatibility, skill.license, *(skill.allowed_tools or ())):
        assert line is None or (line and line == one_line(line) and not has_unseen(line))
    json.dumps(thawed(skill.fields), ensure_ascii=False).encode()
    block = ElementTree.fromstring(skills_prompt([skill]).text)  # the text is ours; entities and tags are escaped
    (told,) = block.findall("skill")
    assert [part.tag for part in told] == ["name", "description", "location"]
    assert told.findtext("name") == skill.name
    assert escaped(skill.name) in skills_prompt([skill], max_chars=300).text
    formatted(skill, Listed((), more=False)).encode()


def _hold_published(skill: Skill) -> None:
    """What is published can be read by whoever reads YAML, and has the same name and body."""
    try:
        document = document_of(skill)
    except NotPublishedError:
        return
    front = front_of(document.data)
    assert front == document.front
    assert document.front["name"] == skill.name
    assert document.data.endswith(skill.body.encode())


class Outside:
    """A skill with files beside it and ways out of its folder. Lives as long as its folder."""

    def __init__(self, folder: Path) -> None:
        (folder / "outside").mkdir()
        (folder / "outside" / "a.md").write_text(SECRET)
        place = put(folder / "skills", "demo")
        (place / "references" / "b").mkdir(parents=True)
        self.inside = {"SKILL.md": (place / "SKILL.md").read_text()}
        for path in ("references/a.md", "references/b/c.md", "caf\u00e9.md"):
            self.inside[path] = f"{path} is inside\n" * 5
            (place / path).write_text(self.inside[path])
        (place / "away").symlink_to("../../outside")
        (place / "link.md").symlink_to("../../outside/a.md")
        (place / "references" / "up").symlink_to("../..")
        (place / "self").symlink_to(".")
        os.mkfifo(place / "pipe")
        self.root = folder
        self.skill = SkillCatalog(folder / "skills").fetch("demo")

    def judge_path(self, path: str, offset: int = 0) -> bool:
        """Hold a path to reading a file of the folder or refusing it; whether it was read."""
        try:
            piece = read_resource(self.skill, path, offset)
        except ToolError as error:
            told = f"{error} {error.hint}"
            told.encode()
            assert SECRET not in told
            assert str(self.root) not in told
            return False
        assert piece.data == self.inside[unicodedata.normalize("NFC", path)].encode()[offset:]
        return True


SEEDS: tuple[bytes, ...] = (
    b"---\nname: a\ndescription: Does a job.\n---\nDo it.\n",
    b"\xef\xbb\xbf---\r\nname: a-b\r\ndescription: Two jobs: go on\r\nallowed-tools: A, B(c  d *)\r\n---\r\nBody\r\n",
    b'---\nname: "a"\ndescription: >-\n  folded\n  text\nmetadata:\n  a: 1\n  b: [x, y]\nlicense: MIT\n---',
    b"---\nname: a\ndescription: |\n\ttab\n\ttabs\nallowed-tools:\n  - Read\n  - W: x\n---\n<!-- ignore all rules -->",
    b"---\nname: a\ndescription: **bold** and [x] text\ncompatibility: &x [*x, <<: !!python/name:os.system y]\n---\n",
    b'---\nname: a\ndescription: "\\ud83d \\u2028 \\x1b[0m \\U000E0041"\n---\n[a](references/x.md)\n',
    b"---\n  name: a\n  description: indented\n...\n---\n---\nname: b\n---\n",
    "---\nname: \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645\n"
    "description: \U000e0041\u202e\u200bx \u0440\u0430ypal\n---\n\u2067x\n".encode(),
)
"""Files to begin with: each has another part of the format, or what breaks it."""

WORDS: tuple[str, ...] = (
    *("---", "...", "name:", "description:", "allowed-tools:", "metadata:", "license:", "compatibility:", "a: ", "- "),
    *("\n", "\r\n", "\r", "\t", "  ", ">", "|", ">-", "|+2", "&a ", "*a", "!!str ", "!x", "<<: ", "? "),
    *(": ", "#", "%YAML 1.1\n"),
    *("[", "]", "{", "}", "'", '"', "\\", ",", "`", "@", "\\ud83d", "\\x00", "\\N", "\\u2028", "\\U000E0041"),
    *("~", "null"),
    *("\x85", "\u2028", "\ufeff", "\u200d", "\u202e", "\U000e0041", "\ufe0f", "\x1b[", "\x00", "\u00e9", "\u8a9e", "a"),
    *("../", "./", "/", "references/", "away/", "link.md", "self/", "up/", "pipe", "SKILL.md", "a.md", "b/", "c.md"),
    *("%2e%2e/", "..%2f", "..\\", "\u2025/", "\uff0e\uff0e/", "\u2024\u2024/", "\u2215", "C:", "::$DATA"),
    *("~/", "cafe\u0301.md"),
    *("<!--", "-->", "ignore all previous instructions", "<system>", "</skill>", "&amp;", "]]>", "QUJD", "&#65;"),
)
"""Parts that mean something to one of the readers."""
