"""Default titles of alerts by kind, and the snooze durations."""

from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo
from typing import Final

# For alerts stored without their own title.
_WORDS: Final[Mapping[str, str]] = {
    "manage_key_used_by_agent": "Agent is using a manage key",
    "keys_end_with_their_maker": "Keys tied to a former admin",
    "document_not_read": "Agent loads its contract but reports nothing",
    "lowered counter": "Agent tried to lower a protected counter",
    "agent_runs_foreign_bundle": "Agent is running an unassigned contract",
    "agent_behind_contract": "Agent is outdated",
    "agent_runs_unknown_contract": "Agent is running an unknown contract",
    "agent_has_not_taken_stop": "Agent hasn't stopped",
    "silent_failures": "Failures counted as success",
    "inbox_full": "Posts are rejected",
    "artifact_store_away": "Artifact store is unavailable",
    "artifact_missing": "Artifact is missing in the store",
    "check_flips": "Large reclassification",
}

HOUR, TOMORROW, WEEK, WORSE = "hour", "tomorrow", "week", "worse"
SNOOZES: Final[Mapping[str, str]] = {
    HOUR: "1 hour",
    TOMORROW: "Until tomorrow 09:00",
    WEEK: "1 week",
    WORSE: "Until it gets worse",
}
_LONGEST: Final = timedelta(days=365)
_MORNING: Final = 9  # o'clock


def kind_words(kind: str) -> str:
    return _WORDS.get(kind) or kind.replace("_", " ").capitalize()


def snooze_end(snooze: str, now: datetime, zone: tzinfo) -> datetime:
    match snooze:
        case "hour":
            return now + timedelta(hours=1)
        case "tomorrow":
            tomorrow = now.astimezone(zone) + timedelta(days=1)
            return tomorrow.replace(hour=_MORNING, minute=0, second=0, microsecond=0)
        case "week":
            return now + timedelta(weeks=1)
        case _:
            return now + _LONGEST
