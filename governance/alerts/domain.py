"""What a kind of finding is called on pages."""

from collections.abc import Mapping
from typing import Final

# A kind that has no words here yet is shown by its own name.
_WORDS: Final[Mapping[str, str]] = {
    "manage_key_used_by_agent": "An agent uses a manage key",
    "keys_end_with_their_maker": "Keys end when their maker leaves",
    "document_not_read": "An agent fetches its document and reports nothing",
    "lowered counter": "An agent tried to lower a protected counter",
    "agent_runs_foreign_bundle": "An agent runs a bundle it was not assigned",
    "agent_behind_contract": "An agent is behind on its contract",
    "agent_runs_unknown_contract": "An agent runs a contract that is not known here",
    "agent_has_not_taken_stop": "An agent has not taken its stop",
    "silent_failures": "Failures are judged success",
    "inbox_full": "Posts are refused",
    "artifact_store_away": "The artifact store cannot be used",
    "artifact_missing": "An artifact is missing on a host",
    "check_flips": "A check judges many calls anew",
}


def kind_words(kind: str) -> str:
    return _WORDS.get(kind) or kind.replace("_", " ").capitalize()
