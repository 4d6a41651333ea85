"""Runs a compiled success check: the verdict, the rule that decided and the reason.

The console, exported modules and the agents' client all run this code, joined with its parts. It
only needs the standard library, and its only input is a JSON document.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from edictum_site_client.site.matching.agents_values import plain
from edictum_site_client.site.matching.call import Call, TooMuch
from edictum_site_client.site.matching.canonical import canonical, short_text, shown
from edictum_site_client.site.matching.conditions import UNDECIDED, Condition, Leaf, condition_of
from edictum_site_client.site.matching.globs import glob_matches
from edictum_site_client.site.matching.operators import UnknownFormat
from edictum_site_client.site.matching.patterns import Matches, pattern_of
from edictum_site_client.site.matching.selectors import selector_of

__all__ = ["FORMAT", "Explanation", "UnknownFormat", "build", "canonical", "default", "plain"]

FORMAT = 1
REASON = 500
KNOWN = 1_000  # tools whose matching rules are cached


class Explanation(NamedTuple):
    verdict: str
    rule: str
    selector: str = ""
    value: Any = None
    reason: str = ""
    labels: tuple[str, ...] = ()
    cut: bool = False  # the verdict depends on text that was not read; never a success then


Judge = Callable[[str, Any, float | None], Explanation]


class Rule(NamedTuple):
    name: str
    verdict: str
    when: Condition
    explained: Callable[[Leaf, Call], Explanation]


_NULL = Explanation("success", "null", "result")
_OTHERWISE = Explanation("success", "otherwise")
_TOO_MUCH = Explanation(
    "unknown", "too-much-work", reason="Checking this output takes too much work.", cut=True
)
_NO_MATCH = "`%s` found nothing in the part of the text that was read."


def default(result: Any) -> Explanation:
    """The heuristic that the SDKs use without a success check."""
    if result is None:
        return _NULL
    if isinstance(result, dict):
        if flag := result.get("is_error"):
            reason = "The result says is_error."
            return Explanation("failure", "is_error", "result.is_error", shown(flag), reason)
    # Cut to seven characters before lowercasing, as the SDKs do.
    elif isinstance(result, str) and result[:7].lower().startswith(("error:", "fatal:")):
        reason = "The text begins like an error."
        return Explanation("failure", "error_prefix", "result", shown(result), reason)
    return _OTHERWISE


def build(compiled: Mapping[str, Any]) -> Judge:
    """Compile a check to a function of a tool name, its result as plain JSON, and milliseconds."""
    if compiled.get("format") != FORMAT:
        raise UnknownFormat(
            f"Format {compiled.get('format')!r} is not supported."
            f" This matcher reads format {FORMAT}."
        )
    try:
        patterns = [pattern_of(each) for each in compiled["automata"]]
        rules = [(each["tool"], _rule(each, patterns)) for each in compiled["rules"]]
        falls_through = compiled["otherwise"] == "default"
        last = Explanation(_verdict(compiled["otherwise"], also=("default",)), "otherwise")
    except (LookupError, TypeError, AttributeError) as error:
        raise UnknownFormat(f"This is not a check of format {FORMAT}: {error!r}") from error
    known: dict[str, list[Rule]] = {}

    def judge(tool_name: str, result: Any, elapsed_ms: float | None = None) -> Explanation:
        about = known.get(tool_name)
        if about is None:
            about = [rule for glob, rule in rules if glob_matches(glob, tool_name)]
            if len(known) < KNOWN:
                known[tool_name] = about
        call = Call(tool_name, result, elapsed_ms)
        undecided: list[Rule] = []
        try:
            for rule in about:
                leaf = rule.when(call)
                if leaf is None:
                    continue
                if leaf is UNDECIDED:
                    undecided.append(rule)
                else:
                    explanation = rule.explained(leaf, call)
                    return _in_doubt(explanation, undecided) if undecided else explanation
        except TooMuch:
            return _TOO_MUCH
        if undecided:
            return _unknown(undecided[0])
        return default(result) if falls_through else last

    return judge


def _in_doubt(explanation: Explanation, undecided: Sequence[Rule]) -> Explanation:
    """The same explanation if each undecided earlier rule has the same verdict, else unknown."""
    verdict = explanation.verdict
    for rule in undecided:
        if verdict == "success" or rule.verdict != verdict:
            return _unknown(rule)
    return explanation._replace(cut=True)


def _unknown(rule: Rule) -> Explanation:
    return _TOO_MUCH._replace(reason=_NO_MATCH % rule.name)


def _rule(rule: Mapping[str, Any], patterns: Sequence[Matches]) -> Rule:
    verdict, name = _verdict(rule["verdict"]), rule["id"]
    if rule["of"]:
        name = f"{rule['of']}/{name}"
    labels = (rule["label"],) if rule["label"] else ()
    parts = [
        part if isinstance(part, str) else selector_of(part["select"]) if "select" in part else None
        for part in rule["reason"]
    ]

    def explained(leaf: Leaf, call: Call) -> Explanation:
        value, reason = leaf.select(call), ""
        for part in parts:
            if len(reason) >= REASON:  # the rest isn't shown, and formatting a large value is slow
                break
            if isinstance(part, str):
                reason += part
            else:
                reason += short_text(value if part is None else part(call))
        return Explanation(verdict, name, leaf.text, shown(value), reason[:REASON], labels)

    return Rule(name, verdict, condition_of(rule["when"], patterns), explained)


def _verdict(word: str, *, also: tuple[str, ...] = ()) -> str:
    if word not in ("success", "failure", "unknown", *also):
        raise UnknownFormat(f"The verdict {word!r} is not known here.")
    return word
