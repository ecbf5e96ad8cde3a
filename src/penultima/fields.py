"""A JSON object read field by field: what is wrong is refused with the field's name."""

from collections.abc import Iterable, Mapping
from typing import Any

from penultima.errors import PositionError, Unreadable, short
from penultima.notation import read_card
from penultima.ruleset import Sheet


class Fields:
    """The fields of a position. One that is `null` counts as left out."""

    def __init__(self, sheet: Sheet, data: Mapping[str, Any], known: Iterable[str]) -> None:
        for name in data:
            if name not in known:
                raise PositionError("unknown_field", field=short(name), allowed=sorted(known))
        self._sheet = sheet
        self._data = data

    def __contains__(self, field: str) -> bool:
        """Whether a field is given."""
        return self._data.get(field) is not None

    def get(self, field: str) -> Any:
        return self._data.get(field)

    def items(self, field: str, default: list[Any] | None = None) -> list[Any]:
        value = self._data.get(field)
        return default if value is None and default is not None else a_list(field, value)

    def cards(self, field: str) -> list[int]:
        """The kinds of a list of cards; left out, it is empty."""
        return read_cards(self._sheet, field, self.items(field, []))

    def switch(self, field: str, default: bool) -> bool:
        value = self._data.get(field)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise PositionError("no_switch", field=field, value=short(value))
        return value

    def integer(self, field: str, default: int, low: int, high: int) -> int:
        value = self._data.get(field)
        return default if value is None else number(field, value, low, high)

    def seat_set(self, field: str, seats: int) -> int:
        """Seats as bits."""
        bits = 0
        for seat in self.items(field, []):
            bits |= 1 << number(field, seat, 0, seats - 1)
        return bits


def a_list(field: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise PositionError("no_list", field=field, value=short(value))
    return value


def read_cards(sheet: Sheet, field: str, value: object) -> list[int]:
    """The kinds that a list of card texts names."""
    if not isinstance(value, list):
        raise PositionError("no_cards", field=field, value=short(value))
    try:
        return [read_card(sheet, text) for text in value]
    except Unreadable as error:
        raise PositionError("card", field=field, problem=error) from error


def number(field: str, value: object, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise PositionError("no_number", field=field, value=short(value))
    if not low <= value <= high:
        raise PositionError("range", field=field, low=low, high=high, value=short(value))
    return value
