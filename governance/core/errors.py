"""Errors of governance; the API maps each class to a status."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One problem in a text, with its position. Lines and columns count from 1."""

    message: str
    path: str = ""
    line: int | None = None
    column: int | None = None
    fix: str = ""  # replacement for the flagged text, if only one is correct

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


class GovernanceError(Exception):
    """Base class. Each class has a stable code; `code` overrides it if clients must distinguish
    cases."""

    code: str = "refused"

    def __init__(self, detail: str, *, code: str = "", errors: Sequence[Problem] = ()) -> None:
        super().__init__(detail)
        self.code = code or self.code
        self.errors = tuple(errors)


class Unauthenticated(GovernanceError):
    code = "unauthenticated"


class NotFound(GovernanceError):
    code = "not_found"


class Forbidden(GovernanceError):
    code = "forbidden"


class TooManyRequests(GovernanceError):
    """A per-minute limit is exceeded."""

    code = "rate_limited"

    def __init__(self, detail: str, *, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class Conflict(GovernanceError):
    code = "conflict"


class InvalidInput(GovernanceError):
    code = "invalid"

    @classmethod
    def at(cls, path: str, message: str) -> "InvalidInput":
        """Error about one field."""
        return cls(message, errors=[Problem(path=path, message=message)])


class DocumentInvalid(GovernanceError):
    """A document that can't be parsed, or that the library rejects."""

    code = "invalid_document"

    def __init__(self, errors: Sequence[Problem]) -> None:
        more = len(errors) - 1
        detail = str(errors[0]) + (f" (and {more} more)" if more > 0 else "")
        super().__init__(detail, errors=errors)


class CallInvalid(GovernanceError):
    """A tool call that the library can't evaluate, such as one without a tool name."""

    code = "invalid_call"


class EvaluationLimit(GovernanceError):
    """Evaluation exceeded the time or memory that a single document may use."""

    code = "evaluation_limit"


class EvaluationEnded(EvaluationLimit):
    """The evaluation process died, not necessarily because of the document."""


class EvaluationUnavailable(GovernanceError):
    """The evaluation process could not be started; nothing is wrong with the document."""

    code = "evaluation_unavailable"


class EvaluationBusy(EvaluationUnavailable):
    """All evaluation processes are busy; a retry in a moment may work."""

    code = "busy"
