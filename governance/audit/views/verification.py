"""Page that verifies the log, and the file of its signed heads."""

from django.db import DatabaseError
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from governance.audit.forms import VerifyForm
from governance.audit.queries import audit_length, audit_page_of
from governance.audit_log import heads_in, sign_head, signed_heads, verify
from governance.models import Project
from governance.people.auth import MemberRequest, member_page
from governance.web.forms import sent

NEWEST = 1_000  # heads in a file
SHOWN = 10


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@member_page()
def verification(request: MemberRequest) -> HttpResponse:
    project, form = request.project, VerifyForm(sent(request))
    if request.GET.get("format") == "txt":
        return _file_of_heads(project)
    context = {
        "page_title": "Verification",
        "form": form,
        "length": audit_length(project),
        "heads": list(reversed(signed_heads(project)))[:SHOWN],
    }
    if form.is_valid():
        copies = [
            head for head in heads_in(form.cleaned_data["heads"]) if head.project_id == project.pk
        ]
        broken = verify(project, copies)
        context |= {
            "is_verified": True,
            "broken": broken,
            "copies": len(copies),
            "before": audit_page_of(project, broken.number) if broken else None,
        }
    status = 422 if form.errors else 200
    return render(request, "audit/verification.html", context, status=status)


def _file_of_heads(project: Project) -> HttpResponse:
    """Signed heads as a text file, including one signed now."""
    _sign(project)
    lines = [f"{head}\n" for head in signed_heads(project)[-NEWEST:]]
    answer = HttpResponse("".join(lines), content_type="text/plain; charset=utf-8")
    name = f"{project.slug}-audit-heads-{timezone.now():%Y-%m-%d}.txt"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def with_signed_head(file: HttpResponseBase, project: Project) -> HttpResponseBase:
    """Add the log's signed head to an export, in the header `X-Audit-Head`."""
    file.headers["X-Audit-Head"] = _sign(project)
    return file


def _sign(project: Project) -> str:
    """Sign the log's head and return its line; empty if that isn't possible."""
    try:
        head = sign_head(project)
    except DatabaseError:  # for example a read-only one, from which the log can still be read
        return ""
    return str(head) if head else ""
