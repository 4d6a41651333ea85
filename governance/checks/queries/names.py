"""What is wrong with the name of a check, at its place in the text."""

from governance.core.errors import Problem
from governance.texts.metadata import about_the_name


def renamed_check(document: bytes | str, name: str) -> Problem:
    """A version bears the name of its check."""
    message = (
        f"The name of this check is `{name}`: its versions are counted by it. "
        "Begin a new check to have this text under another name."
    )
    return about_the_name(document, message, fix=name)


def taken_check(document: bytes | str, name: str) -> Problem:
    message = f"There is a check `{name}` already: give this one another name, or edit that one."
    return about_the_name(document, message)


def shipped_name(document: bytes | str, name: str) -> Problem:
    message = f"`{name}` comes with the console: give this check another name."
    return about_the_name(document, message, fix=f"our-{name}")
