"""Named checks as files: a Python or TypeScript module, the compiled JSON, or the YAML."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from governance.checks.language.exports import json_document, python_module, typescript_module
from governance.checks.language.named import DEFAULT_COMPILED
from governance.checks.queries.checks import HEAVY, Ours, ours_named, own_version
from governance.core.compiled_check import Compiled
from governance.models import CheckVersion, Project


@dataclass(frozen=True, slots=True)
class Kind:
    media_type: str
    made: Callable[[Compiled], bytes] | None = None  # None: the YAML as written


KINDS = {
    "py": Kind("text/x-python; charset=utf-8", lambda check: python_module(check).encode()),
    "ts": Kind("text/x-typescript; charset=utf-8", lambda check: typescript_module(check).encode()),
    "json": Kind("application/json", json_document),
    "yaml": Kind("application/yaml; charset=utf-8"),
}


@dataclass(frozen=True, slots=True)
class Export:
    """Version of a check for export; its file is read on demand."""

    name: str
    version: int
    identity: str  # equal for the same check and version, whatever the file type
    read: Callable[[], tuple[bytes, Compiled]]

    def tag(self, kind: str) -> str:
        return sha256(f"{kind} {self.identity} {_form_of(kind)}".encode()).hexdigest()[:40]

    def content(self, kind: str) -> bytes:
        text, compiled = self.read()
        made = KINDS[kind].made
        return text if made is None else made(compiled)

    def file_name(self, kind: str) -> str:
        return f"{self.name}.{kind}"


def export_of(project: Project, name: str, version: int | None = None) -> Export | None:
    """Export of a version, in one query that reads no text: enough if the client has the file."""
    row = own_version(project, name, version, without=HEAVY)
    if row is not None:
        number, saved = row.number, row.created_at.isoformat()
        identity = f"{name} {number} {row.sha256} {row.pk} {saved}"
        return Export(name, number, identity, lambda: _read(row))
    shipped = ours_named(name)
    if shipped is None or version not in (None, shipped.version):
        return None
    identity = f"{name} {shipped.version} {sha256(shipped.text.encode()).hexdigest()}"
    return Export(name, shipped.version, identity, lambda: _brought(shipped))


def _read(row: CheckVersion) -> tuple[bytes, Compiled]:
    row.refresh_from_db(fields=HEAVY)
    return bytes(row.document), row.compiled


def _brought(check: Ours) -> tuple[bytes, Compiled]:
    return check.text.encode(), check.compiled


@cache
def _form_of(kind: str) -> str:
    """Hash that changes if this release generates different files from the same check."""
    made = KINDS[kind].made
    return "" if made is None else sha256(made(DEFAULT_COMPILED)).hexdigest()
