"""Artifact that a call read, as far as its arguments name it."""

import re
from typing import Final

from outcomes.record.call import Call
from outcomes.record.outcome import ToolArtifactReference, ToolExecutionResult

# An argument of this name says it, whichever tool has it: the first is what the model was told.
NAMES: Final = ("artifact_reference", "artifact_id")
# What a model is told to read with; a server of tools may stand before it, as in `files.read_file`.
READER: Final = "read_file"
# A name as this console gives it, alone or in an address or a path.
_OURS: Final = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{64}(?![0-9A-Za-z])")
_LONGEST: Final = 1_024  # characters of an argument that may hold a name


def artifact_read(call: Call) -> str | None:
    """The name of what it read; None for a call that did not run, that failed, or read none."""
    if not isinstance(call.outcome, (ToolExecutionResult, ToolArtifactReference)):
        return None
    arguments = call.account.tool_args
    if not isinstance(arguments, dict):
        return None
    for name in NAMES:
        if name in arguments:
            argument = arguments[name]
            if isinstance(argument, str) and 0 < len(argument) <= _LONGEST and "\0" not in argument:
                return argument
    tool = call.account.tool_name
    if not tool.endswith(READER) or tool[: -len(READER)][-1:].isalnum():
        return None
    for argument in arguments.values():
        if (
            isinstance(argument, str)
            and len(argument) <= _LONGEST
            and (match := _OURS.search(argument))
        ):
            return match.group()
    return None
