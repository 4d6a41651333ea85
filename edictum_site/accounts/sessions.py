"""Sessions of the signed-in user."""

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from edictum_site.accounts.profile import person
from governance.people.auth import signed_in_page
from governance.people.commands.sessions import end_sessions
from governance.people.queries.sessions import open_sessions
from governance.people.words import browser_words, ended_words


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in_page
def sessions(request: HttpRequest) -> HttpResponseBase:
    user = person(request)
    rows = open_sessions(user, request.session.session_key or "")
    if request.method == "POST":
        chosen = request.POST.get("session", "")
        ids = [each.id for each in rows if not each.is_current and chosen in ("", str(each.id))]
        messages.success(request, ended_words(end_sessions(user, ids=ids)))
        return redirect("account_sessions")
    context = {
        "page_title": "Sessions",
        "rows": [(each, browser_words(each.browser)) for each in rows],
    }
    return render(request, "account/sessions.html", context)
