"""No text of a contract and no call costs the console more than a sentence, through any door."""

import pytest

from governance.models import BundleVersion
from tests.governance.contracts.documents import ALWAYS, document, pre
from tests.governance.evaluation.test_engine_limits import HOSTILE
from tests.governance.hostile import FINE, KEEPING, TELLING, House, a_house

TEXTS = {
    name: (text, words.replace("`", ""))
    for name, (text, words, _, _) in HOSTILE.items()
    if isinstance(text, str)
} | {
    "half of a character": (document(pre(ALWAYS)) + "\n# \ud800", "lone surrogate|not UTF-8"),
    "a document after a document": (f"{document(pre(ALWAYS))}\n---\na: 1\n", "one document"),
    "an unclosed quote": ('a: "', "quote"),
    # Forms and drafts say it in words of their own.
    "a NUL": ("kind: \0", "A NUL isn't allowed|The text contains NUL|Null characters"),
    "four megabytes": ("# " + "x" * 4_000_000, ""),
}
TOO_LARGE = (400, 413)  # before anybody reads it


@pytest.fixture
def house(project, tmp_path) -> House:
    return a_house(project, tmp_path)


def sent_through(door: str) -> dict[str, tuple[str, str]]:
    """A browser sends no half of a character."""
    is_form = door.startswith(("editor", "new contract, pasted", "backtest", "playground", "tests"))
    return {name: row for name, row in TEXTS.items() if not (is_form and "half" in name)}


def after_it(house: House) -> None:
    """Nothing was saved, and the next who comes is served."""
    assert BundleVersion.objects.count() == 1
    assert house.api("contracts/validate", yaml=FINE)[0] == 200
    house.tidy()


def is_reported(door: str, words: str, status: int, answer: str) -> bool:
    if status in TOO_LARGE or any(each in answer for each in words.split("|")):
        return True
    # What changes by meaning is told of a text that the library would refuse, too.
    return door == "API, compared" and status == 200


@pytest.mark.parametrize("door", TELLING)
def test_every_hostile_text_gets_its_sentence_and_the_next_one_is_served(house, door):
    for name, (text, words) in sent_through(door).items():
        status, result = TELLING[door](house, text)
        assert status < 500, name
        assert is_reported(door, words, status, result.replace("`", "")), (name, result[:2_000])
        after_it(house)


@pytest.mark.parametrize("door", KEEPING)
def test_a_hostile_draft_is_saved_or_rejected_and_delays_nobody(house, door):
    for name, (text, _) in sent_through(door).items():
        status, result = KEEPING[door](house, text)
        assert status < 500, name
        assert result, name
        after_it(house)
