"""Errors of governance; the API maps each class to a status."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One place in a text that needs a correction. Lines and columns count from 1."""

    message: str
    path: str = ""
    line: int | None = None
    column: int | None = None
    fix: str = ""  # where there is one answer: what stands there instead of the exact words

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


class GovernanceError(Exception):
    """Base class. Each class has a stable code; `code` overrides it where clients need to tell
    cases apart."""

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
    """A limit per minute is used up."""

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
    """A document that cannot be read, or that the library refuses."""

    code = "invalid_document"

    def __init__(self, errors: Sequence[Problem]) -> None:
        more = len(errors) - 1
        detail = str(errors[0]) + (f" (and {more} more)" if more > 0 else "")
        super().__init__(detail, errors=errors)


class CallInvalid(GovernanceError):
    """A tool call that the library cannot take, such as one whose tool has no name."""

    code = "invalid_call"


class EvaluationLimit(GovernanceError):
    """Evaluating took more time or memory than one document may cost everybody else."""

    code = "evaluation_limit"


class EvaluationEnded(EvaluationLimit):
    """The evaluation process ended over it, for which the document may not be to blame."""


class EvaluationUnavailable(GovernanceError):
    """The evaluation process could not be started; nothing is wrong with the document."""

    code = "evaluation_unavailable"


class EvaluationBusy(EvaluationUnavailable):
    """All evaluation processes are at work; the same may be evaluated in a moment."""

    code = "busy"
