"""The editor of contracts or checks, used without JavaScript."""

import html
import re

from django.test import Client
from django.urls import reverse

from governance.core.roles import Role
from governance.models import Member, Project
from tests import builders


class Editor:
    """One person's browser without JavaScript: it submits the form on the page with changes."""

    draft, named = "draft", {"bundle_name": "d"}

    def __init__(self, project: Project) -> None:
        self.member: Member = builders.a_member(project, Role.EDITOR)
        self.client: Client = builders.signed_in(self.member.user)
        self.slug = project.slug

    def address(self, part: str = "edit", **which: object) -> str:
        named = dict(which or self.named)
        return reverse(f"governance:{part}_{self.draft}", kwargs={"slug": self.slug} | named)

    def fields(self, page: str) -> dict[str, str]:
        matches = dict(re.findall(r'type="hidden"[^>]* name="(\w+)" value="([^"]*)"', page))
        text = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.DOTALL)
        return matches | {"text": html.unescape(text[1])} if text else matches

    def send(self, page: str, act: str = "save", *, at: str = "", **changes: str):
        fields = self.fields(page) | {"act": act} | changes
        return self.client.post(at or self.address(), fields, follow=True)

    def open(self) -> str:
        return self.client.get(self.address()).text


class CheckEditor(Editor):
    draft, named = "check_draft", {"check_name": "n"}


def heading(page: str) -> str:
    match = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)
    shown = re.sub(r"<span[^>]* hidden>.*?</span>", "", match[1] if match else "")
    return html.unescape(re.sub(r"<[^>]+>", "", shown)).strip()
