"""A semantic difference between two documents."""

from dataclasses import dataclass
from typing import Literal

DOCUMENT = "the document"  # subject of a change outside of all rules


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. For a changed value `what` names it, else `what` is the full description."""

    kind: Literal["added", "removed", "changed"]
    subject: str  # the id of a rule, or DOCUMENT
    what: str
    before: str = ""
    after: str = ""

    @property
    def is_about_document(self) -> bool:
        return self.subject == DOCUMENT

    def __str__(self) -> str:
        subject = self.subject if self.is_about_document else f"rule `{self.subject}`"
        if self.before or self.after:
            return f"{subject}, {self.what}: {self.before} → {self.after}"
        verb = "" if self.kind == "changed" else f"{self.kind} "
        return f"{verb}{subject}: {self.what}"
