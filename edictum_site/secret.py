"""Secret key that signs cookies: configured, or generated once and stored in the data folder."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from edictum_site.env import env_secret


def secret_key(data: Path) -> str:
    given = env_secret("EDICTUM_SITE_SECRET_KEY")
    if given:
        return given
    file = data / "secret-key"
    if not file.exists():
        # Written to a draft, then linked: if two processes start at once, one wins and neither
        # reads a partial key.
        draft = data / f"secret-key.{os.getpid()}"
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as target:
            target.write(secrets.token_urlsafe(50))
        with suppress(FileExistsError):
            os.link(draft, file)
        draft.unlink()
    return file.read_text(encoding="ascii")
