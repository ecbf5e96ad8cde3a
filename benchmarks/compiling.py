"""How long the first start compiles, and how long a later one takes: `make bench-compile`."""

import os
import subprocess
import sys
import tempfile
import time

COMMAND = "simulate classic --games 100 --seed 1 --json"


def seconds(cache: str) -> float:
    """From nothing to the result of a hundred games, in a process of its own."""
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "penultima", *COMMAND.split()],
        env={**os.environ, "PENULTIMA_CACHE": cache},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - started


def main() -> None:
    with tempfile.TemporaryDirectory() as cache:
        print(f"penultima {COMMAND}, {os.cpu_count()} cores")
        print(f"  first start, compiling  {seconds(cache):6.1f} s")
        print(f"  from the cache          {min(seconds(cache) for _ in range(3)):6.2f} s")


if __name__ == "__main__":
    main()
