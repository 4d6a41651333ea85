"""Sentences on the pages of contracts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from governance.contracts.queries.bundles import ListedBundle
from governance.texts.document import Document
from governance.texts.plain_document import mapping, rules_in, values_of

_TYPES = ("pre", "post", "session", "sandbox")
_NAMED = 3  # environments to name; more are counted


def live_sentence(name: str, newest: int, live: Mapping[str, int]) -> str:
    """Headline such as "`billing` v12 is deployed to staging, production runs v11". `live` maps
    environments to versions."""
    on_newest = [place for place, number in live.items() if number == newest]
    others = [(place, number) for place, number in live.items() if number != newest]
    status = f"is deployed to {_places(on_newest)}" if on_newest else "isn't deployed"
    sentence = f"`{name}` v{newest} {status}"
    if len(others) == 1:
        ((place, number),) = others
        return f"{sentence}, {place} runs v{number}"
    return f"{sentence}, {len(others)} environments run older versions" if others else sentence


def contracts_sentence(bundles: Sequence[ListedBundle], *, more: bool) -> str:
    if not bundles:
        return "No contracts yet"
    live = sum(bool(each.live) for each in bundles)
    if more:
        return f"More than {len(bundles):,} contracts, {live:,} of those listed are deployed"
    contracts = "1 contract" if len(bundles) == 1 else f"{len(bundles):,} contracts"
    if live == len(bundles):
        return f"{contracts}, {'' if live == 1 else 'all '}deployed"
    return f"{contracts}, {live or 'none'} deployed"


def rules_fact(document: Document) -> str:
    """Rules by type, such as "6: 4 pre, 1 post, 1 session"."""
    rules = rules_in(values_of(document))
    types = Counter(str(rule.get("type")) for rule in rules)
    parts = [f"{types[name]} {name}" for name in _TYPES if types[name]]
    off = sum(rule.get("enabled") is False for rule in rules)
    return f"{len(rules)}: {', '.join(parts)}{f', {off} disabled' if off else ''}"


def mode_fact(document: Document) -> str:
    """Default mode and exceptions, such as "enforce, 2 rules observe"."""
    values = values_of(document)
    mode = str(mapping(values.get("defaults")).get("mode", "enforce"))
    # Agents ignore the mode of a session rule.
    rules = [rule for rule in rules_in(values) if rule.get("type") != "session"]
    other = sum(str(rule.get("mode", mode)) != mode for rule in rules)
    if not other:
        return mode
    does = "enforce" if mode == "observe" else "observe"
    return f"{mode}, 1 rule {does}s" if other == 1 else f"{mode}, {other} rules {does}"


def _places(names: Sequence[str]) -> str:
    return _and(names) if len(names) <= _NAMED else f"{len(names)} environments"


def _and(parts: Iterable[str]) -> str:
    *rest, last = parts
    return f"{', '.join(rest)} and {last}" if rest else last
