"""An agent's connection to the console: address, API key, and outcome queue."""

from __future__ import annotations

import asyncio
import logging
import os
import ssl
import weakref
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, TypedDict, overload

from edictum_site_client import recording
from edictum_site_client.checks import SuccessCheck, check_of, default_check
from edictum_site_client.guard import GuardSink
from edictum_site_client.items import What, item
from edictum_site_client.masking import Masking
from edictum_site_client.named_checks import CheckUnavailable, Followed, NamedCheck
from edictum_site_client.outbox import Family
from edictum_site_client.outcomes import ToolOutcome
from edictum_site_client.recording import Call, Circumstances, Function, Options
from edictum_site_client.refreshing import Refresher
from edictum_site_client.sdk_events import event_of
from edictum_site_client.sending import Delivery, Sender
from edictum_site_client.transport import File, Transport
from edictum_site_client.values import encoded

FAREWELL = 1.0  # seconds to wait for the refresher thread to exit

logger = logging.getLogger("edictum_site_client")


class GuardOptions(TypedDict):
    """Keyword arguments for `Edictum(…)`, `Edictum.from_yaml(…)` and `Edictum.from_server(…)`."""

    success_check: Callable[[str, Any], bool]
    audit_sink: GuardSink


class Console:
    """Client of one console. Threads, event loops and guards can share it; idle until used."""

    def __init__(
        self,
        url: str,
        *,
        api_key: str,
        agent_id: str = "default",
        success_check: SuccessCheck | None = None,
        masking: Masking | None = None,
        flush_interval: float = 0.5,
        refresh_interval: float = 30.0,
        exit_timeout: float = 5.0,
        request_timeout: float = 10.0,
        max_waiting: int = 20_000,
        max_waiting_bytes: int = 64_000_000,
        ssl_context: ssl.SSLContext | None = None,
        allow_insecure: bool = False,
    ) -> None:
        if not api_key or not api_key.isascii() or not api_key.isprintable():
            raise ValueError("api_key is empty, or has characters that no key has.")
        if not agent_id or not agent_id.isascii() or not agent_id.isprintable():
            raise ValueError("agent_id is empty or has characters that HTTP headers do not allow.")
        self.url = url.rstrip("/")
        self.agent_id = agent_id
        self.success_check = check_of(success_check)
        self.masking = masking or Masking()
        self.exit_timeout = exit_timeout
        headers = {"Authorization": f"Bearer {api_key}", "X-Edictum-Agent-Id": agent_id}

        def transport() -> Transport:
            return Transport(
                self.url,
                headers,
                timeout=request_timeout,
                tls=ssl_context,
                allow_insecure=allow_insecure,
            )

        self._new_transport = transport
        self._refresher = Refresher(transport(), refresh_interval)
        self._followed: weakref.WeakValueDictionary[tuple[str, int | None], Followed] = (
            weakref.WeakValueDictionary()
        )
        self._sender = Sender(
            transport(),
            interval=flush_interval,
            at_exit=exit_timeout,
            most=max_waiting,
            most_bytes=max_waiting_bytes,
        )

    def __repr__(self) -> str:
        return f"Console({self.url!r}, agent_id={self.agent_id!r})"

    def guard_options(
        self,
        success_check: SuccessCheck | str | None = None,
        *,
        fallback: SuccessCheck | None = None,
    ) -> GuardOptions:
        """Options for one guard. A check's name is shorthand for `check(name, fallback=…)`."""
        if isinstance(success_check, str):
            success_check = self.check(success_check, fallback=fallback)
        sink = GuardSink(self, check_of(success_check))
        return {"success_check": sink.success_check, "audit_sink": sink}

    def check(
        self,
        name: str,
        *,
        version: int | None = None,
        fallback: SuccessCheck | None = None,
        cache: str | os.PathLike[str] | None = None,
    ) -> NamedCheck:
        """Success check stored on the console: its newest version, or a pinned one.

        Fetches the check once, then refreshes it in the background. If the console is unreachable
        and `cache` has no copy, `fallback` is used until a fetch succeeds; without a fallback,
        this raises.
        """
        followed = self._followed.get((name, version))
        if followed is None:
            followed = Followed(name, version, Path(cache) if cache is not None else None)
            followed.read_file()
            followed = self._followed.setdefault((name, version), followed)
        if followed.held is None or followed.held.origin == "file":
            self._refresher.follow(followed)
        if followed.held is None and fallback is None:
            raise CheckUnavailable(
                f"The success check {name} could not be fetched: {followed.last_error}"
            )
        return NamedCheck(followed, self._refresher, check_of(fallback))

    async def acheck(
        self,
        name: str,
        *,
        version: int | None = None,
        fallback: SuccessCheck | None = None,
        cache: str | os.PathLike[str] | None = None,
    ) -> NamedCheck:
        return await asyncio.to_thread(
            self.check, name, version=version, fallback=fallback, cache=cache
        )

    @overload
    def tool(self, tool: Function, /) -> Function: ...

    @overload
    def tool(
        self,
        tool: str | None = None,
        /,
        *,
        idempotent: bool | None = None,
        retryable: bool = True,
        deadline_s: float | None = None,
        error_key: str | None = None,
    ) -> Callable[[Function], Function]: ...

    def tool(
        self,
        tool: Any = None,
        /,
        *,
        idempotent: bool | None = None,
        retryable: bool = True,
        deadline_s: float | None = None,
        error_key: str | None = None,
    ) -> Any:
        """Decorator that records a tool's calls: `@console.tool` or `@console.tool("name", …)`.

        With `error_key="error"`, returning `{"error": "no such user"}` counts as a failure.
        """

        def decorate(function: Function) -> Function:
            own = getattr(function, "__name__", type(function).__name__)
            name = tool if isinstance(tool, str) else own
            options = Options(name, idempotent, retryable, deadline_s, error_key)
            return recording.recorded(self, options, function)

        return decorate if tool is None or isinstance(tool, str) else decorate(tool)

    def call(
        self,
        tool_name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        call_id: str | None = None,
        session_id: str | None = None,
        turn_id: str | None = None,
        idempotent: bool | None = None,
        retryable: bool = True,
        deadline_s: float | None = None,
    ) -> Call:
        """Record a call: `with console.call("lookup", {"id": 7}) as call: call.returned(…)`."""
        options = Options(tool_name, idempotent, retryable, deadline_s)
        return Call(
            self, options, arguments, call_id=call_id, session_id=session_id, turn_id=turn_id
        )

    def record(
        self,
        outcome: ToolOutcome,
        *,
        arguments: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        turn_id: str | None = None,
        idempotent: bool | None = None,
        tool_success: bool | None = None,
        elapsed_ms: float | None = None,
        output_cut: bool = False,
    ) -> None:
        """Queue the outcome of a call that an executor ran. Never raises.

        `tool_success` is the success check's verdict if the outcome doesn't include the output,
        `elapsed_ms` is the duration if the output became an artifact, and `output_cut` means that
        the artifact holds only part of the output.
        """
        known = Circumstances(
            arguments, session_id, turn_id, idempotent, tool_success, elapsed_ms, output_cut
        )
        try:
            recording.record(self, outcome, known)
        except Exception:
            logger.exception("Edictum Site: an outcome could not be recorded")

    def session(self, session_id: str, turn_id: str | None = None) -> AbstractContextManager[None]:
        """Context that assigns calls recorded without a guard to this session."""
        return recording.session(session_id, turn_id)

    def judged(self, tool_name: str, result: Any) -> bool | None:
        """Verdict of the success check, or None (no verdict) if the check raised."""
        try:
            return bool((self.success_check or default_check)(tool_name, result))
        except Exception:
            logger.exception(
                "Edictum Site: the success check raised an error, so this call has no verdict"
            )
            return None

    def keep_outcome(self, what: What, about: Mapping[str, Any], **measures: Any) -> None:
        """Queue an outcome. Never raises, because reporting must not break the tool call."""
        try:
            self._keep("outcomes", item(what, about, self.masking, **measures))
        except Exception:
            logger.exception("Edictum Site: an outcome could not be queued")

    def keep_event(self, event: Any) -> None:
        """Queue an audit event of the SDK. Never raises."""
        try:
            self._keep("events", encoded(event_of(event, self)))
        except Exception:
            logger.exception("Edictum Site: an event could not be queued")

    def upload(self, content: bytes, media_type: str) -> None:
        """Upload an artifact in the background, before any outcome queued after it."""
        self._sender.put("artifacts", content, media_type)

    def fetch(self, path: str, headers: Mapping[str, str]) -> File:
        """Response of the console's API. Blocks, and raises network errors."""
        transport = self._new_transport()
        try:
            return transport.get(path, also=headers)
        finally:
            transport.close()

    def _keep(self, family: Family, body: bytes) -> None:
        self._sender.put(family, body)

    @property
    def delivery(self) -> Delivery:
        return self._sender.delivery

    def flush(self, timeout: float = 10.0) -> bool:
        """Wait for the queue to be sent; True if all of it reached the console in time."""
        return self._sender.flush(timeout)

    def close(self, timeout: float | None = None) -> bool:
        """Stop accepting items and send the queue. This also happens at process exit."""
        done = self._sender.close(self.exit_timeout if timeout is None else timeout)
        self._refresher.close(FAREWELL)
        return done

    async def aflush(self, timeout: float = 10.0) -> bool:
        return await asyncio.to_thread(self.flush, timeout)

    async def aclose(self, timeout: float | None = None) -> bool:
        return await asyncio.to_thread(self.close, timeout)

    def __enter__(self) -> Console:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Console:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()
