"""What the pages about denials say in a sentence."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from governance.core.figures import thousands
from outcomes.core.scope import Scope
from outcomes.denials.queries.denial_sums import Denials
from outcomes.denials.queries.denials import Loops
from outcomes.web.sentences import counted, number_word


def denials_sentence(
    scope: Scope, denied: Denials, calls: int, calls_before: int, loops: Loops
) -> str:
    """816 of 19,529 calls were denied, 231 more than in the 24 hours before. One loop goes on."""
    if not calls:
        return f"No agent called a tool {scope.in_words}."
    if not denied.calls:
        went = "the one call" if calls == 1 else f"each of {calls:,} calls"
        was = f", {denied.before:,} in {scope.before_words}" if denied.before else ""
        return f"Nothing was denied {scope.in_words}{was}: {went} went through."
    be = "was" if denied.calls == 1 else "were"
    told = f"{thousands(denied.calls)} of {counted(calls, 'call')} {be} denied"
    compared = _compared(scope, denied) if calls_before else ""
    return " ".join(filter(None, [f"{told}{compared}.", loops_words(loops.number, loops.going)]))


def loops_words(number: int, going: int) -> str:
    """One loop is still going; or when none is: Three loops, none of them still going."""
    if not number:
        return ""
    told = going or number
    word = number_word(told)
    what = f"{word[0].upper()}{word[1:]} loop{'' if told == 1 else 's'}"
    if going:
        return f"{what} {'is' if going == 1 else 'are'} still going."
    return f"{what}, {'no longer' if number == 1 else 'none of them still'} going."


def rule_sentence(scope: Scope, rule: str, denied: Denials, calls: int) -> SafeString:
    """`no-deleting` denied 48 of 1,204 calls in the last 24 hours, 12 more than …"""
    name = format_html("<code>{}</code>", rule)
    if not denied.calls:
        was = f"; {denied.before:,} in {scope.before_words}" if denied.before else ""
        return format_html("{} denied nothing {}{}.", name, scope.in_words, was)
    told = f"{denied.calls:,} of {counted(calls, 'call')} {scope.in_words}"
    return format_html("{} denied {}{}.", name, told, _compared(scope, denied))


def most_words(denied: Denials, step: str) -> str:
    """Of a chart: 96 in the last hour, the most of all."""
    most = max(denied.steps, default=0)
    if not most:
        return ""
    if denied.steps[-1] == most and denied.steps.count(most) == 1 and len(denied.steps) > 1:
        return f"{most:,} in the last {step}, the most of all"
    return f"at most {most:,} in {'an' if step == 'hour' else 'a'} {step}"


def _compared(scope: Scope, denied: Denials) -> str:
    more = denied.calls - denied.before
    if not more:
        return f", as many as in {scope.before_words}"
    how = "more" if more > 0 else "fewer"
    return f", {abs(more):,} {how} than in {scope.before_words}"
