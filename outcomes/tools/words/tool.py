"""Headlines of tool pages."""

from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from governance.core.figures import counted, percent, thousands
from outcomes.core.scope import Scope
from outcomes.figures.comparison import summed_figures
from outcomes.figures.domain.figures import Figures
from outcomes.figures.domain.standouts import Fall, Judged
from outcomes.figures.queries.doubt import NO_DOUBT, Doubt
from outcomes.figures.words import fall_words, success_words, suspected_words
from outcomes.tools.domain.tools import Compared


def tools_sentence(
    tools: Sequence[Compared], falls: Sequence[Fall], doubt: Doubt, scope: Scope
) -> SafeString:
    """Headline of the list of tools: the tool whose success fell most, else the outputs that look
    like failures, else the share of calls that succeeded."""
    if not tools:
        return format_html("No tool calls {}", scope.in_words)
    if falls:
        return _fallen(falls, doubt)
    if doubt:
        return _suspected(tools, doubt)
    total = summed_figures(row.now for row in tools)
    number = counted(len(tools), "tool")
    if not total.judged:
        return format_html("{}, {} without a verdict", number, counted(total.calls, "call"))
    if total.is_unchecked:
        return format_html("{}", success_words(total))
    if any(row.before.judged for row in tools):
        return format_html("{}, no significant drop vs {}", number, scope.before_words)
    return format_html("{}. {}", number, success_words(total))


def _fallen(falls: Sequence[Fall], doubt: Doubt) -> SafeString:
    words = fall_words(falls[0])
    if len(falls) > 1:
        words = format_html("{}, {} fell too", words, counted(len(falls) - 1, "other tool"))
    return format_html("{}, {} in doubt", words, counted(len(doubt), "output")) if doubt else words


def _suspected(tools: Sequence[Compared], doubt: Doubt) -> SafeString:
    if len(doubt.by_tool) > 1:
        return suspected_words(doubt, Figures())
    (row,) = (row for row in tools if row.name in doubt.by_tool)
    return suspected_words(doubt, row.now, row.name)


def tool_sentence(
    name: str, now: Figures, before: Figures, scope: Scope, doubt: Doubt = NO_DOUBT
) -> SafeString:
    """Headline of a tool, which never claims more than was checked."""
    tool = format_html("<code>{}</code>", name)
    if not now:
        return format_html("{} was not called {}", tool, scope.in_words)
    if not now.judged:
        return format_html("{}: {}", tool, _unjudged(now))
    if doubt:
        return suspected_words(doubt, now, name)
    moved = _moved(name, now, before)
    if moved is None or now.is_unchecked:
        return format_html("{}: {}", tool, success_words(now))
    if moved.now.rate < moved.before.rate:
        return fall_words(moved)
    return format_html("{} success up to {} from {}", tool, percent(now.rate), percent(before.rate))


def tool_second_sentence(now: Figures, doubt: Doubt = NO_DOUBT) -> SafeString:
    """Agents with the suspected outputs, and the number of failures that agents missed."""
    parts = []
    if agents := sorted({call.agent for call in doubt.calls}):
        one = format_html("All from <code>{}</code>.", agents[0])
        parts.append(one if len(agents) == 1 else format_html("From {} agents.", len(agents)))
    if missed := now.agent_only_success:
        of = counted(now.failures, "failure")
        parts.append(format_html("Agents missed {} of {}.", thousands(missed), of))
    return format_html_join(" ", "{}", ((part,) for part in parts))


def _moved(name: str, now: Figures, before: Figures) -> Fall | None:
    """A statistically significant change of the success rate, or None."""
    if not before.judged:
        return None
    moved = Fall(name, Judged(now.successes, now.judged), Judged(before.successes, before.judged))
    (low, high), (low_before, high_before) = moved.now.bounds, moved.before.bounds
    return moved if high < low_before or low > high_before else None


def _unjudged(now: Figures) -> str:
    if now.denied == now.calls:
        return f"{counted(now.calls, 'call')} denied, none ran"
    if now.open == now.calls:
        return f"{counted(now.calls, 'call')} still running"
    return f"{counted(now.calls, 'call')} without a verdict"
