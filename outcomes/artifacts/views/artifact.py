"""Page of one artifact: a piece of its content, and the calls that refer to it or read it."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.contracts.queries.naming import documents_naming
from governance.core.errors import NotFound
from governance.core.figures import counted, without_marks
from governance.core.numbers import ID_DIGITS, parse_number
from governance.people.auth import MemberRequest, member_page
from governance.web.exports import offer_part
from governance.web.table_files import Tables, one_of_tables
from outcomes.artifacts.domain.pieces.kinds import Shown
from outcomes.artifacts.queries.artifacts import artifact_with
from outcomes.artifacts.queries.calls import calls_reading, calls_referring_to
from outcomes.artifacts.queries.list import makers_of, uses_of
from outcomes.artifacts.queries.pieces import Piece, Place, piece_of
from outcomes.artifacts.tables import NAMING
from outcomes.models import Artifact, ArtifactUse, Call
from outcomes.record.arguments import arguments_text
from outcomes.stored.queries import PLACE_BY_TIME, read_calls, with_names
from outcomes.web.addresses import ELSEWHERE, artifact_url
from outcomes.web.paging import every, links_of, page_of, shown_part, start_of, with_query
from outcomes.web.tables import CALLS

REFERRING: Final = 20
READING: Final = 20
IN_A_FILE: Final = 500  # per query
WORDS: Final = {
    Shown.TEXT: "Text",
    Shown.JSON: "JSON",
    Shown.TABLE: "Table",
    Shown.IMAGE: "Picture",
    Shown.BYTES: "Bytes",
}


@require_safe
@member_page()
def artifact(request: MemberRequest, artifact_id: str) -> HttpResponseBase:
    is_elsewhere = artifact_id == ELSEWHERE
    name = request.GET.get("id", artifact_id) if is_elsewhere else artifact_id
    uses = uses_of(request.project.pk, name)
    stored = _stored(request, name, uses)
    if stored is None and not uses:
        raise NotFound("Artifact not found.")
    here = artifact_url(request.project.slug, name)
    start = start_of(request.GET, PLACE_BY_TIME)
    referring = page_of(
        with_names(calls_referring_to(request.project.pk, name)),
        PLACE_BY_TIME,
        size=REFERRING,
        before=start.before,
        after=start.after,
    )
    reads = sum(use.reads for use in uses)
    reading = list(with_names(calls_reading(request.project.pk, name))[:READING]) if reads else []
    calls = sum(use.calls for use in uses)
    piece = _piece(request, stored)
    context = {
        "page_title": name,
        "name": name,
        "artifact": stored,
        "uses": uses,
        "calls": calls,
        "reads": reads,
        "first_at": min((use.first_at for use in uses if use.first_at), default=None),
        "makers": makers_of(uses),
        "referring": [(row, "") for row in referring.rows],
        "reading": _requested_parts(reading, name),
        "links": links_of(referring, PLACE_BY_TIME, here),
        "size_bytes": stored.size_bytes if stored else max(use.size_bytes for use in uses),
        "sentence": _sentence(stored, referring.rows, calls, reads),
        "piece": piece,
        "here": here,
        **(_around(here, piece) if piece else {}),
    }
    tables: Tables = {
        "referring": (CALLS, _every(request.project.pk, name)),
        "reading": (CALLS, reading),
    }
    file = one_of_tables(request, request.project, tables)
    offer_part(request, "documents", "outcomes:artifact_documents", table="documents", of=name)
    return file or render(request, "artifacts/artifact.html", context)


def _every(project_id: int, name: str) -> Iterator[Call]:
    calls = with_names(calls_referring_to(project_id, name))
    return every(
        lambda before: page_of(calls, PLACE_BY_TIME, size=IN_A_FILE, before=before), PLACE_BY_TIME
    )


def _requested_parts(reading: Sequence[Call], name: str) -> list[tuple[Call, str]]:
    """Arguments of each call other than the artifact's name, usually the lines it read."""
    arguments_of = {call.row.pk: call.folded.tool_args for call in read_calls(reading)}
    parts = []
    for row in reading:
        arguments = arguments_of.get(row.pk)
        named = arguments.items() if isinstance(arguments, dict) else ()
        others = {key: value for key, value in named if name not in str(value)}
        parts.append((row, arguments_text(others) if others else ""))
    return parts


