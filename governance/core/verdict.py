"""The three verdicts on a result."""

from enum import StrEnum


class Verdict(StrEnum):
    SUCCESS = "success"
    FAILURE = "failure"
    UNKNOWN = "unknown"
