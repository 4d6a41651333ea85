"""The components page: only on a development server."""

import re

import pytest
from django.conf import settings
from django.http import Http404
from django.test import RequestFactory
from django.urls import NoReverseMatch, reverse

from edictum_site.components.charts import SIZES, specimens
from edictum_site.components.views import components
from edictum_site.templatetags.components import register as by_tags

TEMPLATES = settings.BASE / "templates"
# The page's own shell already contains these; including them again would nest a second shell.
OF_THE_SHELL = {
    *("account_menu", "export_menu", "head_links", "help_menu", "key_list", "keys", "scope"),
    "period_fields",
    "switches",
}


@pytest.mark.django_db
def test_the_components_page_is_404_in_production(client):
    assert client.get("/components/").status_code == 404
    with pytest.raises(NoReverseMatch):
        reverse("components")


def test_the_components_view_is_404_without_debug_mode():
    with pytest.raises(Http404):
        components(RequestFactory().get("/components/"))


def test_every_component_is_on_the_components_page():
    result = {path.stem for path in (TEMPLATES / "_components").glob("*.html")} - OF_THE_SHELL
    page = "".join(path.read_text() for path in (TEMPLATES / "components").glob("*.html"))
    included = set(re.findall(r"_components/([a-z_]+)\.html", page))
    # Through a template tag, or within another component.
    by_tag = {"outcome": "tag", "verdict": "verdict", "rate": "rate", "interval": "interval"}
    by_tag["local_time"] = "time"
    by_tag |= {name: name for name in by_tags.tags}
    included |= {name for tag, name in by_tag.items() if f"{{% {tag} " in page}
    for path in (TEMPLATES / "_components").glob("*.html"):
        if path.stem in included:
            included |= set(re.findall(r"_components/([a-z_]+)\.html", path.read_text()))
    assert result - included == set()


def test_every_chart_is_on_the_components_page_in_every_state():
    shown = {title: [specimen.title for specimen in each] for title, each in specimens()}
    others = shown.pop("Others")
    assert all(states == list(SIZES) for states in shown.values())
    assert "by time" in others
