"""Environments: one exists from the first key, deployment or binding that names it."""

import re

from governance.core.errors import InvalidInput
from governance.models import Environment, Project
from governance.models.projects import ENVIRONMENT_NAME


def environment_named(project: Project, name: str) -> Environment:
    """The environment of this name, made if there is none yet."""
    if not re.match(ENVIRONMENT_NAME, name):
        message = (
            "The name of an environment begins with a letter or digit and goes on with letters, "
            "digits, `.`, `_` or `-`, at most 128."
        )
        raise InvalidInput.at("env", message)
    return Environment.objects.get_or_create(project=project, name=name)[0]
