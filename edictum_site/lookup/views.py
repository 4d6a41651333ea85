"""The search of a project as a page, its results for the palette, and the list of keys."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_http_methods, require_safe

from edictum_site.lookup.found import Group, found_for
from edictum_site.lookup.places import Place
from edictum_site.shell import GROUPS
from governance.people.auth import MemberRequest, member_page
from governance.people.commands.people import choose_keys
from outcomes.core.scope import NAMES
from outcomes.lookup.queries import A_FEW
from outcomes.web.sentences import number_word

OF_NAVIGATION = tuple(Place(*entry) for group in GROUPS for entry in group)


@require_safe
@member_page()
def search(request: MemberRequest) -> HttpResponse:
    text, groups = _found(request)
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
    _, groups = _found(request)
    # Without what every page shows around its content: nobody sees it here.
    return HttpResponse(render_to_string("lookup/_options.html", {"groups": groups}))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page()
def keyboard(request: MemberRequest) -> HttpResponse:
    """The list, and what of it this person wants."""
    if request.method == "POST":
        choose_keys(request.user, single=request.POST.get("single") == "on")
        if request.headers.get("HX-Request") == "true":
            return HttpResponse(status=204)
        return redirect("lookup:keyboard", slug=request.project.slug)
    return render(request, "lookup/keyboard.html", {"page_title": "Keyboard shortcuts"})


def _found(request: MemberRequest) -> tuple[str, list[Group]]:
    text = request.GET.get("q", "").strip()
    return text, found_for(request, text, OF_NAVIGATION)


def _sentence(text: str, number: int, *, is_cut: bool) -> str:
    if not text:
        return "Search this project"
    if not number:
        return "Nothing here is called so."
    if is_cut:
        return f"At most {number_word(A_FEW)} of each kind are shown of what fits."
    return "One thing fits." if number == 1 else f"{number_word(number).capitalize()} things fit."
