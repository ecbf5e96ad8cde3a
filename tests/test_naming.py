"""What people are called where everybody reads it."""

import pytest

from penultima.locale import LANGUAGES, say
from penultima.naming import STARS, addresses_the_reader, name_or

MEANT = (
    *("You", "you", "YOU", "yOu", " Y o u ", "Y.O.U.", "you!", "“You”", "Yoooou", "Y0u"),
    *("Tú", "tú", "TÚ", "tu", "T\u200bú", "Usted", "U S T E D", "vos"),
    *("Вы", "ВЫ", "в-ы", "Ты", "«Вы»"),
    *("Ｙｏｕ", "𝐘𝐨𝐮", "Y\u0301ou", "Ⓨⓞⓤ"),
    *("Yоu", "Уоu", "Υοu", "Bы", "Tы", "Υου"),  # letters of other scripts among them
)
NAMES = (
    "Youssef",
    "Ana",
    "Тимур",
    "Yuki",
    "Ty",
    "Tui",
    "Выдра",
    "You and Me",
    "Lou",
    "你",
    "🦊",
    "Q",
)


@pytest.mark.parametrize("name", MEANT)
def test_nobody_is_called_by_the_word_for_the_reader(name: str) -> None:
    assert addresses_the_reader(name)
    assert name_or(name, STARS) == "Vega"


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_its_owners_choice(name: str) -> None:
    assert name_or(name, STARS) == name


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", ["table.you", "web.you"])
def test_every_language_is_covered(language: str, key: str) -> None:
    assert addresses_the_reader(say(language, key))


@pytest.mark.parametrize("nothing", [None, "", "  ", "\u200b", "\u3164"])
def test_whoever_says_no_name_is_given_one_that_nobody_has(nothing: str | None) -> None:
    assert name_or(nothing, STARS, ["vega", "ALTAIR"]) == "Mira"
