"""Pages and actions that the palette offers by name, filtered by role."""

from dataclasses import dataclass
from typing import Final

from governance.core.roles import Role
from governance.people.policies import Action, may


@dataclass(frozen=True, slots=True)
class Place:
    words: str
    view: str
    icon: str
    action: Action = Action.READ
    also: str = ""  # other search terms


PLACES: Final = (
    Place("Start", "first_hour:start", "sign", also="connect first hour onboarding"),
    Place("All calls", "outcomes:calls", "sessions"),
    Place("Disagreements", "outcomes:disagreements", "differs", also="silent failures"),
    Place("Suggestions", "outcomes:suggestions", "checks", also="suggested rules"),
    Place("Bindings", "governance:check_bindings", "checks"),
    Place("Reclassify recorded calls", "outcomes:reclassifications", "checks", also="judge again"),
    Place("Playground", "governance:playground", "contracts", also="try a call"),
    Place("Deployment requests", "governance:requests", "contracts", also="second person approve"),
    Place("Write a contract", "governance:new_contract", "plus", Action.WRITE_CONTRACT, "new rule"),
    Place("Write a check", "governance:new_check", "plus", Action.WRITE_CHECK, "new success check"),
    Place("Stop an agent", "governance:new_stop", "stopped", Action.STOP_AGENT, "kill switch"),
    Place("Keys", "governance:keys", "key", also="api settings"),
    Place("Create key", "governance:new_key", "plus", Action.MANAGE_KEYS, "new api"),
    Place("Members", "governance:members", "user", also="people roles settings"),
    Place("Invite member", "governance:invite", "plus", Action.MANAGE_MEMBERS, "new member"),
    Place("Audit log", "governance:audit", "clock", also="who did what settings"),
    Place("Environments", "governance:environments", "settings", also="requirements production"),
    Place("Signing key", "governance:signing_key", "key", also="ed25519 settings"),
    Place("OpenTelemetry", "outcomes:spans", "sign", also="otel otlp traces spans settings"),
    Place("Invalid events", "outcomes:rejected", "warning", also="did not get in settings"),
    Place("Failed batches", "outcomes:set_aside", "warning", also="not settled settings"),
    Place("Keyboard shortcuts", "lookup:keyboard", "note", also="keys help"),
)


def places_like(text: str, role: Role | None, *, among: tuple[Place, ...] = ()) -> list[Place]:
    """Pages in which each search word is the beginning of a word, in their original order."""
    words = text.casefold().split()
    return [
        place
        for place in (*among, *PLACES)
        if may(role, place.action)
        and all(
            any(word.startswith(each) for word in f"{place.words} {place.also}".casefold().split())
            for each in words
        )
    ]
