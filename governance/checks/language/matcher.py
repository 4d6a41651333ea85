"""Runs the compiled form of a success check: the verdict, the rule and the reason.

The console, the modules that it exports and the client of agents all run this text, joined with
that of its parts. It needs the standard library only, and is given nothing but a document.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from governance.matching.agents_values import plain
from governance.matching.call import Call, TooMuch
from governance.matching.canonical import canonical, short_text, shown
from governance.matching.conditions import UNDECIDED, Condition, Leaf, condition_of
from governance.matching.globs import glob_matches
from governance.matching.operators import UnknownFormat
from governance.matching.patterns import Matches, pattern_of
from governance.matching.selectors import selector_of

__all__ = ["FORMAT", "Explanation", "UnknownFormat", "build", "canonical", "default", "plain"]

FORMAT = 1
REASON = 500
KNOWN = 1_000  # tools whose rules are remembered


class Explanation(NamedTuple):
    verdict: str
    rule: str
    selector: str = ""
    value: Any = None
    reason: str = ""
    labels: tuple[str, ...] = ()
    cut: bool = False  # it depends on text that was not read; then it is no success


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
    """Heuristic of the SDKs without a success check."""
    if result is None:
        return _NULL
    if isinstance(result, dict):
        if flag := result.get("is_error"):
            reason = "The result says is_error."
            return Explanation("failure", "is_error", "result.is_error", shown(flag), reason)
    # Seven characters first, then lower case: the SDKs cut before they fold.
    elif isinstance(result, str) and result[:7].lower().startswith(("error:", "fatal:")):
        reason = "The text begins like an error."
        return Explanation("failure", "error_prefix", "result", shown(result), reason)
    return _OTHERWISE


def build(compiled: Mapping[str, Any]) -> Judge:
    """Judge of a tool's name, its result as plain JSON and its milliseconds."""
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
    """Unchanged if each undecided rule before would give the same verdict, else unknown."""
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
            if len(reason) >= REASON:  # nobody sees more of it, and a large value costs its keys
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
