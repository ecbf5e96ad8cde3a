"""A worker whose jobs are too much for it, as a fault in a parser would make one."""

from penultima.server import worker


def fine(text: str) -> bytes:
    return text.encode()


def endless(_text: str) -> bytes:
    while True:
        pass


def greedy(_text: str) -> bytes:
    return b"x" * (3 << 30)


if __name__ == "__main__":
    worker.run({"fine": fine, "endless": endless, "greedy": greedy, "edition": endless})
