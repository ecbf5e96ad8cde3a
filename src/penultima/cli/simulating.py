"""`penultima simulate`: bulk statistics."""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penultima.bots import MANNERS
from penultima.cli.arguments import (
    USUAL,
    add_edition,
    add_json,
    add_table,
    many,
    read_options,
    refuse_ignored,
    with_options,
)
from penultima.cli.files import unwritable
from penultima.cli.working import Progress, add_workers, speak_of_speed, workers
from penultima.edition import Edition, load
from penultima.errors import SimulationError
from penultima.locale import say
from penultima.rules.schema import STANDARD
from penultima.system import reason

if TYPE_CHECKING:
    from penultima.bots.tally import Tally
    from penultima.figures import Statistics
    from penultima.sim import Job


@dataclass
class Outcome:
    """What was played: all that was asked for, or less after Ctrl-C."""

    job: "Job"
    name: str
    tally: "Tally"
    statistics: "Statistics"
    seconds: float
    stopped: bool

    @property
    def games(self) -> int:
        return self.tally.matches if self.job.matches else self.tally.rounds

    def to_json(self) -> dict[str, Any]:
        return {
            "edition": self.job.sheet.edition,
            "options": self.job.sheet.to_json()["options"],
            "players": self.job.seats,
            "bots": list(self.job.bots),
            "seed": self.job.seed,
            "matches": self.job.matches,
            "games": self.games,
            "decisions": self.tally.decisions,
            "seconds": round(self.seconds, 6),
            "complete": not self.stopped,
            "statistics": self.statistics.to_json(),
        }


class Simulate:
    name = "simulate"
    examples = """  penultima simulate classic
  penultima simulate chili --players 6 --games 1M --bots eager --json
  penultima simulate classic --compare stacking=same --plot stacking.html
  penultima simulate classic --compare revenge --matches"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_edition(parser)
        add_table(parser, players=4)
        parser.add_argument(
            "--games",
            type=many(1, 10**12),
            default=100_000,
            metavar="NUMBER",
            help="cli.option.sim_games",
        )
        parser.add_argument(
            "--bots", default="eager", metavar="POLICY,…", help="cli.option.sim_bots"
        )
        parser.add_argument("--matches", action="store_true", help="cli.option.matches")
        parser.add_argument(
            "--device", choices=("cpu", "gpu"), default="cpu", help="cli.option.device"
        )
        add_workers(parser)
        parser.add_argument("--compare", metavar="OTHER", help="cli.option.compare")
        parser.add_argument("--plot", metavar="FILE", help="cli.option.plot")
        add_json(parser)

    def run(self, options: argparse.Namespace) -> int:
        if options.device == "gpu":
            refuse_ignored(options, "--device gpu", "--threads", "--cluster")
        _check_plot(options.plot)
        edition = with_options(load(options.edition or USUAL), options.options)
        bots = _bots(options.bots, options.players)
        other = None if options.compare is None else _other(edition, options.compare)
        if options.device == "cpu":
            speak_of_speed(options.lang)
        played = [self._play(edition, bots, options)]
        if other is not None and not played[0].stopped:
            played.append(self._play(other, bots, options))
        self._print(played, options)
        if options.plot:
            _plot(played, options)
        return 130 if any(outcome.stopped for outcome in played) else 0

    def _play(
        self, edition: Edition, bots: tuple[str, ...], options: argparse.Namespace
    ) -> Outcome:
        edition.sheet.check_seats(options.players)
        from penultima.figures import statistics
        from penultima.sim import Job, play_chunk, simulate

        job = Job(edition.sheet, bots, options.seed or 0, options.matches)
        if options.device == "gpu" and job.sheet.rules.size != STANDARD:
            raise SimulationError("too_wide", kinds=STANDARD.kinds, cards=STANDARD.cards)
        if options.device == "gpu":
            _need_gpu()
        if options.device == "gpu":
            print(say(options.lang, "sim.compiling_gpu"), file=sys.stderr, flush=True)
            from penultima import gpu

            gpu.simulate(job, 1, in_flight=128)  # compiles; only play is timed
        else:
            play_chunk(job, 0, 0)  # compiles, or fetches what was compiled
        progress = _Watch(options.games, options.matches)
        stopped = False
        try:
            if options.device == "gpu":
                progress.bar.begin()
                tally = _on_gpu(job, options, progress)
            else:
                with workers(options) as executor:
                    progress.bar.begin()
                    tally = simulate(
                        job, options.games, executor, progress, ahead=2 * options.threads
                    )
        except KeyboardInterrupt:
            if progress.tally is None:
                raise
            tally, stopped = progress.tally, True
            print(f"\n{say(options.lang, 'sim.stopped')}", file=sys.stderr)
        seconds = progress.bar.end()
        figures = statistics(job.sheet, job.seats, tally)
        return Outcome(job, _name(edition, options), tally, figures, seconds, stopped)

    def _print(self, played: list[Outcome], options: argparse.Namespace) -> None:
        from penultima.figures import shaped
        from penultima.report import compared, lines

        if options.json:
            answer = played[0].to_json()
            if len(played) > 1:
                answer["compared"] = played[1].to_json()
                apart = played[1].statistics.minus(played[0].statistics)
                answer["differences"] = shaped(apart)
            print(json.dumps(answer, ensure_ascii=False, indent=2))
            return
        marks = ("(1) ", "(2) ") if len(played) > 1 else ("",)
        for mark, outcome in zip(marks, played, strict=True):
            print(mark + _summary(outcome, options.lang))
        print()
        bots = played[0].job.bots
        if len(played) == 1:
            text = lines(played[0].statistics, bots, options.lang)
        else:
            text = compared(played[0].statistics, played[1].statistics, bots, options.lang)
        for line in text:
            print(line)


def _on_gpu(job: "Job", options: argparse.Namespace, progress: "_Watch") -> "Tally":
    from penultima import gpu

    return gpu.simulate(job, options.games, progress)


def _need_gpu() -> None:
    try:
        from penultima import cuda
    except ImportError as error:
        raise SimulationError("no_extra", packages="numba numba-cuda") from error
    if reason := cuda.available():
        raise SimulationError("no_gpu", reason=reason)


def _bots(text: str, players: int) -> tuple[str, ...]:
    """A bot for each seat: one for all, or as many as there are seats."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in MANNERS:
            raise SimulationError("bots", bot=name, allowed=sorted(MANNERS))
    if len(names) == 1:
        names *= players
    if len(names) != players:
        raise SimulationError("bot_count", bots=len(names), players=players)
    return tuple(names)


