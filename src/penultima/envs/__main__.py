"""Print what every number of an observation and every action means."""

import argparse
import sys
from pathlib import Path

from penultima.edition import load
from penultima.envs.layout import Layout
from penultima.envs.page import markdown, renewed
from penultima.errors import PenultimaError

EXAMPLES = """examples:
  python -m penultima.envs chili --players 6
  python -m penultima.envs --write docs/environments.md
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m penultima.envs",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("edition", nargs="?", default="classic", help="its id, or a TOML file")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--write", type=Path, help="a page to renew the tables of")
    options = parser.parse_args()
    try:
        layout = Layout(load(options.edition).sheet, options.players)
        if options.write is None:
            print(markdown(layout))
        else:
            page = options.write.read_text("utf-8")
            options.write.write_text(renewed(page, layout), "utf-8")
    except (PenultimaError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
