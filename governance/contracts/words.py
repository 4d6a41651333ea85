"""What the pages of contracts say of them in a sentence."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from governance.contracts.queries.bundles import ListedBundle
from governance.texts.document import Document
from governance.texts.plain_document import mapping, rules_in, values_of

_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
_TYPES = ("pre", "post", "session", "sandbox")
_NAMED = 3  # environments; more are counted


def standing_sentence(name: str, newest: int, live: Mapping[str, int]) -> str:
    """`billing` v12 is live in staging; production runs v11. `live`: environment to version."""
    on_newest = [place for place, number in live.items() if number == newest]
    others = [(place, number) for place, number in live.items() if number != newest]
    if not live:
        return f"`{name}` v{newest} is live nowhere yet."
    if not others:
        return f"`{name}` v{newest} is live in {_places(on_newest)}."
    if len(others) > _NAMED:
        run = f"{len(others)} environments run other versions"
    else:
        run = _runs(others)
    if not on_newest:
        return f"`{name}` v{newest} is not live yet: {run}."
    return f"`{name}` v{newest} is live in {_places(on_newest)}; {run}."


def _runs(others: Iterable[tuple[str, int]]) -> str:
    """production and staging run v2, development runs v1; each version is named once."""
    by_version: dict[int, list[str]] = {}
    for place, number in others:
        by_version.setdefault(number, []).append(place)
    parts = [
        f"{_and(places)} run{'s' if len(places) == 1 else ''} v{number}"
        for number, places in by_version.items()
    ]
    is_list = any(len(places) > 1 for places in by_version.values())
    return ", ".join(parts) if is_list else _and(parts)


def contracts_sentence(bundles: Sequence[ListedBundle], *, more: bool) -> str:
    if not bundles:
        return "No contract governs anything here yet."
    number = len(bundles)
    live = sum(bool(each.live) for each in bundles)
    if more:
        return f"More than {number:,} contracts; of those shown {live:,} are live."
    if number == 1:
        (only,) = bundles
        places = [each.environment.name for each in only.live]
        return (
            f"One contract, live in {_places(places)}." if live else "One contract, not live yet."
        )
    what = f"{number_word(number)} contracts"
    if live == number:
        return f"{what}, each live somewhere."
    if not live:
        return f"{what}, none of them live."
    return f"{what}, {number_word(live).lower()} of them live."


def rules_fact(document: Document) -> str:
    """6: 4 pre, 1 post, 1 session"""
    rules = rules_in(values_of(document))
    types = Counter(str(rule.get("type")) for rule in rules)
    parts = [f"{types[name]} {name}" for name in _TYPES if types[name]]
    off = sum(rule.get("enabled") is False for rule in rules)
    return f"{len(rules)}: {', '.join(parts)}{f', {off} switched off' if off else ''}"


def mode_fact(document: Document) -> str:
    """enforce; two rules only observe"""
    values = values_of(document)
    mode = str(mapping(values.get("defaults")).get("mode", "enforce"))
    # Agents heed no mode of a session rule.
    rules = [rule for rule in rules_in(values) if rule.get("type") != "session"]
    other = sum(str(rule.get("mode", mode)) != mode for rule in rules)
    if not other:
        return mode
    does = "enforce" if mode == "observe" else "observe"
    said = f"one rule {does}s" if other == 1 else f"{number_word(other).lower()} rules {does}"
    return f"{mode}; {said}"


def _places(names: Sequence[str]) -> str:
    return _and(names) if len(names) <= _NAMED else f"{len(names)} environments"


def _and(parts: Iterable[str]) -> str:
    *rest, last = parts
    return f"{', '.join(rest)} and {last}" if rest else last


def number_word(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"
