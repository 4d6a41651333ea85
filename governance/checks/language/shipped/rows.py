"""Maps each built-in rule to its row in the shapes reference, and to whether it may be suggested.

Only structural evidence is suggested: a flag's value, a status code, a non-null error. Wording is
never suggested, nor anything that a tool may return normally, such as no results or no content.
Suggestions come from the rule that decides when the whole check runs: an earlier rule may be more
specific. If several checks recognize a shape, the first one listed here is suggested, so specific
checks come first.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from governance.checks.language.shipped.reference import ROWS, Row


class Followed(NamedTuple):
    row: Row
    suggest: bool


def followed(check: str, rule: str) -> Followed | None:
    return FOLLOWED.get(check, {}).get(rule)


def suggested() -> Iterator[tuple[str, str]]:
    """Check and rule of each suggestion, specific checks first."""
    for check, rules in FOLLOWED.items():
        for rule, (_, suggest) in rules.items():
            if suggest:
                yield check, rule


# Rules of each check by row. Rules after a bar are not suggested.
_WRITTEN: Final = {
    "mcp": (
        "1: is-error; 2: protocol-error; 3: structured-flag structured-error structured-status "
        "text-flag text-error text-status | text-begins-with-error; 4: | input-required; "
        "67: | not-a-result; 1.6: | elicitation"
    ),
    "opentelemetry": (
        "28: mcp-is-error; 1.2: timed-out error-type error-type-listed span-error | span-unset"
    ),
    "a2a": "1.7: failed error | rejected canceled pending",
    "anthropic": (
        "6: tool-result; 7: server-tool-time server-tool-denied server-tool-busy server-tool; "
        "8: return-code; 9: api-busy api-error"
    ),
    # The general rule below suggests an error with a type.
    "openai": (
        "10: output-flag output-error | output-text output-part output-dict; 11: mcp-call; "
        "12: shell-timeout shell-exit; 13: | api-error; 14: | agents-sdk"
    ),
    "gemini": "15: function-response; 16: code-deadline code-failed",
    "bedrock": (
        "17: tool-result content-flag content-error; "
        "18: reprompt failure status | confirmation-denied"
    ),
    "crewai": "21: failure-retryable failure error-event | text",
    "semantic-kernel": "22: metadata-error metadata-exception | value-error invocation",
    "autogen": "23: is-error all-errors some-errors",
    # Without the fields of a message part, an outcome can mean anything.
    "pydantic-ai": "24: retry-prompt | failed retried denied interrupted",
    "vercel-ai": "25: tool-error output-error | denied",
    # The general rule below suggests a status of "error".
    "langchain": "19: | status; 20: | content content-block",
    "strands": "26: | status",
    "google-adk": "27: | status error",
    "nanobot": "54: | hint text",
    "graphql": "35: partial errors",
    "grpc": "36: deadline denied retryable status status-object status-message | cancelled",
    "google-api": "37: rate-limited deadline denied status code | cancelled",
    "aws": (
        "38: throttled exception error-code; 39: function-error function-raised; "
        "40: proxy-body proxy-status; 41: failed-records failed-entries unprocessed"
    ),
    "elasticsearch": "42: error bulk-all bulk-some timed-out shards",
    "http": (
        "43: several-all several-some; 47: rate-limited retry-later | rate-limit-named; "
        "29: timed-out status status-text code; 31: problem"
    ),
    "http-content": "30: | redirect no-content empty-body; 59: | null-body no-body",
    "sql": "57: try-again sqlstate errno",
    "shell": (
        "48: exit-code code; 49: timed-out cannot-run ended killed; 50: | nothing-found; "
        "51: error-output | only-error-output"
    ),
    "rest-errors": "44: typed-error documented-message; 47: rate-limited",
    "json-rpc": "5: error batch-all batch-some; 67: | neither",
    "flags": (
        "32: not-ok; 33: error-code; 47: rate-limited; "
        "34: no-success success-zero not-succeeded status-error status-failed error "
        "| status-failed-alone"
    ),
    "wrapped": (
        "63: text-flag text-error text-status field-flag field-error twice-flag twice-error; "
        "64: inner-flag inner-error"
    ),
    "batch": "65: all-failed many-failed some-failed",
    "soap": "45: | fault",
    "html": "46: | page",
    "challenge": "68: | challenge sign-in refused",
    "python-traceback": "52: | text error-output output",
    "crashes": "53: | text error-output",
    "error-text": "54: | prefix",
    "sql-rows": "55: | no-rows; 56: | nothing-changed",
    "search": "58: | no-hits",
    "plain-values": "59: | is-null; 60: | blank; 61: | is-false",
    "text-values": "62: | result result-status flag is-error status",
    "truncated": "66: | error-at-its-start truncated pointer marker",
    "slow": "69: | too-late",
}


def _read(written: str) -> Mapping[str, Followed]:
    rules: dict[str, Followed] = {}
    for part in written.split(";"):
        key, _, names = part.strip().partition(":")
        open_, _, behind = names.partition("|")
        rules |= {name: Followed(ROWS[key], suggest=True) for name in open_.split()}
        rules |= {name: Followed(ROWS[key], suggest=False) for name in behind.split()}
    return rules


FOLLOWED: Final[Mapping[str, Mapping[str, Followed]]] = {
    check: _read(written) for check, written in _WRITTEN.items()
}
