"""The sentences that the pages of tools open with."""

from collections.abc import Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString

from governance.core.figures import percent, thousands
from outcomes.core.scope import Scope
from outcomes.figures.domain.figures import Figures
from outcomes.figures.domain.standouts import Fall, Judged
from outcomes.tools.domain.tools import Compared
from outcomes.web.sentences import counted, number_word


def tools_sentence(tools: Sequence[Compared], falls: Sequence[Fall], scope: Scope) -> SafeString:
    """14 tools. `crm_update` lost 18.0 points; the others hold."""
    by_agent = format_html(" by <code>{}</code>", scope.agent) if scope.agent else ""
    within = format_html("{}{}", by_agent, f" in {scope.environment}" if scope.environment else "")
    if not tools:
        return format_html("No tool was called{} {}.", within, scope.in_words)
    number = counted(len(tools), "tool") if len(tools) > 1 else "One tool"
    return format_html("{}{}. {}", number, within, _what_changed(tools, falls, scope))


def _what_changed(
    tools: Sequence[Compared], falls: Sequence[Fall], scope: Scope
) -> SafeString | str:
    judged = sum(tool.now.judged for tool in tools)
    if not judged:
        return "No call has a verdict."
    if not falls:
        if not any(tool.before.judged for tool in tools):
            rate = percent(sum(tool.now.successes for tool in tools) / judged)
            return f"{rate} of {counted(judged, 'call')} succeeded."
        who = "It" if len(tools) == 1 else "None"
        less = "does not succeed" if len(tools) == 1 else "succeeds"
        return f"{who} {less} noticeably less than in {scope.before_words}."
    lost = format_html("<code>{}</code> lost {}", falls[0].tool, f"{falls[0].points:.1f} points")
    if len(falls) == 2:
        also = f"{falls[1].points:.1f}"
        lost = format_html("{} and <code>{}</code> {}", lost, falls[1].tool, also)
    elif len(falls) > 2:
        others = number_word(len(falls) - 1)
        lost = format_html("{}, and {} others lost as well", lost, others)
    left = len(tools) - len(falls)
    if not left:
        return format_html("{}.", lost)
    return format_html("{}; the {}.", lost, "other holds" if left == 1 else "others hold")


def tool_sentence(name: str, now: Figures, before: Figures, scope: Scope) -> SafeString:
    tool = format_html("<code>{}</code>", name)
    if not now:
        return format_html("{} was not called {}.", tool, scope.in_words)
    if not now.judged:
        return format_html("{} {}", tool, _unjudged(now))
    if now.successes == now.judged:
        held = format_html("{} succeeded in {}", tool, _all_of(now.judged))
    else:
        held = format_html(
            "{} succeeded in {} of {}", tool, percent(now.rate), counted(now.judged, "call")
        )
    if not before.judged:
        return format_html("{}.", held)
    moved = Fall(name, Judged(now.successes, now.judged), Judged(before.successes, before.judged))
    if moved.now.bounds[1] < moved.before.bounds[0]:
        return format_html("{}; before it was {}.", held, percent(before.rate))
    if moved.now.bounds[0] > moved.before.bounds[1]:
        return format_html("{}, more than the {} before.", held, percent(before.rate))
    if percent(now.rate) == percent(before.rate):
        return format_html("{}, as before.", held)
    return format_html("{}; before it was {}, which may be chance.", held, percent(before.rate))


def tool_second_sentence(now: Figures) -> str:
    """What the agents did not see of its failures."""
    missed, failures = now.agent_said_success, now.failures
    if not missed:
        return ""
    if failures == 1:
        return "Its agent took its one failure for a success."
    which = (
        f"all its {thousands(failures)}"
        if missed == failures
        else (f"{thousands(missed)} of its {thousands(failures)}")
    )
    return f"Agents took {which} failures for successes."


def _all_of(number: int) -> str:
    return "its one call" if number == 1 else f"all its {thousands(number)} calls"


def _unjudged(now: Figures) -> str:
    if now.denied == now.calls:
        return "was denied each time." if now.calls > 1 else "was denied."
    if now.open == now.calls:
        return "has no result yet."
    return (
        f"was called {thousands(now.calls)} times; no call has a verdict."
        if (now.calls > 1)
        else "was called once, and that has no verdict."
    )
