"""Search hits grouped by kind, with the matching part of each."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.urls import reverse

from edictum_site.lookup.places import Place, places_like
from edictum_site.templatetags.display import KINDS
from governance.checks.queries.lookup import Named, documents_like
from governance.core.figures import size
from governance.people.auth import MemberRequest
from outcomes.core.scope import ALL, CHOSEN, NAMES, TIMES
from outcomes.lookup import queries as lookup
from outcomes.search.domain.cells import matching_part
from outcomes.search.domain.language import QueryError, parse
from outcomes.search.queries.hits import search
from outcomes.stored.queries import ANY_CALL
from outcomes.web.addresses import agent_url, artifact_url, call_url, session_url, tool_url
from outcomes.web.paging import with_query

WITHOUT_TEXT: Final = 100  # pages listed without a search text: all, as there are few


@dataclass(frozen=True, slots=True)
class Hit:
    words: tuple[str, str, str]  # text before the match, the match, and text after it
    url: str
    why: str = ""
    at: datetime | None = None
    icon: str = ""  # if different from its group's


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    icon: str
    items: list[Hit] = field(default_factory=list)


def hits_for(request: MemberRequest, text: str, among: tuple[Place, ...]) -> list[Group]:
    """Groups of hits: names first, then ids, then pages. Empty groups are omitted."""
    project, slug = request.project, request.project.slug
    carried = {name: value for name in NAMES if (value := request.GET.get(name, ""))}

    # On pages of one entry, the environment may identify it, so the scope's has another name.
    times = {name: value for name, value in carried.items() if name in TIMES}
    parameters = times | {there: carried[name] for name, there in CHOSEN.items() if name in carried}

    def to(view: str) -> str:
        return with_query(reverse(view, args=[slug]), **carried)

    def document(name: str, view: str, which: str) -> Hit:
        return Hit(_split(name, text), with_query(reverse(view, args=[slug, name]), **times), which)

    def versions(rows: list[Named], view: str) -> list[Hit]:
        return [document(name, view, f"v{number}" if number else "draft") for name, number in rows]

    names, documents = lookup.names_like(project.pk, text), documents_like(project, text)
    places = places_like(text, request.role, among=among)[: lookup.A_FEW if text else WITHOUT_TEXT]
    groups = [
        Group(
            "Agents",
            "agents",
            [
                Hit(_split(name, text), with_query(agent_url(slug, name), **times))
                for name in names.agents
            ],
        ),
        Group(
            "Tools",
            "tools",
            [Hit(_split(name, text), tool_url(slug, name, **carried)) for name in names.tools],
        ),
        Group("Contracts", "contracts", versions(documents.contracts, "governance:contract")),
        Group(
            "Success checks",
            "checks",
            [
                *versions(documents.checks, "governance:check"),
                *(document(name, "governance:check", "shipped") for name in documents.shipped),
            ],
        ),
        Group("Sessions", "sessions", _sessions(request, text, parameters)),
        Group("Calls", "eye", _calls(request, text, parameters)),
        Group("In arguments and outputs", "search", _in_calls(request, text, parameters)),
        Group("Artifacts", "artifacts", _artifacts(request, text)),
        Group(
            "Pages",
            "right",
            [Hit(_split(place.words, text), to(place.view), icon=place.icon) for place in places],
        ),
    ]
    return [group for group in groups if group.items]


def _sessions(request: MemberRequest, text: str, parameters: dict[str, str]) -> list[Hit]:
    return [
        Hit(
            _split(row.session_id, text),
            session_url(request.project.slug, row.session_id, row.environment, **parameters),
            f"{row.agent or 'unknown'} · {row.environment}",
            row.at,
        )
        for row in lookup.sessions_like(request.project.pk, text)
    ]


def _calls(request: MemberRequest, text: str, parameters: dict[str, str]) -> list[Hit]:
    return [
        Hit(
            _split(row.call_id, text),
            call_url(request.project.slug, row.call_id, row.environment, **parameters),
            f"{row.tool} · {KINDS[row.kind][1].lower()}",
            row.at,
        )
        for row in lookup.calls_like(request.project.pk, text)
    ]


def _in_calls(request: MemberRequest, text: str, parameters: dict[str, str]) -> list[Hit]:
    """Calls that contain the text, newest first, and a link to all of them."""
    try:
        query = parse(text)
    except QueryError:
        return []
    if not query:
        return []
    slug = request.project.slug
    hits = search(request.project.pk, query, ANY_CALL, size=lookup.A_FEW - 1)
    calls = [
        Hit(
            words,
            call_url(slug, row.call_id, row.environment.name, **parameters),
            f"{row.tool.name} · {KINDS[row.kind][1].lower()}",
            row.at,
        )
        for row in hits.rows
        if row.pk in hits.contents and (words := matching_part(hits.contents[row.pk], query))[1]
    ]
    if not calls:
        return []
    every = with_query(reverse("outcomes:calls", args=[slug]), q=query.text, range=ALL)
    return [*calls, Hit(("All matching calls", "", ""), every)]


def _artifacts(request: MemberRequest, text: str) -> list[Hit]:
    return [
        Hit(
            _split(row.name, text.removeprefix("sha256:")),
            artifact_url(request.project.slug, row.name),
            f"{row.media_type or 'kept by the agent'} · {size(row.size_bytes)}",
            row.at,
        )
        for row in lookup.artifacts_like(request.project.pk, text)
    ]


def _split(words: str, text: str) -> tuple[str, str, str]:
    at = words.casefold().find(text.casefold()) if text else -1
    if at < 0 or len(words.casefold()) != len(words):
        return words, "", ""
    return words[:at], words[at : at + len(text)], words[at + len(text) :]
