"""String operators: true, false, or undecided if the rest of a text was not read."""

from collections.abc import Callable, Sequence
from typing import Any

from edictum_site_client.site.matching.call import ITEM, TEXT, Call, Prefix
from edictum_site_client.site.matching.patterns import Matches

FIND = 8  # characters searched per unit of work; fewer for longer words

Test = Callable[[Any, Call], bool | None]


def text_test(test: Matches) -> Test:
    def tested(seen: Any, call: Call) -> bool | None:
        if type(seen) is str:
            return test(seen, len(seen) <= TEXT, call)
        return test(seen.text, False, call) if type(seen) is Prefix else False  # noqa: FBT003

    return tested


def matching_any(patterns: Sequence[Matches]) -> Test:
    def matches(text: str, all_of_it: bool, call: Call) -> bool | None:  # noqa: FBT001
        if len(patterns) > 1:
            call.spend(ITEM * (len(patterns) - 1))
        undecided = False
        for pattern in patterns:
            truth = pattern(text, all_of_it, call)
            if truth:
                return True
            undecided = undecided or truth is None
        return None if undecided else False

    return text_test(matches)


def containing_any(values: Sequence[str], *, fold: bool) -> Test:
    # With long words, some languages compare many characters at each position.
    rated = [(value, 1 + len(value) // 16) for value in values]

    def contains(text: str, all_of_it: bool, call: Call) -> bool | None:  # noqa: FBT001
        end = min(len(text), TEXT)
        decided = all_of_it
        if fold:
            folding = min(end, call.left // 2)  # the other half is for the search
            call.left -= folding
            decided = decided and folding == end
            text, end = folded(text[:folding]), folding
        for value, rate in rated:
            if not call.left:
                return None
            seen = min(end, (call.left * FIND - 1) // rate)
            call.left -= 1 + seen * rate // FIND
            if text.find(value, 0, seen) >= 0:
                return True
            decided = decided and seen == end
        return False if decided else None

    searched = text_test(contains)
    if fold or len(values) > 1:
        return searched
    ((value, rate),) = rated

    def contains_it(seen: Any, call: Call) -> bool | None:
        # Fast path for most texts.
        if type(seen) is str and len(seen) <= TEXT:
            work = 1 + len(seen) * rate // FIND
            if work <= call.left:
                call.left -= work
                return value in seen
        return searched(seen, call)

    return contains_it


def starting_with(value: str, *, fold: bool) -> Test:
    def starts(text: str, all_of_it: bool, call: Call) -> bool | None:  # noqa: FBT001
        if len(value) > call.left:
            return None
        call.left -= len(value)
        head = text[: min(len(value), TEXT)]
        if fold:
            head = folded(head)
        if all_of_it or len(head) == len(value):
            return head == value
        return None if value.startswith(head) else False

    return text_test(starts)


def ending_with(value: str, *, fold: bool) -> Test:
    def ends(text: str, all_of_it: bool, call: Call) -> bool | None:  # noqa: FBT001
        if not all_of_it or len(value) > call.left:
            return None
        call.left -= len(value)
        tail = text[max(len(text) - len(value), 0) :]
        return (folded(tail) if fold else tail) == value

    return text_test(ends)


def folded(value: Any) -> Any:
    """Lowercase of A to Z only: folding of other letters differs between platforms."""
    if type(value) is not str:
        return value
    if value.isascii():
        return value.lower()
    # In UTF-8, no byte of another character equals an ASCII letter.
    small = value.encode("utf-8", "surrogatepass").translate(_SMALL)
    return small.decode("utf-8", "surrogatepass")


_SMALL = bytes(range(256)).lower()
