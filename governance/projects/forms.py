"""The form of a project. What is valid, the commands say."""

from django import forms

from governance.web.forms import Form


class ProjectForm(Form):
    name = forms.CharField(
        label="Name", max_length=128, help_text="Agents, contracts and people of one team."
    )
