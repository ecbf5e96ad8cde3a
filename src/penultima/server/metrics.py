"""What a server counts, for Prometheus, and its log: one JSON object a line, without secrets."""

import json
import logging
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from penultima.server.diagnosis import diagnosis

HELP: Final[Mapping[str, str]] = {
    "entries": "entries taken from the logs of tables",
    "commands": "commands that were done",
    "refusals": "commands that were refused",
    "conflicts": "appends that somebody else was faster with",
    "frames": "frames from clients",
    "bad_frames": "frames that could not be understood",
    "slow": "connections dropped because they did not read",
    "limited": "requests refused for being too many",
    "crowded": "connections closed or not taken for want of open files",
    "races": "races measured",
    "flagged": "racers whose round trips were longer than their line seemed to be",
    "troubles": "errors nobody expected",
}
CROWDED: Final = 600.0  # seconds between two lines that say the same
BUCKETS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # milliseconds

_log = logging.getLogger("penultima.server")


class Metrics:
    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._answers: Counter[int] = Counter()
        self._answer_time = 0.0
        self._said_crowded = -CROWDED
        self.gauges: dict[str, Callable[[], float]] = {}

    def count(self, what: str, number: int = 1) -> None:
        self._counts[what] += number

    def answered(self, seconds: float) -> None:
        """A command was answered within a time."""
        self._answer_time += seconds
        place = bisect_left(BUCKETS, seconds * 1000)
        self._answers[BUCKETS[place] if place < len(BUCKETS) else 0] += 1

    def trouble(self, where: str, error: BaseException) -> None:
        """Something that should not happen; the table goes on."""
        self.count("troubles")
        _log.error("trouble", exc_info=error, extra={"fields": {"where": where}})

    def crowded(self) -> None:
        """There are more connections than open files: said once in a while."""
        self.count("crowded")
        now = time.monotonic()
        if now - self._said_crowded > CROWDED:
            self._said_crowded = now
            _log.warning("too few open files for more connections; raise the limit (ulimit -n)")

    def text(self) -> str:
        """In the format that Prometheus reads."""
        lines: list[str] = []
        for name, meaning in HELP.items():
            lines += [
                f"# HELP penultima_{name}_total {meaning}",
                f"# TYPE penultima_{name}_total counter",
                f"penultima_{name}_total {self._counts[name]}",
            ]
        for name, value in self.gauges.items():
            lines += [f"# TYPE penultima_{name} gauge", f"penultima_{name} {value():g}"]
        lines += ["# TYPE penultima_answer_seconds histogram"]
        total = 0
        for bucket in BUCKETS:
            total += self._answers[bucket]
            lines.append(f'penultima_answer_seconds_bucket{{le="{bucket / 1000:g}"}} {total}')
        total += self._answers[0]
        lines += [
            f'penultima_answer_seconds_bucket{{le="+Inf"}} {total}',
            f"penultima_answer_seconds_sum {self._answer_time:g}",
            f"penultima_answer_seconds_count {total}",
        ]
        return "\n".join(lines) + "\n"


class JsonLines(logging.Formatter):
    """A line of the log as JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            line["error"] = diagnosis(error)  # its text might hold what nobody may read
            line["trace"] = _places(error)
        return json.dumps(line, ensure_ascii=False)


def _places(error: BaseException) -> list[str]:
    found = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        found.append(f"{code.co_name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return found


def note(message: str, **fields: Any) -> None:
    """A line in the log."""
    _log.info(message, extra={"fields": fields})
