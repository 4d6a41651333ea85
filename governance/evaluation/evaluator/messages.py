"""Messages between the server and the evaluation process, each with its length."""

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
    """Say all there is to say of this document, and keep it ready."""

    text: str
    tools: list[str] | None  # all that were ever seen; without them, no word about tools
    patience: float  # seconds of the processor, for what the library does
    seconds: float


class Load(msgspec.Struct, tag=True, frozen=True):
    """Validate this document, and keep it ready under this name."""

    sha: str
    text: str
    patience: float  # seconds of the processor, for all that is done for it
    seconds: float


class Evaluate(msgspec.Struct, tag=True, frozen=True):
    sha: str
    calls: list[bytes]  # each the JSON of a WireCall: MessagePack has no integers beyond 64 bits
    patience: float  # seconds of the processor that one call may take
    seconds: float


class Judge(msgspec.Struct, tag=True, frozen=True):
    """Actions of an agent for many calls, without the words for them."""

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
    """Something in a document, told in the words of the new dialect; `kind` says how to read it."""

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
    """Refused when there are errors; only then is nothing kept."""

    errors: list[Finding] = []
    warnings: list[Finding] = []
    name: str = ""
    rules: int = 0
    session_rules: list[SessionRule] = []


class Reading(msgspec.Struct, tag=True, frozen=True):
    """In the author's dialect, each problem at its place. Warnings are there for a refused document
    too."""

    errors: list[Problem] = []
    warnings: list[Problem] = []
    name: str = ""
    rules: int = 0
    session_rules: list[SessionRule] = []
    dialect: Dialect | None = None  # none when the text cannot even be read
    sha: str = ""


class Need(msgspec.Struct, tag=True, frozen=True):
    """The requested document is not in the cache."""


class RuleResult(msgspec.Struct, frozen=True, array_like=True, gc=False):
    id: str
    type: RuleType
    passed: bool
    message: str | None
    observed: bool
    action: str  # what the document says; the library reports `warn` for every pre rule
    policy_error: bool


class Evaluation(msgspec.Struct, tag=True, frozen=True, gc=False):
    decision: Decision  # the library's word
    action: Action  # what an agent would do
    rules: list[RuleResult]
    policy_error: bool


class NotEvaluated(msgspec.Struct, tag=True, frozen=True):
    code: Literal["invalid_call", "evaluation_limit"]
    detail: str


class Results(msgspec.Struct, tag=True, frozen=True):
    """Fewer than there were calls when one took too long: that is the last of them."""

    results: list[Evaluation | NotEvaluated]


class Failed(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A rule that a call does not pass."""

    id: str
    type: RuleType
    observed: bool
    action: str  # what the document says


class Judged(msgspec.Struct, tag=True, frozen=True, gc=False):
    action: Action  # what an agent would do
    failed: list[Failed]  # in the order in which agents ask them


class Judgements(msgspec.Struct, tag=True, frozen=True):
    """None for a call that passes every rule; fewer of them as in Results."""

    results: list[Judged | NotEvaluated | None]


class Saw(msgspec.Struct, frozen=True, array_like=True):
    """Value that a rule read: the library's own reading of the call."""

    selector: str  # of a sandbox: paths, command or domains
    value: str  # JSON, cut when long; empty when missing
    missing: bool
    note: str = ""


class ExplainedRule(msgspec.Struct, frozen=True, array_like=True):
    id: str
    type: Literal["pre", "post", "sandbox", "session"]
    passed: bool | None  # none for a rule that was not asked; `unasked` says why
    message: str | None  # of a rule that was not asked: as it is written
    observed: bool
    action: str
    applies: bool  # it is switched on and about this tool
    saw: list[Saw]
    error: bool
    unasked: Unasked


class Explanation(msgspec.Struct, tag=True, frozen=True):
    """An evaluation of one call, with all rules in the order of the document."""

    decision: Decision
    action: Action
    error: bool
    rules: list[ExplainedRule]


class WireCall(msgspec.Struct, frozen=True, array_like=True):
    tool_name: str
    tool_args: dict[str, Any]
    principal: msgspec.Raw  # of many calls it is the same
    output: str | None
    environment: str


class WireQuestion(msgspec.Struct, frozen=True, array_like=True):
    """Call as it was stored; fields that no rule reads are not decoded."""

    tool_name: str
    tool_args: dict[str, Any]
    principal: msgspec.Raw
    environment: str
    output: msgspec.Raw = msgspec.Raw(b"")  # any JSON; without it no post rule is asked


Request: TypeAlias = Read | Load | Evaluate | Judge | Explain
Reply: TypeAlias = (
    Ready | Reading | Loaded | Need | Results | Judgements | Explanation | NotEvaluated
)
