"""Page of the component gallery, with its sample values."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from edictum_site.components import values
from edictum_site.components.charts import specimens
from governance.contracts.domain.snippets import contract_snippets

THEMES = ("light", "dark")


class SampleForm(forms.Form):
    environment = forms.ChoiceField(
        choices=[("production", "production"), ("staging", "staging")],
        help_text="The key works in this environment only.",
    )
    name = forms.SlugField(help_text="Letters, digits and dashes.")
    role = forms.ChoiceField(
        choices=[("viewer", "viewer: reads"), ("editor", "editor: also writes contracts")],
        widget=forms.RadioSelect,
    )
    second = forms.BooleanField(
        label="Require a second person", help_text="For production.", required=False
    )


def _limits() -> list[dict[str, Any]]:
    rows = [
        {"style": "executions", "words": "executions", "count": 100},
        {"style": "reported", "words": "as reported", "count": 91},
        {"style": "classified", "words": "successes", "count": 81},
    ]
    reached = {"name": "max_tool_calls", "limit": 100, "scale": 100, "state": "reached"}
    attempts = {"name": "max_attempts", "limit": 200, "scale": 200, "state": "not reached"}
    says = "Reached at call 112 counting executions."
    return [
        reached | {"rows": rows, "ruling": "Hit early", "says": says},
        attempts
        | {"rows": [{"style": "attempts", "words": "attempts", "count": 120}]}
        | {"quirk": "The agent lets 199 pass, not 200.", "assumed": True},
    ]


def _parts(theme: str) -> dict[str, Any]:
    """Components for one theme. Ids contain the theme, as the page has every component twice."""
    entries = [
        {"name": name, "url": "#", "icon": sign, "current": name == "Sessions", "count": count,
         "filled": filled, "counted": "of them"}
        for name, sign, count, filled in (
            ("Sessions", "sessions", 7, False),
            ("Approvals", "approvals", 4, True),
            ("Settings", "settings", 0, False),
        )
    ]  # fmt: skip
    wrong = {"environment": "production", "name": "Billing Check", "role": "viewer"}
    return {
        "name": theme,
        "form": SampleForm(wrong, auto_id=f"{theme}-%s"),
        "nav": [entries],
        "consoles": [
            {"ok": True, "words": "Up to date"},
            {"ok": False, "words": "Worker not responding · 3 batches queued"},
        ],
    }


@require_safe
def components(request: HttpRequest) -> HttpResponse:
    if not settings.DEBUG:
        raise Http404
    known = {
        "page_title": "Components",
        "themes": [_parts(theme) for theme in THEMES],
        "charts": list(specimens()),
        "limits": _limits(),
        "kinds": ["execution_result", "artifact_reference", "timeout", "failure", ""],
        "moment": values.NOW,
        "long": timedelta(minutes=27, seconds=45),
        "colours": ["canvas", "surface", "raised", "sunken", "hover", "selected"],
        "sorted_head": {"url": "#", "words": "fewest first", "current": True, "ascending": False},
        "sample_code": contract_snippets("billing", url="https://console.test", env="production"),
        "sample_project": SimpleNamespace(name="finance-agents", slug="finance-agents"),
    }
    return render(request, "components/page.html", known)
