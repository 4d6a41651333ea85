"""Name filters made of globs. No globs match every name."""

from collections.abc import Collection

from governance.matching.globs import glob_matches


def is_named(name: str, globs: Collection[str]) -> bool:
    return not globs or any(glob_matches(glob, name) for glob in globs)
