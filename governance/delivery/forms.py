"""Forms of assignments."""

from collections.abc import Iterable

from django import forms

from governance.delivery.commands.assignments import LONGEST_AGENT, MOST_TAGS
from governance.web.forms import Form


class AssignmentForm(Form):
    bundle_name = forms.ChoiceField(
        label="Contract", error_messages={"invalid_choice": "Choose an existing contract."}
    )
    environment = forms.CharField(
        max_length=128,
        help_text="A new name creates a new environment.",
        widget=forms.TextInput(attrs={"list": "environments", "autocomplete": "off"}),
    )
    agent_id = forms.CharField(
        label="Agents",
        max_length=LONGEST_AGENT,
        initial="*",
        help_text="A name or a glob. * matches anything, ? one character.",
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocomplete": "off"}),
    )
    tags = forms.CharField(
        required=False,
        help_text="One name=value per line. An agent needs all of them.",
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
    )
    priority = forms.IntegerField(
        initial=0, help_text="The highest priority wins, then more tags, then the newest."
    )

    def __init__(self, data: object, bundles: Iterable[str], **kwargs: object) -> None:
        super().__init__(data, **kwargs)
        self.fields["bundle_name"].choices = [(name, name) for name in bundles]  # type: ignore[attr-defined]

    def clean_tags(self) -> dict[str, str]:
        lines = [line.strip() for line in self.cleaned_data["tags"].splitlines() if line.strip()]
        if len(lines) > MOST_TAGS or any("=" not in line for line in lines):
            raise forms.ValidationError(f"Write up to {MOST_TAGS} lines of name=value.")
        pairs = (line.partition("=") for line in lines)
        return {name.strip(): value.strip() for name, _, value in pairs}


def tags_text(tags: dict[str, str]) -> str:
    return "\n".join(f"{name}={value}" for name, value in sorted(tags.items()))
