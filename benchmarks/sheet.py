"""Many pictures on one sheet."""

from collections.abc import Mapping, Sequence
from typing import Final

from PIL import Image, ImageDraw

GAP: Final = 8
CAPTION: Final = 16
PAPER: Final = "#f4f1e8"
INK: Final = "#20303a"
# The width of a picture and how many stand side by side.
PHONE: Final = 270, 8
WIDE: Final = 540, 4


def masonry(pictures: Mapping[str, Image.Image], phone: bool) -> Image.Image:
    """Pictures of any height under their names, each in the column that is shortest so far."""
    width, columns = PHONE if phone else WIDE
    ends = [GAP] * columns
    placed: list[tuple[int, int, str, Image.Image]] = []
    for name, picture in pictures.items():
        column = ends.index(min(ends))
        small = _scaled(picture, width)
        placed.append((GAP + column * (width + GAP), ends[column], name, small))
        ends[column] += CAPTION + small.height + GAP
    sheet = Image.new("RGB", (GAP + columns * (width + GAP), max(ends)), PAPER)
    draw = ImageDraw.Draw(sheet)
    for left, top, name, small in placed:
        draw.text((left, top), name, INK)
        sheet.paste(small, (left, top + CAPTION))
    return sheet


def grid(rows: Sequence[Sequence[Image.Image]], phone: bool) -> Image.Image:
    """Pictures of one height in rows."""
    width, _ = PHONE if phone else WIDE
    small = [[_scaled(picture, width) for picture in row] for row in rows]
    height = small[0][0].height
    size = GAP + len(small[0]) * (width + GAP), GAP + len(small) * (height + GAP)
    sheet = Image.new("RGB", size, PAPER)
    for down, row in enumerate(small):
        for across, picture in enumerate(row):
            sheet.paste(picture, (GAP + across * (width + GAP), GAP + down * (height + GAP)))
    return sheet


def _scaled(picture: Image.Image, width: int) -> Image.Image:
    height = round(picture.height * width / picture.width)
    return picture.resize((width, height), Image.Resampling.LANCZOS)
