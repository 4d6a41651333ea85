"""Copies the matcher of success checks from the console into the Python client.

Both run the same code; only the package names in its imports differ.
"""

from pathlib import Path

ROOT = Path(__file__).parents[2]
LANGUAGE = ROOT / "governance" / "checks" / "language"
MATCHING = ROOT / "governance" / "matching"
AGENTS = Path(__file__).parent / "src" / "edictum_site_client" / "site"
FILES = {
    "matcher.py": LANGUAGE / "matcher.py",
    **{f"matching/{file.name}": file for file in MATCHING.glob("*.py")},
}


def copy_of(file: str) -> str:
    text = FILES[file].read_text(encoding="utf-8")
    return text.replace("governance.matching", "edictum_site_client.site.matching")


def copy() -> None:
    for file in FILES:
        target = AGENTS / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(copy_of(file), encoding="utf-8")


if __name__ == "__main__":
    copy()
