"""What is noticed of keys: its kinds, and how its subjects name a key."""

from governance.core.numbers import ID_DIGITS, whole_number

MANAGE_KEY = "manage_key_used_by_agent"  # what nothing ends but the end of the key's use
KEYS_OF_MEMBER = "keys_end_with_their_maker"  # what ends with the keys, or with the role


def subject_of_key(key_id: int, name: str) -> str:
    return f"{name} (key {key_id})"


def key_of(subject: str) -> int | None:
    """The id of the key that a subject names."""
    return whole_number(subject.rpartition(" (key ")[2].removesuffix(")"), ID_DIGITS)
