"""Headlines and labels of the denial pages."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from governance.core.figures import counted, thousands
from outcomes.core.scope import Scope
from outcomes.denials.domain import Loop
from outcomes.denials.queries.denial_sums import Denials
from outcomes.denials.queries.denials import Loops


def denials_sentence(
    scope: Scope, denied: Denials, calls: int, calls_before: int, loops: Loops
) -> SafeString:
    """Headline: an ongoing loop, else the number of denied calls and the comparison."""
    if loops.going and loops.shown:
        return loop_words(loops.shown[0])
    return format_html("{}", denied_words(scope, denied, calls, calls_before))


def denials_second_sentence(
    scope: Scope, denied: Denials, calls: int, calls_before: int, loops: Loops
) -> str:
    """Counts that the headline leaves out."""
    parts = [denied_words(scope, denied, calls, calls_before)] if loops.going else []
    if loops.number > 1 or (loops.number and not loops.going):
        parts.append(f"{counted(loops.number, 'loop')}, {loops.going:,} still going")
    return " · ".join(parts)


def loop_words(loop: Loop) -> SafeString:
    """Sentence such as "`deploy-night` is stuck: `shell` denied 48 times by `no-deleting`"."""
    return format_html(
        "<code>{}</code> is stuck: <code>{}</code> denied {} times by <code>{}</code>",
        loop.session_id,
        loop.tool,
        thousands(loop.times),
        loop.rule or loop.reason,
    )


def denied_words(scope: Scope, denied: Denials, calls: int, calls_before: int) -> str:
    if not calls:
        return f"No calls {scope.in_words}"
    if not denied.calls:
        return f"No denials {scope.in_words}{_compared(scope, denied) if denied.before else ''}"
    compared = _compared(scope, denied) if calls_before else ""
    return f"{thousands(denied.calls)} of {counted(calls, 'call')} denied{compared}"


def rule_sentence(scope: Scope, rule: str, denied: Denials, calls: int) -> SafeString:
    """Headline such as "`no-deleting` denied 48 of 1,204 calls, vs 36 in the previous 24 hours"."""
    number = f"{denied.calls:,} of {counted(calls, 'call')}" if denied.calls else "no calls"
    return format_html("<code>{}</code> denied {}{}", rule, number, _compared(scope, denied))


def most_words(denied: Denials, step: str) -> str:
    """Label of a chart's peak, such as `peak 96 per hour`."""
    most = max(denied.steps, default=0)
    return f"peak {most:,} per {step}" if most else ""


def _compared(scope: Scope, denied: Denials) -> str:
    return f", vs {denied.before:,} in {scope.before_words}"
