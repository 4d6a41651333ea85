"""The forms for people, keys, projects and environments. What is valid, the commands say."""

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone

from governance.core.deployment_requests import Required
from governance.core.roles import Role
from governance.people.domain import Scope
from governance.web.forms import Form

ROLES = [
    (Role.VIEWER.value, "viewer: reads"),
    (Role.OPERATOR.value, "operator: also decides approvals, resets sessions, stops agents"),
    (Role.EDITOR.value, "editor: also writes contracts and checks, and deploys"),
    (Role.ADMIN.value, "admin: also manages keys, members and settings"),
]
SCOPES = [
    (Scope.AGENT.value, "agent: what an agent needs, posting included"),
    (Scope.INGEST.value, "ingest: only posting events, outcomes and artifacts"),
    (Scope.READ.value, "read: everything in this project"),
    (Scope.MANAGE.value, "manage: what an admin may, members excepted"),
]
EXPIRES = [
    ("", "never"),
    ("7", "in 7 days"),
    ("30", "in 30 days"),
    ("90", "in 90 days"),
    ("365", "in a year"),
]


class SetUpForm(Form):
    email = forms.CharField(
        label="E-mail", widget=forms.EmailInput(attrs={"autocomplete": "username"})
    )
    password = forms.CharField(
        label="Password",
        strip=False,
        help_text="At least 10 characters.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class JoinForm(Form):
    password = forms.CharField(
        label="Password",
        strip=False,
        help_text="At least 10 characters.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class KeyForm(Form):
    name = forms.CharField(
        label="Name", max_length=128, help_text="What it is for, such as the agent that uses it."
    )
    environment = forms.CharField(
        label="Environment",
        max_length=128,
        initial="production",
        help_text="A new name makes a new environment.",
        widget=forms.TextInput(attrs={"list": "environments", "autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label="Scopes",
        choices=SCOPES,
        initial=[Scope.AGENT.value],
        widget=forms.CheckboxSelectMultiple,
    )
    agent = forms.CharField(
        label="Only for agents like",
        max_length=128,
        required=False,
        help_text="A glob, such as billing-*. Empty: any agent.",
    )
    assigned_only = forms.BooleanField(
        label="Assigned contracts only",
        required=False,
        help_text="Another contract asked for by name is not found.",
    )
    dialect = forms.ChoiceField(
        label="Dialect of contracts",
        required=False,
        choices=[("", "by the prefix of the request"), ("old", "old"), ("new", "new")],
    )
    expires = forms.ChoiceField(label="Ends", required=False, choices=EXPIRES)

    def wanted(self) -> dict[str, Any]:
        """What the command that makes a key takes."""
        data = self.cleaned_data
        days = data["expires"]
        return {
            "name": data["name"],
            "env": data["environment"],
            "scopes": data["scopes"],
            "agent": data["agent"],
            "assigned_only": data["assigned_only"],
            "dialect": data["dialect"],
            "expires": timezone.now() + timedelta(days=int(days)) if days else None,
        }


class InviteForm(Form):
    email = forms.CharField(label="E-mail", widget=forms.EmailInput(attrs={"autocomplete": "off"}))
    role = forms.ChoiceField(label="Role", choices=ROLES, initial=Role.VIEWER.value)


class RoleForm(Form):
    role = forms.ChoiceField(label="Role", choices=ROLES)


class RequirementsForm(Form):
    second_person = forms.BooleanField(
        label="A second person approves what goes live.",
        required=False,
        help_text="Who asks cannot approve. Saving a newer version voids the request.",
    )
    backtest = forms.BooleanField(
        label="A backtest of exactly these bytes is needed first.", required=False
    )
    max_newly_denied = forms.IntegerField(
        label="At most so many newly denied calls",
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text="Of the calls that were recorded there. Empty means none.",
    )

    @staticmethod
    def of(required: Required) -> dict[str, Any]:
        most = required.max_newly_denied
        return {
            "second_person": required.second_person,
            "backtest": most is not None,
            "max_newly_denied": most,
        }

    def required(self) -> Required:
        data = self.cleaned_data
        return Required(
            second_person=data["second_person"],
            max_newly_denied=(data["max_newly_denied"] or 0) if data["backtest"] else None,
        )
