"""Page that shows the object of an audit log entry. Plain Python."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Final, NamedTuple

LONGEST_PAUSE: Final = timedelta(minutes=5)


def pause_after(failures: int) -> timedelta:
    """Backoff of a stream: doubled with each failure, up to five minutes."""
    return min(timedelta(seconds=5 * 2 ** min(failures - 1, 10)), LONGEST_PAUSE)


class Place(NamedTuple):
    """URL name of a page, with its arguments."""

    view: str
    arguments: tuple[str | int, ...] = ()


_VERSION: Final = re.compile(r"(?P<name>\S+) v(?P<number>\d+)\b")
_NUMBERED: Final = re.compile(r"(?:backtest|reclassification) (?P<number>\d+)\b")
_DRAFT: Final = re.compile(r"draft of (?P<check>the check )?(?P<name>\S+)\Z")

_SETTINGS: Final = {
    "key": "governance:keys",
    "member": "governance:members",
    "role": "governance:members",
    "account": "governance:members",
    "environment roles": "governance:members",
    "second factor": "governance:members",
    "signed": "governance:members",
    "sign-in": "governance:members",
    "password": "governance:members",
    "invitation": "governance:members",
    "deployment requirements": "governance:environments",
    "signing key": "governance:signing_key",
    "project": "governance:settings",
    "alert": "outcomes:alerts",
    "bindings": "governance:check_bindings",
    "approval": "outcomes:approvals",
    "arguments opened": "outcomes:approvals",
    "audit stream": "governance:audit_stream",
    "agent": "outcomes:agents",
}


def place_of(action: str, subject: str) -> Place | None:
    """Page of an entry's object, or None if it has none."""
    for beginning, find in _BY_BEGINNING.items():
        if action.startswith(beginning):
            return find(subject)
    view = next((view for word, view in _SETTINGS.items() if action.startswith(word)), None)
    return Place(view) if view else None


def _version_of(view: str) -> Callable[[str], Place | None]:
    def place(subject: str) -> Place | None:
        match = _VERSION.match(subject)
        return Place(view, (match["name"], int(match["number"]))) if match else None

    return place


def _numbered(view: str) -> Callable[[str], Place | None]:
    def place(subject: str) -> Place | None:
        match = _NUMBERED.match(subject)
        return Place(view, (int(match["number"]),)) if match else None

    return place


def _draft(subject: str) -> Place | None:
    match = _DRAFT.match(subject)
    if match is None or match["name"] == "a":  # a new contract
        return None
    return Place("governance:check" if match["check"] else "governance:contract", (match["name"],))


def _contract(subject: str) -> Place:
    return Place("governance:contract", (subject,))


def _test(subject: str) -> Place:
    return Place("governance:cases", (subject.partition(": ")[0],))


def _session(subject: str) -> Place:
    return Place("outcomes:session", (subject,))


# Order matters: the first match counts.
_BY_BEGINNING: Final[dict[str, Callable[[str], Place | None]]] = {
    "check backtest": _numbered("outcomes:check_backtest"),
    "backtest": _numbered("outcomes:backtest"),
    "reclassification": _numbered("outcomes:reclassification"),
    "check saved": _version_of("governance:check_version"),
    "contract": _version_of("governance:contract_version"),
    "deployment request": _version_of("governance:contract_version"),
    "observed denial": _version_of("governance:contract_version"),
    "draft": _draft,
    "contract assigned": _contract,
    "assignment deleted": _contract,
    "tests replaced": _contract,
    "test outcome": lambda subject: Place("outcomes:call", (subject,)),
    "test ": _test,
    "reset a session": _session,
    "note": _session,
    "artifact": lambda subject: Place("outcomes:artifact", (subject,)),
}
