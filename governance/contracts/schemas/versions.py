"""The shapes of versions in either dialect, of their rules, and of what changed between two."""

from hashlib import sha256
from typing import Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field

from governance.contracts.schemas.contracts import VersionNumber
from governance.texts.dialect import Dialect


class DialectQuery(Schema):
    dialect: Literal["", "old", "new"] = ""


class CompareQuery(Schema):
    model_config = ConfigDict(populate_by_name=True)

    start: VersionNumber | None = Field(None, alias="from")
    to: VersionNumber | None = None


class OutlinedRuleOut(Schema):
    id: str
    type: str
    tool: str
    line: int
    end_line: int


class OutlineOut(Schema):
    rules: list[OutlinedRuleOut]


class ChangeOut(Schema):
    kind: Literal["added", "removed", "changed"]
    subject: str
    what: str
    before: str
    after: str


class TextComparisonIn(Schema):
    """A text that is no version yet, against one: without its number the newest."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    yaml: str
    start: VersionNumber | None = Field(None, alias="from")


class TextComparisonOut(Schema):
    model_config = ConfigDict(populate_by_name=True)

    name: str
    start: int = Field(alias="from")
    same_text: bool
    changes: list[ChangeOut]


class EnforcementIn(Schema):
    """Version to enforce: the newest, unless another is named."""

    model_config = ConfigDict(extra="forbid")

    version: VersionNumber | None = None


class TemplateOut(Schema):
    name: str
    description: str


class TemplatesOut(Schema):
    templates: list[TemplateOut]


class TemplateWithTextOut(TemplateOut):
    yaml: str


class ComparisonOut(Schema):
    model_config = ConfigDict(populate_by_name=True)

    name: str
    start: int = Field(alias="from")
    to: int
    same_text: bool
    changes: list[ChangeOut]


def in_dialect(version: dict[str, Any], dialect: Dialect, text: str) -> dict[str, Any]:
    """Document as agents of that dialect get it, with the hash of its bytes."""
    return version | {
        "yaml": text,
        "dialect": str(dialect),
        "revision_hash": sha256(text.encode()).hexdigest(),
    }
