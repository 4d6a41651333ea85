"""Patterns of a tool's newest outputs: a part of its page with its own URL."""

from typing import Final

from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.web.table_files import one_of_tables
from outcomes.artifacts.views.small_outputs import OutputsAtHand
from outcomes.check_editor.queries.newest_results import newest_in
from outcomes.check_editor.queries.trial import read_results
from outcomes.check_editor.words import unread_sentences
from outcomes.suggestions.domain.result_shapes import results_by_shape
from outcomes.suggestions.domain.shapes import shape_of
from outcomes.tools.tables import SHAPES
from outcomes.tools.views.named import named_tool
from outcomes.web.addresses import tool_url
from outcomes.web.paging import shown_part
from outcomes.web.scope import scope_of

SHOWN: Final = 12


@require_safe
@member_page()
def tool_results(request: MemberRequest) -> HttpResponseBase:
    scope = scope_of(request)
    tool = named_tool(request, request.GET.get("of", ""), scope).tool
    rows, environments = newest_in(tool, scope)
    verdicts = {row.id: row.verdict for row in rows}
    read = read_results(rows, environments, OutputsAtHand(request.project.pk, rows).read)
    shapes = results_by_shape(
        (each, shape_of(each.output), verdicts[each.call]) for each in read.results
    )
    context = {
        "page_title": tool.name,
        "name": tool.name,
        "tool_at": tool_url(request.project.slug, tool.name, **scope.query()),
        "what": "patterns of its outputs",
        "shapes": shapes[:SHOWN],
        "shapes_of": len(shapes),
        "results": len(read.results),
        "unread": unread_sentences(read.unread),
        "may_write": may(request.role, Action.WRITE_CHECK),
    }
    file = one_of_tables(request, request.project, {"shapes": (SHAPES, shapes)})
    return file or shown_part(request, "tools/_tool_results.html", "tools/tool_part.html", context)
