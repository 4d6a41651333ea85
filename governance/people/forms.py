"""Forms for people, keys and environments. Commands decide what is valid."""

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone

from governance.core.deployment_requests import Required
from governance.core.roles import Role
from governance.models import ApiKey, Member
from governance.people.domain import Scope
from governance.web.forms import Form

ROLES = [
    (Role.VIEWER.value, "viewer: read only"),
    (Role.OPERATOR.value, "operator: also decides approvals, resets sessions, stops agents"),
    (Role.EDITOR.value, "editor: also writes contracts and checks, and deploys"),
    (Role.ADMIN.value, "admin: also manages keys, members and settings"),
]
ROLES_THERE = [
    ("", "as in the project"),
    (Role.OPERATOR.value, "operator: decides approvals, stops agents"),
    (Role.EDITOR.value, "editor: also deploys and assigns"),
    (Role.ADMIN.value, "admin: also deploys although tests fail"),
]
SCOPES = [
    (Scope.AGENT.value, "agent: everything an agent needs, reporting included"),
    (Scope.INGEST.value, "ingest: report events, outcomes and artifacts only"),
    (Scope.READ.value, "read: read everything in this project"),
    (Scope.MANAGE.value, "manage: everything an admin can do except members"),
]
EXPIRES = [
    ("", "Never"),
    ("7", "In 7 days"),
    ("30", "In 30 days"),
    ("90", "In 90 days"),
    ("365", "In 1 year"),
]


class SetUpForm(Form):
    email = forms.CharField(
        label="Email", widget=forms.EmailInput(attrs={"autocomplete": "username"})
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
        label="Name", max_length=128, help_text="For example the agent that uses it."
    )
    environment = forms.CharField(
        label="Environment",
        max_length=128,
        initial="production",
        help_text="A new name creates a new environment.",
        widget=forms.TextInput(attrs={"list": "environments", "autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label="Scopes",
        choices=SCOPES,
        initial=[Scope.AGENT.value],
        widget=forms.CheckboxSelectMultiple,
    )
    agent = forms.CharField(
        label="Restrict to agents",
        max_length=128,
        required=False,
        help_text="A glob such as `billing-*`. Empty: any agent.",
    )
    assigned_only = forms.BooleanField(
        label="Assigned contracts only",
        required=False,
        help_text="Other contracts are hidden from this key.",
    )
    dialect = forms.ChoiceField(
        label="Contract format",
        required=False,
        choices=[("", "Automatic"), ("old", "Old"), ("new", "New")],
    )
    expires = forms.ChoiceField(label="Expires", required=False, choices=EXPIRES)

    def __init__(self, *args: Any, max_days: int | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if max_days is not None:
            self.fields["expires"] = forms.ChoiceField(
                label="Expires",
                required=False,
                choices=[("", f"in {max_days} days"), *_within(max_days)],
                help_text=f"Keys of this project expire after at most {max_days} days.",
            )

    def key_fields(self) -> dict[str, Any]:
        """Arguments of the command that creates a key."""
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


def _within(max_days: int) -> list[tuple[str, str]]:
    return [(days, text) for days, text in EXPIRES if days and int(days) < max_days]


class KeyLimitsForm(Form):
    networks = forms.CharField(
        label="Allowed networks",
        required=False,
        help_text="One per line in CIDR form, such as `10.0.0.0/8`. Empty: any address.",
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
    )
    requests_per_minute = forms.IntegerField(
        label="Requests per minute",
        required=False,
        min_value=1,
        help_text="Empty: no limit. The session store isn't limited.",
    )
    items_per_minute = forms.IntegerField(
        label="Items per minute",
        required=False,
        min_value=1,
        help_text="Outcomes and events. Empty: no limit.",
    )

    @staticmethod
    def of(key: ApiKey) -> dict[str, Any]:
        return {
            "networks": "\n".join(key.networks),
            "requests_per_minute": key.requests_per_minute,
            "items_per_minute": key.items_per_minute,
        }

    def limits(self) -> dict[str, Any]:
        return self.cleaned_data | {"networks": self.cleaned_data["networks"].split()}


class RotateForm(Form):
    overlap_hours = forms.TypedChoiceField(
        label="The old value stays valid for",
        coerce=int,
        initial="24",
        choices=[
            ("0", "0 hours: it ends now"),
            ("1", "1 hour"),
            ("24", "24 hours"),
            ("168", "7 days"),
            ("720", "30 days"),
        ],
    )


class ExpiryForm(Form):
    max_days = forms.IntegerField(
        label="Keys expire after at most (days)",
        required=False,
        min_value=1,
        max_value=3_650,
        help_text="Empty: no limit. Keys that would live longer expire then.",
    )


class InviteForm(Form):
    email = forms.CharField(label="Email", widget=forms.EmailInput(attrs={"autocomplete": "off"}))
    role = forms.ChoiceField(label="Role", choices=ROLES, initial=Role.VIEWER.value)


class RoleForm(Form):
    role = forms.ChoiceField(label="Role", choices=ROLES)

    def __init__(self, *args: Any, member: Member, environments: list[str], **kwargs: Any) -> None:
        there = member.environment_roles
        self.places = {f"in_{number}": name for number, name in enumerate(environments)}
        initial = {field: there.get(name, "") for field, name in self.places.items()}
        super().__init__(*args, initial={"role": member.role, **initial}, **kwargs)
        for field, name in self.places.items():
            self.fields[field] = forms.ChoiceField(
                label=f"In {name}", choices=ROLES_THERE, required=False
            )

    def environment_roles(self) -> dict[str, Role]:
        chosen = {name: self.cleaned_data[field] for field, name in self.places.items()}
        return {name: Role(role) for name, role in chosen.items() if role}


class SecondFactorForm(Form):
    required = forms.BooleanField(
        label="Require a second factor",
        required=False,
        help_text="Members without one add one before they see this project."
        " API keys are not affected.",
    )


class RequirementsForm(Form):
    second_person = forms.BooleanField(
        label="Require approval by a second person",
        required=False,
        help_text="Requesters can't approve their own deployments."
        " A newer version cancels the request.",
    )
    backtest = forms.BooleanField(label="Require a backtest of this exact version", required=False)
    max_newly_denied = forms.IntegerField(
        label="Max newly denied calls",
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text="Among the recorded calls of the backtest. Empty: 0.",
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
