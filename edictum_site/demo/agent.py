"""A simulated agent: a guard of the real SDK, tools that return at once, and its reports."""

import base64
import random
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from edictum import Edictum, EdictumDenied, EdictumToolError, Principal

from edictum_site.demo.approvals import Asking, NobodyAnswered
from edictum_site.demo.clock import Clock
from edictum_site.demo.door import Door
from edictum_site.demo.outbox import Outbox
from edictum_site.demo.sink import ShiftingSink

SIDE_EFFECTS = {"read": True, "pure": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Result of a simulated tool call."""

    output: Any = None
    elapsed_ms: float = 40.0
    error: str = ""  # message of the exception raised
    deadline_s: float = 0.0  # deadline exceeded; 0: none
    retryable: bool = True
    artifact: str = ""  # name of the artifact, if the tool stored its output itself
    size_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    name: str
    environment: str
    bundle: str = ""  # empty: no contract governs it
    tools: dict[str, str]  # side effect by tool
    principal: dict[str, Any] = field(default_factory=dict)


class Agent:
    def __init__(
        self,
        profile: Profile,
        *,
        door: Door,
        person: Door,
        outbox: Outbox,
        clock: Clock,
        chance: random.Random,
    ) -> None:
        self.profile, self.door, self.clock, self.chance = profile, door, clock, chance
        self._person, self._outbox = person, outbox
        self._guard: Edictum | None = None
        self._sink: ShiftingSink | None = None
        self.asking: Asking | None = None
        self._session = self._turn = ""

    def load_contract(self) -> None:
        """Fetch the deployed contract, as an agent does at startup."""
        profile = self.profile
        if not profile.bundle:
            return
        query = f"rulesets/{profile.bundle}/current?env={profile.environment}"
        text = base64.b64decode(self.door.ask("GET", query)["yaml_bytes"])
        self._sink = ShiftingSink(self._outbox, profile.name, self.clock, self.chance)
        self.asking = Asking(self.door, self._person, self.clock)
        self._guard = Edictum.from_yaml_string(
            text,
            tools={
                name: {"side_effect": effect, "idempotent": effect in SIDE_EFFECTS}
                for name, effect in profile.tools.items()
            },
            audit_sink=self._sink,
            environment=profile.environment,
            principal=Principal(**profile.principal) if profile.principal else None,
            approval_backend=self.asking,
        )

    def begin(self, session: str, parent: str = "") -> None:
        self._session, self._turn = session, "turn-1"
        if self._sink is not None:
            self._sink.parent_session = parent

    def turn(self, number: int) -> None:
        self._turn = f"turn-{number}"

    async def call(
        self, tool: str, args: dict[str, Any], answer: Answer, retry_of: str = ""
    ) -> str:
        """Make a call and report its outcome; returns its id."""
        if self._guard is None or self._sink is None:
            call_id = self._new_id()
            self.clock.pass_seconds(answer.elapsed_ms / 1_000)
            self._report(call_id, tool, args, answer, retry_of)
            return call_id
        self._sink.retry_of = retry_of
        try:
            await self._guard.run(tool, args, self._tool(answer), session_id=self._session)
        except EdictumDenied:
            return str(self._sink.last["call_id"])
        except EdictumToolError:
            pass  # reported below
        event = self._sink.last
        self._report(str(event["call_id"]), tool, event["tool_args"], answer, retry_of)
        return str(event["call_id"])

    async def ask_and_wait(self, tool: str, args: dict[str, Any]) -> None:
        """Request approval of a call and leave it pending."""
        if self.asking is None:
            return
        self.asking.answer = ""
        with suppress(NobodyAnswered):
            await self.call(tool, args, Answer())

    def refuse(self, tool: str, args: dict[str, Any], reason: str, details: str = "") -> None:
        """Report a call that the agent's own executor denied."""
        outcome = {"type": "denied", "reason": reason, "details": details}
        self._put(self._new_id(), tool, args, outcome)

    def leave_open(self, tool: str, args: dict[str, Any]) -> None:
        """Report a call that was allowed and is still running."""
        about = self._about(self._new_id(), tool, args)
        about |= {"action": "call_allowed", "mode": "enforce"}
        self._outbox.put("events", about)

    def _tool(self, answer: Answer) -> Callable[..., Any]:
        def tool(**_: Any) -> Any:
            self.clock.pass_seconds(answer.elapsed_ms / 1_000)
            if answer.deadline_s:
                raise TimeoutError(f"no answer within {answer.deadline_s:g} s")
            if answer.error:
                raise RuntimeError(answer.error)
            return answer.output

        return tool

    def _report(
        self, call_id: str, tool: str, args: dict[str, Any], answer: Answer, retry_of: str
    ) -> None:
        outcome: dict[str, Any] = {"elapsed_ms": answer.elapsed_ms}
        if answer.deadline_s:
            outcome |= {"type": "timeout", "deadline_s": answer.deadline_s}
        elif answer.error:
            outcome |= {"type": "failure", "error": answer.error, "retryable": answer.retryable}
        elif answer.artifact:
            outcome |= {"type": "artifact_reference", "artifact_id": answer.artifact}
            outcome |= {"summary": str(answer.output)[:200], "size_bytes": answer.size_bytes}
        else:
            outcome |= {"type": "execution_result", "output": answer.output}
        if self._guard is None:
            outcome["tool_success"] = not (answer.error or answer.deadline_s)
        if retry_of:
            outcome["parent_call_id"] = retry_of
        self._put(call_id, tool, args, outcome)

    def _put(self, call_id: str, tool: str, args: dict[str, Any], outcome: dict[str, Any]) -> None:
        self._outbox.put("outcomes", self._about(call_id, tool, args) | outcome)

    def _about(self, call_id: str, tool: str, args: dict[str, Any]) -> dict[str, Any]:
        effect = self.profile.tools.get(tool, "irreversible")
        return {
            "call_id": call_id,
            "tool_name": tool,
            "tool_args": args,
            "agent_id": self.profile.name,
            "session_id": self._session,
            "turn_id": self._turn,
            "timestamp": self.clock.iso_time(),
            "side_effect": effect,
            "idempotent": effect in SIDE_EFFECTS,
            "principal": self.profile.principal or None,
            "policy_version": self._guard.policy_version if self._guard else None,
        }

    def _new_id(self) -> str:
        return str(uuid.UUID(int=self.chance.getrandbits(128), version=4))
