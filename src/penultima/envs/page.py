"""The layout as a page: every index of an observation and every action of a table."""

from typing import Final

from penultima.envs.layout import VERSION, Layout

BEGIN: Final = "<!-- layout -->"
END: Final = "<!-- end of layout -->"


def markdown(layout: Layout) -> str:
    """Parts with where they stand, then every number, then the actions."""
    name, seats = layout.sheet.edition, layout.seats
    lines = [
        f"Layout version {VERSION}; indices for `{name}` with {seats} seats "
        f"({layout.length} numbers, {layout.actions} actions).",
        "",
        "| index | part | of each | at most | meaning |",
        "| --- | --- | --- | --- | --- |",
    ]
    for part in layout.parts:
        where = layout[part.name]
        index = _between(where.start, where.stop - 1)
        high = _between(min(part.high), max(part.high))
        lines.append(f"| {index} | `{part.name}` | {part.each} | {high} | {part.meaning} |")
    lines += ["", "| action | meaning |", "| --- | --- |"]
    for first, last in _runs(layout):
        texts = [layout.action_meaning(action) or "" for action in range(first, last + 1)]
        shown = f"`{texts[0]}`" if first == last else f"`{texts[0]}` … `{texts[-1]}`"
        lines.append(f"| {_between(first, last)} | {shown} |")
    lines += ["", "<details><summary>Every index</summary>", "", "| index | meaning |"]
    lines.append("| --- | --- |")
    lines += [f"| {index} | {layout.meaning(index)} |" for index in range(layout.length)]
    lines += ["", "</details>", "", "<details><summary>Every action</summary>", ""]
    lines += ["| action | meaning |", "| --- | --- |"]
    for action in range(layout.actions):
        if meaning := layout.action_meaning(action):
            lines.append(f"| {action} | `{meaning}` |")
    return "\n".join([*lines, "", "</details>"])


def renewed(page: str, layout: Layout) -> str:
    """A page with what stands between the marks written anew."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n{markdown(layout)}\n{END}{tail}"


def _between(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _runs(layout: Layout) -> list[tuple[int, int]]:
    """Actions that belong together: words one by one, then by what they begin with."""
    runs: list[tuple[int, int, str]] = []
    for action in range(layout.actions):
        if not (meaning := layout.action_meaning(action)):
            continue
        face = layout.sheet.kind(meaning.partition(":")[0])
        sort = meaning.partition(":")[0]
        if face is not None and not layout.sheet.faces[face].wild:
            sort = "card"
        if runs and runs[-1][1] == action - 1 and runs[-1][2] == sort:
            runs[-1] = (runs[-1][0], action, sort)
        else:
            runs.append((action, action, sort))
    return [(first, last) for first, last, _ in runs]
