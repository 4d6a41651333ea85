"""Sentences about success rates, which never claim more than was checked."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from governance.core.figures import counted, percent, thousands
from outcomes.figures.domain.figures import Figures
from outcomes.figures.domain.standouts import Fall
from outcomes.figures.queries.doubt import Doubt


def success_words(now: Figures, suspected: int = 0) -> str:
    """Success in words: 97.9 % of 18,102 calls succeeded, 97.6 % if the 60 in doubt failed"""
    calls = counted(now.judged, "call")
    if now.is_unchecked:
        who = calls if now.successes == now.judged else f"{thousands(now.successes)} of {calls}"
        return f"{who} reported success. None sent an output, so none was checked."
    rate = f"{percent(now.rate)} of {calls}"
    if suspected:
        least = percent(max(now.successes - suspected, 0) / now.judged)
        return f"{rate} succeeded, {least} if the {thousands(suspected)} in doubt failed"
    if unchecked := now.unchecked_successes:
        return f"{rate} reported success, {thousands(unchecked)} of them not checked"
    if now.successes == now.judged:
        return f"All {calls} succeeded" if now.judged > 1 else f"{calls} succeeded"
    return f"{rate} succeeded"


def suspected_words(doubt: Doubt, now: Figures, tool: str = "") -> SafeString:
    """Doubt in words: 60 outputs of 3 tools look like failures, and no check covers them"""
    number = f"{'' if doubt.is_all else 'at least '}{thousands(len(doubt))}"
    verb = "looks like a failure" if len(doubt) == 1 else "look like failures"
    cover = "it" if len(doubt) == 1 else "them"
    if not tool:
        tools = len(doubt.by_tool)
        words = format_html("{} outputs of {} tools {}", number, tools, verb)
    else:
        words = format_html(
            "<code>{}</code>: {} of {} {}", tool, number, counted(now.with_output, "output"), verb
        )
    return format_html("{}, and no check covers {}", words, cover)


def fall_words(fall: Fall) -> SafeString:
    """Fall in words: `crm_update` success down to 82.0 % from 98.1 %"""
    rates = percent(fall.now.rate), percent(fall.before.rate)
    return format_html("<code>{}</code> success down to {} from {}", fall.tool, *rates)


def outputs_words(now: Figures) -> str:
    """Number of outputs in words: 1,290 of 1,296 sent an output"""
    if not now.returned:
        return ""
    sent = thousands(now.with_output) if now.with_output else "none"
    return f"{sent} of {thousands(now.returned)} sent an output"
