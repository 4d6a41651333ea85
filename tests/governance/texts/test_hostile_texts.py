"""No contract and no call costs the console more than an error message, on any route."""

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
    # Forms and drafts use their own messages.
    "a NUL": ("kind: \0", "A NUL isn't allowed|The text contains NUL|Null characters"),
    "four megabytes": ("# " + "x" * 4_000_000, ""),
}
TOO_LARGE = (400, 413)  # rejected before parsing


@pytest.fixture
def house(project, tmp_path) -> House:
    return a_house(project, tmp_path)


def sent_through(door: str) -> dict[str, tuple[str, str]]:
    """Texts that this route can receive: a browser cannot send lone surrogates."""
    is_form = door.startswith(("editor", "new contract, pasted", "backtest", "playground", "tests"))
    return {name: row for name, row in TEXTS.items() if not (is_form and "half" in name)}


def after_it(house: House) -> None:
    """Assert that nothing was saved and the next request is served."""
    assert BundleVersion.objects.count() == 1
    assert house.api("contracts/validate", yaml=FINE)[0] == 200
    house.tidy()


def is_reported(door: str, words: str, status: int, answer: str) -> bool:
    if status in TOO_LARGE or any(each in answer for each in words.split("|")):
        return True
    # A comparison by meaning also accepts a text that the library would reject.
    return door == "API, compared" and status == 200


@pytest.mark.parametrize("door", TELLING)
def test_hostile_contracts_are_reported_and_the_next_request_is_served(house, door):
    for name, (text, words) in sent_through(door).items():
        status, result = TELLING[door](house, text)
        assert status < 500, name
        assert is_reported(door, words, status, result.replace("`", "")), (name, result[:2_000])
        after_it(house)


@pytest.mark.parametrize("door", KEEPING)
def test_a_hostile_draft_is_saved_or_rejected_without_delaying_others(house, door):
    for name, (text, _) in sent_through(door).items():
        status, result = KEEPING[door](house, text)
        assert status < 500, name
        assert result, name
        after_it(house)
