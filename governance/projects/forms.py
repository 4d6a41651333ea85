"""Form for projects. Commands validate it."""

from django import forms

from governance.web.forms import Form


class ProjectForm(Form):
    name = forms.CharField(
        label="Name", max_length=128, help_text="Agents, contracts and people of one team."
    )