@require_safe
@member_page()
def artifact_documents(request: MemberRequest) -> HttpResponseBase:
    name = request.GET.get("of", "")
    context: dict[str, Any] = {
        "page_title": "Referenced by",
        "name": name,
        "naming": documents_naming(request.project, name),
    }
    part, page = "artifacts/_artifact_documents.html", "artifacts/artifact_part.html"
    file = one_of_tables(request, request.project, {"documents": (NAMING, context["naming"])})
    return file or shown_part(request, part, page, context)


def _stored(request: MemberRequest, name: str, uses: list[ArtifactUse]) -> Artifact | None:
    known = next((use.artifact for use in uses if use.artifact is not None), None)
    return known or artifact_with(request.project.pk, name, None)


def _piece(request: MemberRequest, stored: Artifact | None) -> Piece | None:
    if stored is None:
        return None
    line = _number(request, "line")
    place = Place(
        line=None if line is None else max(1, line),
        byte=_number(request, "byte"),
        container=_number(request, "in"),
        number=_number(request, "member") or 0,
        is_past=request.GET.get("past", "") == "1",
    )
    shown_as = request.GET.get("as", "")
    return piece_of(request.project.pk, stored.sha256, stored.media_type, shown_as, place)


def _number(request: MemberRequest, name: str) -> int | None:
    return parse_number(request.GET.get(name, "").strip().replace(",", ""), ID_DIGITS)


def _around(here: str, piece: Piece) -> dict[str, Any]:
    """Links to other pieces, and to other views of the same position."""
    as_now = "" if piece.shown == piece.ways[0] else piece.shown.value

    def at(byte: int | None, **more: str) -> str:
        if byte is None:
            return ""
        return with_query(here, **{"as": as_now}, byte=str(byte) if byte else "", **more)

    arguments_of: dict[str, Any] = {
        "ways": [
            (WORDS[way], _shown_as(here, piece, way), way == piece.shown) for way in piece.ways
        ],
        "as_now": as_now,
        "before_url": at(piece.before),
        "after_url": at(piece.after),
        "next_line_url": "",
    }  # fmt: skip
    if piece.next_line is not None:
        arguments_of["next_line_url"] = with_query(
            here, **{"as": as_now}, line=str(piece.next_line)
        )
    tree = piece.tree
    if tree is not None:
        within = {"in": str(piece.container)} if piece.container else {}
        arguments_of["last_member"] = tree.number + len(tree.members)
        arguments_of["after_url"] = at(
            piece.after, member=str(arguments_of["last_member"]), **within
        )
        last = tree.members[-1] if tree.members else None
        if last is not None and last.size is None:
            place = {"byte": str(last.at), "member": str(tree.number), "past": "1"}
            arguments_of["past_url"] = with_query(here, **{"as": as_now}, **within, **place)
        arguments_of["whole_url"] = with_query(here, **{"as": as_now}) if piece.container else ""
        arguments_of["members"] = [
            (each, with_query(here, **_deeper(each.kind, each.at, as_now))) for each in tree.members
        ]
    return arguments_of


def _shown_as(here: str, piece: Piece, way: Shown) -> str:
    """URL of another view, from the same position if both views use byte offsets."""
    place = str(piece.start) if {Shown.JSON, Shown.IMAGE} & {way, piece.shown} == set() else ""
    as_way = "" if way == piece.ways[0] else way.value
    return with_query(here, **{"as": as_way}, byte=place if place != "0" else "")


def _deeper(kind: str, at: int, as_now: str) -> dict[str, str]:
    """Query that opens a list or object as JSON, and a string as text from its start."""
    if kind in ("object", "list"):
        return {"as": as_now, "in": str(at)}
    return {"as": Shown.TEXT.value, "byte": str(at)}


def _sentence(stored: Artifact | None, newest: list[Call], calls: int, reads: int) -> str:
    whose = f"`{without_marks(newest[0].tool.name)}` output" if newest else "Artifact"
    references = counted(calls, "call") if calls else "no calls"
    place = "" if stored is not None or not calls else ", kept by the agent"
    return f"{whose}: {references}{place} · {_times(reads)}"


def _times(reads: int) -> str:
    return f"re-read {counted(reads, 'time')}" if reads else "never re-read"
