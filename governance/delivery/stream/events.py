"""Server-sent events as the clients of each language read them.

One `data:` line each, with one space after the colons, and well under a megabyte: Go's client
takes no other. `yaml_bytes` comes alone, as the same text twice would make that line too long.
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
    """For a client that looks itself whether this is its document."""
    fields = {"name": document.name, "version": document.version, "env": document.env}
    return event("ruleset_updated", fields | {"revision_hash": document.revision_hash})


def assignment_of(document: ServedDocument) -> bytes:
    """The bundle that is assigned now: in the form of Python and TypeScript, and in that of Go."""
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
