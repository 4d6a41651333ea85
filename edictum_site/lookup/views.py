"""Search page of a project, its results for the palette, and the list of keyboard shortcuts."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_http_methods, require_safe

from edictum_site.lookup.hits import Group, hits_for
from edictum_site.lookup.places import Place
from edictum_site.pages.shell import GROUPS
from governance.core.figures import counted
from governance.people.auth import MemberRequest, member_page
from governance.people.commands.people import choose_keys
from outcomes.core.scope import NAMES
from outcomes.lookup.queries import A_FEW

LONGEST_SHOWN = 40  # characters of a query in the headline
OF_NAVIGATION = tuple(Place(*entry) for group in GROUPS for entry in group)


@require_safe
@member_page()
def search(request: MemberRequest) -> HttpResponse:
    text, groups = _hits(request)
    number = sum(len(group.items) for group in groups)
    is_cut = any(len(group.items) == A_FEW for group in groups)
    return render(
        request,
        "lookup/search.html",
        {
            "page_title": "Search",
            "text": text,
            "groups": groups,
            "sentence": _sentence(text, number, is_cut=is_cut),
            "kept": [(name, request.GET[name]) for name in NAMES if request.GET.get(name)],
        },
    )


@require_safe
@member_page()
def options(request: MemberRequest) -> HttpResponse:
    _, groups = _hits(request)
    # Rendered without the request, which skips the queries of the page frame.
    return HttpResponse(render_to_string("lookup/_options.html", {"groups": groups}))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page()
def keyboard(request: MemberRequest) -> HttpResponse:
    """List of keyboard shortcuts, and the setting for single-key shortcuts."""
    if request.method == "POST":
        choose_keys(request.user, single=request.POST.get("single") == "on")
        if request.headers.get("HX-Request") == "true":
            return HttpResponse(status=204)
        return redirect("lookup:keyboard", slug=request.project.slug)
    return render(request, "lookup/keyboard.html", {"page_title": "Keyboard shortcuts"})


def _hits(request: MemberRequest) -> tuple[str, list[Group]]:
    text = request.GET.get("q", "").strip()
    return text, hits_for(request, text, OF_NAVIGATION)


def _sentence(text: str, number: int, *, is_cut: bool) -> str:
    if not text:
        return "Search this project"
    named = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
    quoted = f"\N{LEFT DOUBLE QUOTATION MARK}{named}\N{RIGHT DOUBLE QUOTATION MARK}"
    if not number:
        return f"No matches for {quoted}"
    if is_cut:
        return f"Results for {quoted}: top {A_FEW} of each type"
    return f"{counted(number, 'result')} for {quoted}"
