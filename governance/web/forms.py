"""Base class of all forms: shows errors from commands at their fields."""

from django import forms
from django.http import HttpRequest, QueryDict

from governance.core.errors import GovernanceError


def sent(request: HttpRequest) -> QueryDict | None:
    """Posted data, even if empty; None if the form was not submitted."""
    return request.POST if request.method == "POST" else None


class Form(forms.Form):
    """A form that reports all errors itself after submission, instead of the browser."""

    use_required_attribute = False

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # whatever a form takes
        for field in self.fields.values():
            field.error_messages["required"] = "Required."

    def take(self, error: GovernanceError) -> None:
        """Show the error of a command at its field."""
        for problem in error.errors:
            field = FIELD_OF.get(problem.path, problem.path)
            self.add_error(field if field in self.fields else None, problem.message)
        if not error.errors:
            self.add_error(None, str(error))


FIELD_OF = {"env": "environment"}
