"""Arguments of a call as one line of text, and the artifact that the call reads."""

import json
import re
from typing import Final

from governance.core.json_value import Json
from governance.core.masking import masked
from outcomes.record.call import Call
from outcomes.record.outcome import ToolArtifactReference, ToolExecutionResult

ARGUMENTS: Final = 160  # characters of a line of arguments


def arguments_text(arguments: Json) -> str:
    """Arguments in one line, secrets masked, cut at ARGUMENTS characters."""
    match masked(arguments)[0]:
        case None:
            return ""
        case dict() as fields:
            text = ", ".join(f"{key}: {_text(value)}" for key, value in fields.items())
        case value:
            text = _text(value)
    return text if len(text) <= ARGUMENTS else text[: ARGUMENTS - 1] + "…"


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


# Arguments that name an artifact, in any tool. The first is the name in the model's message.
NAMES: Final = ("artifact_reference", "artifact_id")
# The tool that the model is told to use. A server prefix may precede it: `files.read_file`.
READER: Final = "read_file"
# An artifact name that this console assigned, alone or inside a URL or path.
_OURS: Final = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{64}(?![0-9A-Za-z])")
_LONGEST: Final = 1_024  # characters of an argument that may contain a name


def artifact_read(call: Call) -> str | None:
    """Name of the artifact that the call read, or None if it read none, failed or did not run."""
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
