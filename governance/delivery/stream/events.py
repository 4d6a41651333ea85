"""Server-sent events in the formats that the clients of each language read.

One `data:` line per event, one space after the colons, well under a megabyte: Go's client accepts
nothing else. Only `yaml_bytes` is sent, because the text twice would make the line too long.
"""

import json
from base64 import b64encode
from typing import Any

from governance.delivery.queries.documents import ServedDocument

WELCOME = b": welcome\n\n"
STILL_HERE = b": still here\n\n"


def event(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


def update_of(document: ServedDocument) -> bytes:
    """The document for Python and Go; its name and version for TypeScript, which fetches it."""
    fields = _facts(document) | {
        "yaml_bytes": b64encode(document.document).decode(),
        "signature": document.signature,
        "public_key": document.public_key,
    }
    return event("contract_update", fields) + notice_of(document)


def notice_of(document: ServedDocument) -> bytes:
    """Notice for a client that decides itself whether this is its document."""
    fields = {"name": document.name, "version": document.version, "env": document.env}
    return event("ruleset_updated", fields | {"revision_hash": document.revision_hash})


def assignment_of(document: ServedDocument) -> bytes:
    """The new assignment, in the format of Python and TypeScript and in Go's."""
    changed = {"bundle_name": document.bundle_name, "env": document.env}
    return (
        event("assignment_changed", changed)
        + event("contract_update", {"_assignment_changed": True, **_facts(document)})
        + notice_of(document)
    )


def _facts(document: ServedDocument) -> dict[str, Any]:
    return {
        "name": document.name,
        "bundle_name": document.bundle_name,
        "version": document.version,
        "env": document.env,
        "revision_hash": document.revision_hash,
    }
