"""The three verdicts on a call."""

from enum import StrEnum


class Verdict(StrEnum):
    SUCCESS = "success"
    FAILURE = "failure"
    UNKNOWN = "unknown"
