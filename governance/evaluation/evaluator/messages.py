"""Length-prefixed messages between the server and the evaluation process."""

import struct
from typing import Any, Literal, TypeAlias

import msgspec

from governance.core.errors import Problem
from governance.texts.dialect import Dialect

HEADER = struct.Struct(">I")
MAX_MESSAGE = 64 * 1024 * 1024
STOPPED = "Evaluation stopped to protect other projects: "

RuleType: TypeAlias = Literal["pre", "post", "sandbox"]
Decision: TypeAlias = Literal["allow", "warn", "block"]
Action: TypeAlias = Literal["allow", "warn", "redact", "ask", "block"]
Unasked: TypeAlias = Literal["", "disabled", "other_tool", "no_output", "session"]


class Read(msgspec.Struct, tag=True, frozen=True):
    """Validate and lint this document, and cache it."""

    text: str
    tools: list[str] | None  # all tools ever seen; None for no warnings about tools
    patience: float  # CPU seconds for the library's part
    seconds: float


class Load(msgspec.Struct, tag=True, frozen=True):
    """Validate this document, and cache it under this hash."""

    sha: str
    text: str
    patience: float  # CPU seconds for all work on it
    seconds: float


class Evaluate(msgspec.Struct, tag=True, frozen=True):
    sha: str
    calls: list[bytes]  # each the JSON of a WireCall: MessagePack has no integers beyond 64 bits
    patience: float  # CPU seconds per call
    seconds: float


class Judge(msgspec.Struct, tag=True, frozen=True):
    """Evaluate what an agent would do in many calls, without the messages of rules."""

    sha: str
    calls: list[bytes]  # each the JSON of a WireQuestion
    patience: float
    seconds: float


class Explain(msgspec.Struct, tag=True, frozen=True):
    """Explanation of one call: the values that each rule read."""

    sha: str
    call: bytes
    patience: float
    seconds: float


class Ready(msgspec.Struct, tag=True, frozen=True):
    library: str


class Finding(msgspec.Struct, frozen=True):
    """Problem in a document, in terms of the new format; `kind` selects the message."""

    kind: str
    path: list[str | int]
    at_key: bool = False
    names: list[str] = []
    detail: str = ""


class SessionRule(msgspec.Struct, frozen=True):
    id: str
    limits: dict[str, Any]
    mode: str


class Loaded(msgspec.Struct, tag=True, frozen=True):
    """Result of loading a document. With errors it is rejected and not cached."""

    errors: list[Finding] = []
    warnings: list[Finding] = []
    name: str = ""
    rules: int = 0
    session_rules: list[SessionRule] = []


class Reading(msgspec.Struct, tag=True, frozen=True):
    """Problems with positions, in the author's format. A rejected document has warnings too."""

    errors: list[Problem] = []
    warnings: list[Problem] = []
    name: str = ""
    rules: int = 0
    session_rules: list[SessionRule] = []
    dialect: Dialect | None = None  # None if the text can't be parsed
    sha: str = ""


class Need(msgspec.Struct, tag=True, frozen=True):
    """The requested document is not in the cache."""


class RuleResult(msgspec.Struct, frozen=True, array_like=True, gc=False):
    id: str
    type: RuleType
    passed: bool
    message: str | None
    observed: bool
    action: str  # as in the document; the library reports `warn` for every pre rule
    policy_error: bool


class Evaluation(msgspec.Struct, tag=True, frozen=True, gc=False):
    decision: Decision  # the library's decision
    action: Action  # what an agent would do
    rules: list[RuleResult]
    policy_error: bool


class NotEvaluated(msgspec.Struct, tag=True, frozen=True):
    code: Literal["invalid_call", "evaluation_limit"]
    detail: str


class Results(msgspec.Struct, tag=True, frozen=True):
    """One result per call, or fewer if one took too long: that one is last."""

    results: list[Evaluation | NotEvaluated]


class Failed(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A rule that a call fails."""

    id: str
    type: RuleType
    observed: bool
    action: str  # as in the document


class Judged(msgspec.Struct, tag=True, frozen=True, gc=False):
    action: Action  # what an agent would do
    failed: list[Failed]  # in the order in which agents evaluate them


class Judgements(msgspec.Struct, tag=True, frozen=True):
    """None for a call that passes every rule. As in Results, there may be fewer than calls."""

    results: list[Judged | NotEvaluated | None]


class Saw(msgspec.Struct, frozen=True, array_like=True):
    """Value that a rule read, as the library parsed it from the call."""

    selector: str  # for a sandbox: paths, command or domains
    value: str  # JSON, truncated if long; empty if missing
    missing: bool
    note: str = ""


class ExplainedRule(msgspec.Struct, frozen=True, array_like=True):
    id: str
    type: Literal["pre", "post", "sandbox", "session"]
    passed: bool | None  # None if the rule was not evaluated; `unasked` says why
    message: str | None  # as written if the rule was not evaluated
    observed: bool
    action: str
    applies: bool  # the rule is enabled and covers this tool
    saw: list[Saw]
    error: bool
    unasked: Unasked


class Explanation(msgspec.Struct, tag=True, frozen=True):
    """Evaluation of one call, with all rules in the order of the document."""

    decision: Decision
    action: Action
    error: bool
    rules: list[ExplainedRule]


class WireCall(msgspec.Struct, frozen=True, array_like=True):
    tool_name: str
    tool_args: dict[str, Any]
    principal: msgspec.Raw  # many calls have the same
    output: str | None
    environment: str


class WireQuestion(msgspec.Struct, frozen=True, array_like=True):
    """Call as it was stored; fields that no rule reads are not decoded."""

    tool_name: str
    tool_args: dict[str, Any]
    principal: msgspec.Raw
    environment: str
    output: msgspec.Raw = msgspec.Raw(b"")  # any JSON; without it no post rule runs


Request: TypeAlias = Read | Load | Evaluate | Judge | Explain
Reply: TypeAlias = (
    Ready | Reading | Loaded | Need | Results | Judgements | Explanation | NotEvaluated
)
