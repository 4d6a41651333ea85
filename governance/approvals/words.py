"""Texts about approvals: the title of a request, and its details."""

import re
from typing import Final

from django.utils.html import escape
from django.utils.safestring import SafeString

from governance.approvals.domain import names_in, unmentioned
from governance.core.texts import code
from governance.models import Approval

LONGEST_TITLE: Final = 160  # characters
DONE: Final = {True: "Approved", False: "Rejected"}


def title(approval: Approval) -> str:
    """Title of a request: the contract's message, or the tool if there is none."""
    message = " ".join(approval.message.split()).rstrip(".?")
    if not message:
        return f"Call {code(approval.tool_name)}"
    return message if len(message) <= LONGEST_TITLE else message[: LONGEST_TITLE - 1] + "…"


def title_html(approval: Approval) -> SafeString:
    """Title as HTML, with values of arguments marked as code."""
    text = title(approval)
    if not approval.message:
        return SafeString(f"Call <code>{escape(text.removeprefix('Call ').strip('`'))}</code>")
    names = sorted(names_in(approval.shown_arguments()).values(), key=len, reverse=True)
    pattern = "|".join(re.escape(escape(name)) for name in names)
    shown = str(escape(text))
    if pattern:
        shown = re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", r"<code>\g<0></code>", shown)
    return SafeString(shown)


def subject(approval: Approval) -> str:
    """Title and details of a request."""
    return " · ".join(filter(None, [title(approval), details(approval)]))


def details(approval: Approval) -> str:
    """Short arguments that the title doesn't mention, such as account A-2091, amount 1240."""
    return ", ".join(unmentioned(approval.message, approval.shown_arguments()))


def is_title_cut(approval: Approval) -> bool:
    return len(" ".join(approval.message.split())) > LONGEST_TITLE
