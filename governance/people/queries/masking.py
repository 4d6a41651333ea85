"""Masking before storing, as configured for a project."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from governance.core.masks.stored import OwnPattern, StoredMasking
from governance.matching.call import Call
from governance.matching.patterns import Matches, pattern_of
from governance.models import DetectorTotal, MaskingRules

_PROJECTS: Final = 256  # whose compiled rules a process caches


def masking_rules(project_id: int) -> MaskingRules | None:
    return MaskingRules.objects.filter(project=project_id).first()


def masking_of(project_id: int) -> StoredMasking | None:
    """Masking before storing, or None for a project that masks on display."""
    return masking_by(masking_rules(project_id))


def masking_in(environment_id: int) -> StoredMasking | None:
    """Masking of the project that an environment belongs to."""
    return masking_by(MaskingRules.objects.filter(project__environments=environment_id).first())


def masking_by(rules: MaskingRules | None) -> StoredMasking | None:
    if rules is None or not rules.before_storing:
        return None
    return compiled_masking(rules)


def compiled_masking(rules: MaskingRules, *, is_saved: bool = True) -> StoredMasking:
    """Compiled masking rules. Saved ones are cached, trial ones are not."""
    key = (rules.project_id, rules.revision, bytes(rules.salt))
    known = _known(key) if is_saved else []
    if not known:
        own = [_own_pattern(each) for each in rules.patterns]
        known.append(StoredMasking(_key(*key), rules.detectors, own))
    return known[0]


def detector_totals(project_id: int) -> dict[str, DetectorTotal]:
    """Totals of masked values by detector."""
    return {each.detector: each for each in DetectorTotal.objects.filter(project=project_id)}


@lru_cache(maxsize=_PROJECTS)
def _known(key: tuple[int, int, bytes]) -> list[StoredMasking]:
    return []


def _own_pattern(stored: dict[str, object]) -> OwnPattern:
    matches = pattern_of(stored["automaton"])  # type: ignore[arg-type]  # as the command stored it
    return OwnPattern(str(stored["name"]), _search_of(matches), bool(stored["inside"]))


def _search_of(matches: Matches) -> Callable[[str], bool]:
    """Search function that also returns True if the text was not searched to its end."""
    return lambda text: matches(text, True, Call("", None, None)) is not False  # noqa: FBT003


def _key(project_id: int, _revision: int, salt: bytes) -> bytes:
    # Derived from the secret key, so that a copy of the database isn't enough to guess values.
    purpose = f"edictum-site: masks of project {project_id}".encode()
    secret = settings.SECRET_KEY.encode()
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=purpose).derive(secret)
