"""One agent's stream: the documents it was sent, and its queue of messages."""

import asyncio
import itertools
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from governance.delivery.news import Connected
from governance.delivery.queries.documents import ServedDocument
from governance.delivery.queries.streams import StreamRequest, Target
from governance.delivery.stream import events

MOST_WAITING = 16  # messages; a slower client is disconnected and catches up when it reconnects

Mark = tuple[str, str | None]  # of a document: its hash and signature
Form = Callable[[ServedDocument], bytes]
_number = itertools.count(1)


class Postbox:
    """Builds each message once for all streams that get it."""

    def __init__(self) -> None:
        self._made: dict[tuple[Form, int], bytes] = {}
        self._documents: list[ServedDocument] = []  # references, so that ids stay unique

    def message(self, form: Form, document: ServedDocument) -> bytes:
        key = (form, id(document))
        if key not in self._made:
            self._documents.append(document)
            self._made[key] = form(document)
        return self._made[key]


class Stream:
    """Stream to one agent with a bounded queue; `cut` closes its connection at once."""

    __slots__ = (
        "_closed",
        "_cut",
        "_sent",
        "_waiting",
        "_wakes",
        "admitted",
        "number",
        "request",
        "revision",
        "since",
    )

    def __init__(self, request: StreamRequest, cut: Callable[[], None]) -> None:
        self.request = request
        self.number = next(_number)
        self.since = time.time()
        self.revision = request.revision
        self.admitted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._cut = cut
        self._waiting: deque[bytes] = deque()
        self._wakes: asyncio.Future[None] | None = None
        self._closed = False
        # Trust the revision that the agent reports; its signature is unknown.
        self._sent: dict[str, Mark] = (
            {request.bundle: (request.revision, "")} if request.bundle else {}
        )

    def presence(self) -> Connected:
        request = self.request
        return Connected(
            request.agent, request.environment, request.bundle, self.revision, self.since
        )

    def take(self, target: Target, postbox: Postbox) -> bool:
        """Queue what this agent doesn't have yet; returns whether there was anything."""
        sent: dict[str, Mark] = {}
        news, bundle = [], self.request.bundle
        if target.document is not None:
            form, name = events.update_of, target.document.name
            # If nothing is assigned, a stop has no name and is not an assignment.
            if target.by_assignment and name and name not in self._sent:
                form = events.assignment_of
            news += self._news_of(target.document, form, sent, postbox)
            if news or not self.revision:
                self.revision = target.document.revision_hash
            bundle = name
        notices = [
            notice
            for document in target.others
            for notice in self._news_of(document, events.notice_of, sent, postbox)
        ]
        if notices:  # as one message, because the queue is short
            news.append(b"".join(notices))
        if (bundle, target.by_assignment) != (self.request.bundle, self.request.by_assignment):
            # Only if changed: this copy is the slowest step here, and rarely needed.
            self.request = replace(self.request, bundle=bundle, by_assignment=target.by_assignment)
        self._sent = sent or self._sent
        for message in news:
            self.post(message)
        return bool(news)

    def post(self, message: bytes) -> None:
        if len(self._waiting) >= MOST_WAITING:
            self.close()
        elif not self._closed:
            self._waiting.append(message)
            self._wake()

    def still_here(self) -> None:
        """Queue a comment to keep the connection alive, unless a message is already waiting."""
        if not self._waiting:
            self.post(events.STILL_HERE)

    def close(self) -> None:
        """Close the stream and drop its queue, which a stalled client wouldn't read."""
        if not self._closed:
            self._closed = True
            self._waiting.clear()
            self._wake()
            self._cut()

    async def next(self) -> bytes:
        """Next message; empty once the stream has ended."""
        while not self._waiting and not self._closed:
            self._wakes = asyncio.get_running_loop().create_future()
            await self._wakes
        return self._waiting.popleft() if self._waiting else b""

    def _news_of(
        self,
        document: ServedDocument,
        form: Form,
        sent: dict[str, Mark],
        postbox: Postbox,
    ) -> list[bytes]:
        mark = (document.revision_hash, document.signature)
        sent[document.name] = mark
        revision, signature = self._sent.get(document.name, ("", ""))
        same = revision == mark[0] and signature in ("", mark[1])
        return [] if same else [postbox.message(form, document)]

    def _wake(self) -> None:
        if self._wakes is not None and not self._wakes.done():
            self._wakes.set_result(None)
