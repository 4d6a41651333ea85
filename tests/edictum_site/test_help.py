"""Docs, version and glossary inside the console."""

import html
import re
import subprocess
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.urls import reverse

from edictum_site.help import library, release
from edictum_site.help.glossary import meanings
from edictum_site.help.markdown import render

LINK = re.compile(r'href="([^"]+)"')


@pytest.fixture
def pages(admin_client, project):
    admin_client.get(reverse("governance:settings", args=[project.slug]))
    return admin_client


def test_the_list_of_docs_has_every_file_of_the_docs_folder():
    listed = {name for _, names in library.GROUPS for name in names}
    assert listed == {name for name in library.documents() if not name.startswith(library.ADR)}


def test_every_link_in_the_docs_resolves_to_a_page_and_heading():
    broken = set()
    for name in library.documents():
        document = library.document_named(name)
        assert document is not None
        for link in LINK.findall(document.html):
            target = urlsplit(html.unescape(link))
            if target.scheme:
                continue
            there = target.path.removeprefix(reverse("help:docs")).rstrip("/") or name
            other = library.document_named(there)
            if other is None or (target.fragment and f'id="{target.fragment}"' not in other.html):
                broken.add((name, link))
    assert broken == set()


def test_html_and_scripts_in_a_document_are_escaped():
    text = "<script>alert(1)</script>\n\n[click](javascript:alert(1)) <b onclick=x>bold</b>\n"
    shown, _ = render(text, settings.BASE / "docs/api.md", {})
    assert "<script" not in shown
    assert "<b " not in shown
    assert "href=" not in shown


def test_a_docs_page_uses_the_shell_of_the_last_used_project(pages, project):
    page = pages.get(reverse("help:doc", args=["connect"]))
    assert page.status_code == 200
    assert page.context["project"] == project
    assert "pip install" in page.text
    assert "Design decisions" in pages.get(reverse("help:docs")).text
    assert "Unreleased" in pages.get(reverse("help:doc", args=["whats-new"])).text


@pytest.mark.parametrize("name", ["nothing", "../README", "adr/none", "../../etc/passwd"])
def test_files_outside_the_docs_are_404(pages, name):
    assert pages.get(f"/docs/{name}/").status_code == 404


def test_the_docs_require_sign_in(client):
    assert client.get(reverse("help:docs")).url.startswith(reverse("account_login"))


def test_the_help_menu_names_the_version_and_the_commit(pages, project):
    page = pages.get(reverse("governance:settings", args=[project.slug])).text
    assert f"Edictum Site {release.version()}" in page
    assert release.commit() in page


def test_the_commit_comes_from_the_repository_or_the_build_or_is_empty(monkeypatch, tmp_path):
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=settings.BASE, capture_output=True, text=True, check=True
    )
    monkeypatch.delenv(release.COMMIT, raising=False)
    assert release.commit.__wrapped__() == head.stdout[: release.SHOWN]
    monkeypatch.setattr(release, "ROOT", tmp_path)
    assert release.commit.__wrapped__() == ""
    monkeypatch.setenv(release.COMMIT, "0123456789abcdef")
    assert release.commit.__wrapped__() == "01234567"
    monkeypatch.setenv(release.COMMIT, "not a hash")
    assert release.commit.__wrapped__() == ""


def test_every_term_used_on_a_page_is_in_the_glossary():
    templates = [path.read_text() for path in (settings.BASE / "templates").rglob("*.html")]
    used = set(re.findall(r'\{% term "([^"]+)"', "\n".join(templates)))
    assert used
    assert used <= set(meanings())
    assert meanings()["denial"].startswith("A call that was not allowed to run, with its reason")
