"""Template tags and filters."""

from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.template import Context, Template
from django.utils.safestring import SafeString

from edictum_site.templatetags.display import KINDS, VERDICT_SIGNS, with_code
from outcomes.models import Call

SPRITE = (settings.BASE / "static" / "icons.svg").read_text()


@pytest.fixture(autouse=True)
def _plain_file_names(settings):
    # Hashed file names exist only after collecting static files.
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}


def shown(source: str, **values: object) -> str:
    return Template("{% load display people %}" + source).render(Context(values)).strip()


def test_every_outcome_type_has_its_own_icon_and_label():
    assert set(KINDS) == set(Call.Kind.values)
    assert len({shape for shape, _ in KINDS.values()}) == len(KINDS)


@pytest.mark.parametrize("name", [*(s for s, _ in KINDS.values()), *VERDICT_SIGNS.values()])
def test_every_icon_is_in_the_sprite(name):
    assert f'<symbol id="{name}"' in SPRITE


def test_an_outcome_tag_has_its_type_and_denial_reason():
    html = shown('{% outcome "denied" "limit" %}')
    assert "is-denied" in html
    assert "Denied" in html
    assert "limit" in html


def test_a_reason_is_escaped_even_if_the_same_safe_string_was_rendered_before():
    for reason in (SafeString("<b>limit</b>"), "<b>limit</b>"):
        html = shown('{% outcome "denied" reason %}', reason=reason)
    assert "&lt;b&gt;limit" in html
    assert "<b>limit" not in html


def test_an_open_call_is_running_until_it_is_late():
    assert "Running" in shown('{% outcome "" %}')
    assert "No result reported" in shown('{% outcome "" reported_late=True %}')


def test_a_missing_verdict_has_its_reason():
    assert 'title="Nothing was judged"' in shown('{% verdict None "Nothing was judged" %}')


def test_a_rate_includes_its_count_and_interval():
    html = shown("{% rate 1532 1889 %}")
    assert "81.1 %" in html
    assert "of 1,889" in html
    assert "95 % interval 79.3 % to 82.8 %" in html


def test_a_rate_is_red_only_if_its_interval_is_below_the_target():
    assert "bad-text" in shown("{% rate 1532 1889 0.93 %}")
    assert "bad-text" not in shown("{% rate 4 5 0.93 %}")


def test_a_rate_without_calls_is_not_zero():
    assert "none ran" in shown("{% rate 0 0 %}")
    assert "unknown" in shown("{% rate 0 0 ran=3 %}")


def test_times_are_rendered_in_utc_without_javascript():
    html = shown("{% local_time at %}", at=datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC))
    assert 'datetime="2020-01-02T03:04:05+00:00"' in html
    assert 'title="2020-01-02 03:04:05 +00:00"' in html
    assert ">2 Jan 2020</time>" in html


def test_values_beyond_an_axis_are_clamped():
    assert shown("{{ 120|along:100 }} {{ 25|along:100 }} {{ 5|along:0 }}") == "100.00% 25.00% 0%"


def test_a_share_of_zero_is_a_dash():
    assert shown("{{ 0|share_of:0|percent }}") == "\N{EN DASH}"


def test_only_backticks_become_markup():
    words = "`<b>` is no key. Did you mean `b`? One ` alone stays, and so does <i>."
    assert with_code(words) == (
        "<code>&lt;b&gt;</code> is no key. Did you mean <code>b</code>? "
        "One ` alone stays, and so does &lt;i&gt;."
    )


def test_punctuation_directly_follows_a_time():
    html = shown("Since {% local_time at %}, by", at=datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC))
    assert "</time>, by" in html


def test_a_long_name_can_break_between_its_words():
    def broken(name: str) -> str:
        return shown("{{ name|breakable }}", name=name)

    assert broken("warehouse_lookup") == '<span class="nowrap">warehouse_lookup</span>'
    assert broken("<b>") == "&lt;b&gt;"
    assert broken("a_tool_with_a_rather_long_name") == (
        "a_<wbr>tool_<wbr>with_<wbr>a_<wbr>rather_<wbr>long_<wbr>name"
    )
    assert broken("<b>/" * 9).startswith("&lt;b&gt;/<wbr>&lt;b&gt;/")


def test_a_key_is_displayed_without_its_id():
    assert shown("{% actor who %}", who="key:12 release") == "key release"
    assert shown("{% actor who %}", who="person:a@example.test") == "a@example.test"
