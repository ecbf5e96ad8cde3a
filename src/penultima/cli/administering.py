"""`penultima admin`: look after a running server, through that server."""

import argparse
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from penultima.cli.arguments import add_json, refuse_ignored, with_scheme
from penultima.cli.files import read_text, unwritable
from penultima.errors import ServerError
from penultima.folder import data_folder
from penultima.locale import say
from penultima.server.admin import MOST_DUMP
from penultima.system import reason, unanswered

# What each action looks at.
FOLLOWED: Final[Mapping[str, tuple[str, ...]]] = {
    "list": (),
    "close": ("TABLE",),
    "export": ("TABLE", "--to"),
    "backup": ("--to",),
    "restore": ("--from",),
}


class Admin:
    name = "admin"
    examples = """  penultima admin list
  penultima admin close abc234
  penultima admin export abc234 --to folder
  penultima admin backup --to backup.json
  penultima admin restore --from backup.json"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "what",
            metavar="ACTION",
            choices=tuple(FOLLOWED),
            help="cli.option.admin_what",
        )
        parser.add_argument("table", nargs="?", metavar="TABLE", help="cli.option.admin_table")
        parser.add_argument("--data", type=Path, metavar="FOLDER", help="cli.option.data")
        parser.add_argument("--address", metavar="URL", help="cli.option.address")
        parser.add_argument("--to", type=Path, metavar="PATH", help="cli.option.to")
        parser.add_argument(
            "--from", dest="source", type=Path, metavar="FILE", help="cli.option.backup"
        )
        add_json(parser)

    def run(self, options: argparse.Namespace) -> int:
        from penultima.server.running import admin_token, known_address

        ignored = {name for names in FOLLOWED.values() for name in names}
        refuse_ignored(options, options.what, *sorted(ignored - {*FOLLOWED[options.what]}))
        self._look(options)
        data = options.data or data_folder()
        address = options.address or known_address(data)
        if address is None:
            raise ServerError("not_running", folder=str(data))
        self._ask = _Asker(with_scheme(address), admin_token(data))
        answer = getattr(self, f"_{options.what}")(options)
        if options.json:
            print(json.dumps(answer, ensure_ascii=False, indent=2))
        return 0

    def _look(self, options: argparse.Namespace) -> None:
        """Refuse before the server is asked what cannot be done with its answer."""
        if options.what in ("close", "export") and options.table is None:
            raise ServerError("which_table", what=options.what)
        if options.what == "backup":
            if options.to is None:
                raise ServerError("which_file", option="--to")
            if why := unwritable(options.to, parents=True):
                raise ServerError("not_written", file=str(options.to), reason=why)
        if options.what == "restore":
            if options.source is None:
                raise ServerError("which_file", option="--from")
            self._backup_text = read_text(options.source, MOST_DUMP)

    def _list(self, options: argparse.Namespace) -> Any:
        answer = self._ask("GET", "/admin/tables")
        if not options.json:
            for one in answer["tables"]:
                seats = f"{one['people']}/{one['seats']}"
                print(f"{one['table']}  {one['stage']:<10} {seats:>5}  {one['edition']}")
        return answer

    def _close(self, options: argparse.Namespace) -> Any:
        answer = self._ask("POST", f"/admin/tables/{options.table}/close")
        self._tell(options, "admin.closed", table=options.table)
        return answer

    def _export(self, options: argparse.Namespace) -> Any:
        answer = self._ask("GET", f"/admin/tables/{options.table}/export")
        folder = options.to or Path()
        for number, record in enumerate(answer["records"], 1):
            _write(folder / f"{options.table}-{number}.pen", record)
        self._tell(options, "admin.exported", count=len(answer["records"]), folder=str(folder))
        return answer

    def _backup(self, options: argparse.Namespace) -> Any:
        answer = self._ask("GET", "/admin/backup")
        _write(options.to, json.dumps(answer))
        tables = len(answer["tables"]["tables"])
        self._tell(options, "admin.backed_up", count=tables, file=str(options.to))
        return {"tables": tables}

    def _restore(self, options: argparse.Namespace) -> Any:
        answer = self._ask("POST", "/admin/restore", self._backup_text)
        self._tell(options, "admin.restored", count=answer["tables"])
        return answer

    def _tell(self, options: argparse.Namespace, key: str, **details: Any) -> None:
        if not options.json:
            print(say(options.lang, key, **details))


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        raise ServerError("not_written", file=str(path), reason=reason(error)) from error


class _Asker:
    def __init__(self, address: str, token: str) -> None:
        self._address = address
        self._token = token

    def __call__(self, method: str, path: str, text: str | None = None) -> Any:
        try:
            request = urllib.request.Request(
                self._address + path,
                method=method,
                data=None if text is None else text.encode(),
                headers={"Authorization": f"Bearer {self._token}"},
            )
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            try:
                fault = json.loads(error.read())["message"]
            except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
                fault = f"HTTP {error.code}"
            raise ServerError("refused", reason=fault) from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            why = unanswered(error)
            raise ServerError("unreachable", address=self._address, reason=why) from error
