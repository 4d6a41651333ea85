"""The shapes of named checks, their versions and bindings over HTTP."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field

from governance.checks.domain import Binding
from governance.checks.queries.bindings import Bindings
from governance.checks.queries.checks import Newer, Origin, Ours
from governance.contracts.schemas.contracts import VersionNumber
from governance.models import CheckVersion

Places = Mapping[str, Iterable[Binding]]
Includers = Mapping[str, list[str]]


class CheckIn(Schema):
    model_config = ConfigDict(extra="forbid")

    yaml: str
    message: str = ""
    newer_included: bool = False  # else what is included stays as it is in the newest version


class ChecksQuery(Schema):
    limit: int = Field(50, ge=1, le=1_000)
    cursor: str = Field("", pattern=r"^[a-z0-9_-]{0,63}$")


class ExportQuery(Schema):
    version: VersionNumber | None = None


class IncludedOut(Schema):
    name: str
    version: int


class CheckVersionOut(Schema):
    """Version of a check; a shipped one has no author and no hash."""

    name: str
    version: int
    origin: Literal["own", "shipped", "built-in"]
    description: str
    rules: int  # its own
    included: list[IncludedOut]
    sha256: str | None
    author: str | None
    message: str
    created_at: datetime | None


class PlaceOut(Schema):
    environment: str
    agent: str
    tool: str


class ListedCheckOut(CheckVersionOut):
    """A check as its newest version shows it, and where it is used."""

    bindings: list[PlaceOut]
    included_by: list[str]


class ChecksOut(Schema):
    success_checks: list[ListedCheckOut]
    next: str | None


class NewerOut(Schema):
    name: str
    included: int
    newest: int


class CheckOut(ListedCheckOut):
    """The newest version with its text, what it could include anew, and a page of the history."""

    yaml: str
    newer_included: list[NewerOut]
    versions: list[CheckVersionOut]
    next: str | None


class BindingIn(Schema):
    # A misspelt `tool` must not make a line that fits every tool.
    model_config = ConfigDict(extra="forbid")

    environment: str = "*"
    agent: str = "*"
    tool: str
    check: str


class BindingsIn(Schema):
    model_config = ConfigDict(extra="forbid")

    bindings: list[BindingIn]
    revision: int | None = Field(None, ge=0, strict=True)

    def lines(self) -> list[Binding]:
        return [
            Binding(each.environment, each.agent, each.tool, each.check) for each in self.bindings
        ]


class BindingOut(PlaceOut):
    check: str


class BindingsOut(Schema):
    """Without the last line, which is fixed: `* * * → default`."""

    bindings: list[BindingOut]
    revision: int
    changed_by: str | None
    changed_at: datetime | None


def check_version_out(version: CheckVersion) -> dict[str, Any]:
    return {
        "name": version.name,
        "version": version.number,
        "origin": Origin.OWN.value,
        "description": version.description,
        "rules": version.rules,
        "included": version.included,
        "sha256": version.sha256,
        "author": version.author,
        "message": version.message,
        "created_at": version.created_at,
    }


def ours_out(check: Ours) -> dict[str, Any]:
    return {
        "name": check.name,
        "version": check.version,
        "origin": check.origin.value,
        "description": check.description,
        "rules": check.rules,
        "included": [],  # what includes others cannot be included, and these are there to be
        "sha256": None,
        "author": None,
        "message": "",
        "created_at": None,
    }


def used_out(name: str, places: Places, includers: Includers) -> dict[str, Any]:
    return {
        "bindings": [place_out(line) for line in places.get(name, ())],
        "included_by": includers.get(name, []),
    }


def place_out(line: Binding) -> dict[str, str]:
    return {"environment": line.environment, "agent": line.agent, "tool": line.tool}


def newer_out(newer: Newer) -> dict[str, Any]:
    return {"name": newer.name, "included": newer.included, "newest": newer.newest}


def bindings_out(bindings: Bindings) -> dict[str, Any]:
    return {
        "bindings": [place_out(line) | {"check": line.check} for line in bindings.lines],
        "revision": bindings.revision,
        "changed_by": bindings.changed_by or None,
        "changed_at": bindings.changed_at,
    }
