"""``python -m pegboard``: the command line."""

from pegboard.cli import main

if __name__ == "__main__":
    main()
