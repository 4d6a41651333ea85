"""JSON Schemas of what tools take."""

from typing import Any, Final

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string", "maxLength": 1024}
YAML: Final[Schema] = {"type": "string", "maxLength": 600_000}
VERSION: Final[Schema] = {"type": "integer", "minimum": 1, "description": "The newest if absent"}
ID: Final[Schema] = {"type": "integer", "minimum": 1}
NAME: Final[Schema] = {**TEXT, "pattern": r"^[A-Za-z0-9][A-Za-z0-9._-]*$"}
FLAG: Final[Schema] = {"type": "boolean"}
TIME: Final[Schema] = {**TEXT, "description": "Such as 2026-11-18T06:00:00Z"}
LIMIT: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
CURSOR: Final[Schema] = {**TEXT, "description": "`next` of the previous answer"}
OBJECT: Final[Schema] = {"type": "object"}

PLACE: Final[dict[str, Schema]] = {"agent": TEXT, "tool": TEXT, "env": TEXT}
WINDOW: Final[dict[str, Schema]] = {**PLACE, "since": TIME, "until": TIME}
CALLS: Final[dict[str, Schema]] = {
    **WINDOW,
    "session": TEXT,
    "type": {
        "enum": [
            "execution_result", "timeout", "failure", "denied", "artifact_reference", "open",
        ]
    },
    "reason": TEXT,
    "verdict": {"enum": ["success", "failure", "unknown"]},
    "disagreement": {**FLAG, "description": "Agent and check give different verdicts"},
    "contract": TEXT,
    "version": {"type": "integer", "minimum": 1, "description": "Needs `contract`"},
    "q": {
        **TEXT,
        "description": (
            'Search language: words, "phrases", tool:x agent:x session:x error:word reason:word'
            " args.path:value output.path:>=500 verdict:failure type:timeout took:>=900, and"
            " -term for not"
        ),
    },
}  # fmt: skip
PAGED: Final[dict[str, Schema]] = {**CALLS, "limit": LIMIT, "cursor": CURSOR}


def fields(properties: dict[str, Schema], *required: str) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
