"""Texts of audit log entries: the object with its page, and the title of an approval."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse

from governance.audit.domain import place_of
from governance.core.actor import shown
from governance.models import Approval, AuditEntry

ARGUMENTS = 3  # shown in a line; others are counted
LONGEST = 40  # characters of a value
APPROVAL_ACTIONS = ("approval ", "arguments opened")


@dataclass(frozen=True, slots=True)
class Line:
    entry: AuditEntry
    subject: str
    arguments: str  # of the call that needed approval
    url: str


@dataclass(frozen=True, slots=True)
class ActorChoice:
    value: str  # as stored in entries
    words: str
    label: str  # the email address or the key


def actor_choices(actors: Iterable[str], names: Mapping[str, str]) -> list[ActorChoice]:
    """Choices with people's profile names, plus the email address if two share a name."""
    labels = {actor: shown(actor) for actor in actors}
    times = Counter(names.get(label, label) for label in labels.values())
    choices = [
        ActorChoice(actor, _actor_words(label, names.get(label, ""), times), label)
        for actor, label in labels.items()
    ]
    return sorted(choices, key=lambda choice: choice.words.casefold())


def _actor_words(label: str, name: str, times: Mapping[str, int]) -> str:
    if not name:
        return label
    return f"{name} ({label})" if times[name] > 1 else name


def lines_of(
    slug: str, entries: Sequence[AuditEntry], approvals: Mapping[str, Approval]
) -> list[Line]:
    return [_line(slug, entry, approvals.get(entry.subject)) for entry in entries]


def is_about_an_approval(entry: AuditEntry) -> bool:
    return entry.action.startswith(APPROVAL_ACTIONS)


def _line(slug: str, entry: AuditEntry, approval: Approval | None) -> Line:
    subject, arguments = entry.subject, ""
    if is_about_an_approval(entry):
        subject = _title(entry, approval)
        arguments = _arguments(approval) if approval else ""
    return Line(entry, subject, arguments, subject_url(slug, entry))


def _title(entry: AuditEntry, approval: Approval | None) -> str:
    """Contract's message, or tool and agent from the entry if there is no message or approval."""
    if approval is not None and approval.message:
        return approval.message
    tool, agent = entry.details.get("tool", ""), entry.details.get("agent", "")
    return f"`{tool}` by {agent}" if tool and agent else entry.subject


def _arguments(approval: Approval) -> str:
    shown = approval.shown_arguments()
    words = ", ".join(f"{each.name}={_cut(each.text)}" for each in shown[:ARGUMENTS])
    more = approval.argument_count - len(shown[:ARGUMENTS])
    inside = f"{words}, {more} more" if more > 0 else words
    return f"{approval.tool_name}({inside})"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def subject_url(slug: str, entry: AuditEntry) -> str:
    place = place_of(entry.action, entry.subject)
    if place is None:
        return ""
    try:
        return reverse(place.view, args=[slug, *place.arguments])
    except NoReverseMatch:  # the id can't be part of a path
        return ""
