"""Editions of our own, full of one card, so that what it asks for comes up at once."""

from typing import Any

COLORS = """
id = "test"
name = { en = "Test", es = "Prueba", ru = "Проба" }
mark = { en = "mark", es = "marca", ru = "знак" }

[[colors]]
letter = "b"
name = { en = "blue", es = "azul", ru = "синий" }
hue = "#1f5fbf"
shape = "circle"

[[colors]]
letter = "r"
name = { en = "red", es = "rojo", ru = "красный" }
hue = "#c4262e"
shape = "square"

[[cards]]
numbers = [1, 2, 3]
copies = 8
marked = true

[[cards]]
numbers = [0, 7]
copies = 2
"""


def deck(effect: str, copies: int = 40, **more: Any) -> str:
    """Few numbers and many wild cards of one effect."""
    extra = "".join(f"{name} = {str(value).lower()}\n" for name, value in more.items())
    return f"""{COLORS}
[[wilds]]
symbol = "WX"
name = {{ en = "Special", es = "Especial", ru = "Особая" }}
copies = {copies}
points = 50
effect = "{effect}"
{extra}"""