def _other(edition: Edition, text: str) -> Edition:
    """Another edition by name, or this one under other options."""
    return edition.with_options(read_options(text)) if "=" in text else load(text)


def _name(edition: Edition, options: argparse.Namespace) -> str:
    name = edition.file.name.in_language(options.lang)
    usual = load(edition.source).sheet.to_json()["options"]
    changed = {n: v for n, v in edition.sheet.to_json()["options"].items() if usual[n] != v}
    return f"{name} ({', '.join(f'{n}={v}' for n, v in changed.items())})" if changed else name


def _summary(outcome: Outcome, language: str) -> str:
    rate = outcome.tally.decisions / max(outcome.seconds, 1e-9) / 1e6
    return say(
        language,
        "sim.summary_matches" if outcome.job.matches else "sim.summary",
        edition=outcome.name,
        bots=outcome.job.bots,
        seed=outcome.job.seed,
        games=f"{outcome.games:,}",
        decisions=f"{outcome.tally.decisions:,}",
        seconds=f"{outcome.seconds:.2f}",
        rate=f"{rate:.1f}",
    )


def _check_plot(file: str | None) -> None:
    """Refuse before the games are played what could not be written after them."""
    if file is None:
        return
    if not file.endswith((".svg", ".html")):
        raise SimulationError("plot_suffix", file=file)
    if why := unwritable(Path(file)):
        raise SimulationError("not_written", file=file, reason=why)


def _plot(played: list[Outcome], options: argparse.Namespace) -> None:
    from penultima.plot import Series, html, page

    title = " / ".join(outcome.name for outcome in played)
    subtitle = say(
        options.lang,
        "sim.subtitle",
        players=options.players,
        bots=played[0].job.bots,
        games=played[0].games,
        seed=options.seed or 0,
    )
    series = [Series(outcome.name, outcome.statistics) for outcome in played]
    text = page(title, subtitle, series, options.lang)
    if options.plot.endswith(".html"):
        text = html(text, title, options.lang)
    try:
        Path(options.plot).write_text(text, "utf-8")
    except OSError as error:
        raise SimulationError("not_written", file=options.plot, reason=reason(error)) from error
    print(say(options.lang, "sim.plot_written", file=options.plot), file=sys.stderr)


class _Watch:
    """Shows how far a simulation is, and keeps what is done."""

    def __init__(self, games: int, matches: bool) -> None:
        self.bar = Progress(games)
        self.matches = matches
        self.tally: Tally | None = None

    def __call__(self, tally: "Tally") -> None:
        self.tally = tally
        done = tally.matches if self.matches else tally.rounds
        self.bar.show(done, f"{tally.decisions / self.bar.seconds / 1e6:.1f} M decisions/s")
