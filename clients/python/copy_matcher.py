"""Copies what carries out success checks from the console into the agents' package.

Both run the same text; only the name of the package in its imports is another one, of the same
length so that lines stay as they are.
"""

from pathlib import Path

ROOT = Path(__file__).parents[2]
CONSOLE = ROOT / "governance" / "checks" / "language"
AGENTS = Path(__file__).parent / "src" / "edictum_site_client" / "site"
FILES = ("matcher.py", *(f"matching/{file.name}" for file in CONSOLE.glob("matching/*.py")))


def copy_of(file: str) -> str:
    text = (CONSOLE / file).read_text(encoding="utf-8")
    return text.replace("governance.checks.language", "edictum_site_client.site")


def copy() -> None:
    for file in FILES:
        target = AGENTS / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(copy_of(file), encoding="utf-8")


if __name__ == "__main__":
    copy()
