"""Pages of the docs."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from edictum_site.help.library import GROUPS, decisions, document_named
from governance.people.auth import signed_in_page


@require_safe
@signed_in_page
def docs(request: HttpRequest) -> HttpResponse:
    groups = [
        (title, [document for name in names if (document := document_named(name))])
        for title, names in GROUPS
    ]
    context = {"page_title": "Docs", "groups": groups, "decisions": decisions()}
    return render(request, "help/docs.html", context)


@require_safe
@signed_in_page
def doc(request: HttpRequest, name: str) -> HttpResponse:
    document = document_named(name)
    if document is None:
        raise Http404
    return render(request, "help/doc.html", {"page_title": document.title, "document": document})
