"""How every message reads, as far as a machine can tell: quotes, plurals, stops, address."""

import re
from collections.abc import Iterator
from string import Formatter

import pytest

from penultima import errors
from penultima.locale import LANGUAGES, catalogue, say
from tests.test_locale import CLIENT, KEYS, forms

every_language = pytest.mark.parametrize("language", LANGUAGES)
AREAS = tuple(
    f"{cls.area}."
    for cls in vars(errors).values()
    if isinstance(cls, type) and issubclass(cls, errors.PenultimaError)
)
# Numbers that are never one: limits and fixed amounts.
NEVER_ONE = {"bytes", "number", "low", "high", "most", "most_kinds", "most_cards", "left", "rate"}
NEVER_ONE |= {"megabytes", "cards", "kinds", "want", "percent", "most_players"}


def texts(language: str) -> Iterator[tuple[str, str]]:
    for key in KEYS:
        for text in forms(language, key).values():
            yield key, text


def bare(text: str) -> str:
    """Without what a shell or a file is to be given."""
    return re.sub(r"""pip install '[^']*'|\["[^]]*\]""", "", text)


@every_language
def test_quotes_are_those_of_the_language_and_closed(language: str) -> None:
    opening, closing = "“”" if language == "en" else "«»"
    for key, text in texts(language):
        others = set("\"'„“”‘«»`") - {opening, closing}
        assert not others & set(bare(text)), key
        assert text.count(opening) == text.count(closing), key
        if language != "en":
            assert "’" not in text, key


@every_language
def test_dots_of_what_goes_on_follow_their_word(language: str) -> None:
    for key, text in texts(language):
        if "“{word} …”" in text or "«{word} …»" in text or "Bearer …" in text:
            continue  # what is left out, not what goes on
        assert " …" not in text, key
        assert "..." not in text, key


@every_language
def test_what_is_wrong_is_said_in_sentences(language: str) -> None:
    ends = (".", "?", "!", "…", "{problem}", "{remedy}", "{reason}", "{why}")
    for key, text in texts(language):
        if key.startswith(AREAS) and not key.startswith(("error.prefix", "fair.who.")):
            assert text.endswith(ends), key
            assert not text[0].islower() or re.match(r"[a-z]+(:|,| and | y | и )", text), key


def test_a_message_is_a_sentence_in_every_language_or_in_none() -> None:
    for key in KEYS:
        ends = {
            language: forms(language, key)["other"].rstrip("»”")[-1:] in ".!?"
            for language in LANGUAGES
        }
        assert len(set(ends.values())) == 1, (key, ends)


@every_language
def test_a_number_before_what_it_counts_has_plurals(language: str) -> None:
    """Either the message has them, or the placeholder names what it counts: `{games:rounds}`."""
    counted = {
        "en": r"\{(\w+)\} (?!is\b|was\b|has\b|needs\b|plays\b)[a-z]+s\b",
        "es": r"\{(\w+)\} [a-záéíóúñ]+s\b",
        "ru": r"\{(\w+)\} [а-яё]+(?:ов|ей|ий|карт|мест)\b",
    }[language]
    for key in KEYS:
        texts = forms(language, key)
        for text in texts.values():
            for name in re.findall(counted, text):
                plural = name == "count" and len(texts) > 1
                assert plural or name in NEVER_ONE or not is_number(key, name), (key, text)


def is_number(key: str, name: str) -> bool:
    """Whether a placeholder is filled with a number: most are names, cards and words."""
    words = "count number games rounds decisions moves seats players people bots rollouts tables"
    return name in [*words.split(), "given", "wanted", "matches", "steps", "functions", "seconds"]


@every_language
def test_what_a_number_counts_has_a_message_and_browsers_need_none(language: str) -> None:
    for key, text in texts(language):
        for _, name, counted, _ in Formatter().parse(text):
            if name is not None and counted:
                assert f"count.{counted}" in catalogue(language), key
                assert not key.startswith(("card.", "event.", "talk.", "ask.", "web.")), key


@pytest.mark.parametrize(
    ("language", "number", "text"),
    [
        ("en", 1, "1 round on"),
        ("en", "1,000", "1,000 rounds on"),
        ("es", 1, "1 ronda con"),
        ("es", 2, "2 rondas con"),
    ],
)
def test_several_numbers_of_a_message_have_their_plurals(
    language: str, number: int | str, text: str
) -> None:
    assert say(language, "contest.summary", rounds=number, seed=1).startswith(text)


def test_several_numbers_have_their_plurals_in_russian() -> None:
    told = {
        number: say("ru", "sim.subtitle", players=number, bots="-", games=number, seed=1)
        for number in (1, 3, 5, 21)
    }
    assert told[1].startswith("1 игрок (-), 1 партия,")
    assert told[3].startswith("3 игрока (-), 3 партии,")
    assert told[5].startswith("5 игроков (-), 5 партий,")
    assert told[21].startswith("21 игрок (-), 21 партия,")


def test_a_part_of_one_is_counted_as_parts_are() -> None:
    told = {language: say(language, "forfeit.hung", seconds="0.1") for language in ("en", "es")}
    assert told == {
        "en": "has not answered for 0.1 seconds",
        "es": "no respondió en 0.1 segundos",
    }


def test_english_says_what_is_not_so_as_english_does() -> None:
    stiff = r"(?<!here )\bis no (?!bluff\b|longer\b|more\b|other\b)|\b(is|are) wanted\b|\banew\b"
    for key, text in texts("en"):
        if not key.startswith("rules."):
            assert not re.search(stiff, text), key


# Spanish


FORMAL = (
    "usted ustedes indique elija escriba inicie inténtelo escríbala escríbalo pida espere haga"
    " compruebe pulse use vea llámelo busque reduzca abra ponga"
)


def test_spanish_says_tu() -> None:
    for key, text in texts("es"):
        if key.startswith("rules."):
            continue
        asked = re.sub(r"\bque (te )?\w+", "", text.lower())  # "que haga robar" asks nobody
        assert not set(re.findall(r"\w+", asked)) & set(FORMAL.split()), key
        assert not re.search(r"\bsu (red|cuenta|equipo)\b", text), key
        assert not re.search(r"[:;.,] nombre (un|otr)", text), key


def test_spanish_has_one_word_for_a_seat_and_one_for_the_host() -> None:
    for key, text in texts("es"):
        other = r"(?<!haya )\b(puestos?|sitios?)\b|\borganiza\b|quien dirige"
        assert not re.search(other, text.lower()), key


def test_the_chili_is_no_country() -> None:
    for key, text in texts("es"):
        assert "Chile" not in text, key


def test_spanish_opens_what_it_closes() -> None:
    for key, text in texts("es"):
        assert text.count("¡") == text.count("!"), key
        assert text.count("¿") == text.count("?") or key == "screen.keys.menu", key


def test_the_client_adds_nothing_to_the_words_of_the_catalogue() -> None:
    """A mark put behind a message is right in one language and wrong in another: "UNO!"."""
    for path in [*CLIENT.rglob("*.svelte"), *CLIENT.rglob("*.ts")]:
        text = re.sub(r"//.*|/\*.*?\*/|<!--.*?-->", "", path.read_text("utf-8"), flags=re.DOTALL)
        assert not re.search(r"\bUNO\b|[)]}[!?]", text), path


# Russian


FAMILIAR = "ты тебя тебе твой твоя твои давай бросай жми нажми выбери"


def test_russian_says_vy() -> None:
    for key, text in texts("ru"):
        words = set(re.findall(r"\w+", text.lower()))
        assert not words & set(FAMILIAR.split()), key
