"""Compare a folder of contracts, for example in git, with the console."""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from governance.case_runs.queries import cases_of
from governance.contracts.domain.meaning import changes
from governance.contracts.queries.analysis import read_contract
from governance.contracts.queries.contracts import bundle_named, live_in, newest_version
from governance.core.cases import Case
from governance.core.errors import InvalidInput, Problem
from governance.evaluation.engine import Validation
from governance.management.case_files import ENDING, changed_cases, read_cases, tests_path, written
from governance.models import Bundle, BundleVersion, Project
from governance.texts.document import read_document

ENDINGS = {".yaml", ".yml"}
Becomes: TypeAlias = Literal["written", "overwritten", "unchanged"]


@dataclass(frozen=True, slots=True)
class ContractFile:
    path: Path
    document: bytes
    read: Validation
    tests: tuple[Case, ...] | None  # from the file next to it; None: no such file

    @property
    def name(self) -> str:
        return self.read.name


@dataclass(frozen=True, slots=True)
class Pushed:
    """Effect of pushing a file: a new version or none, and a deployment if requested."""

    file: ContractFile
    newest: BundleVersion | None
    becomes: Literal["new contract", "new version", "unchanged"]
    meaning: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()  # changes to tests
    live: int | None = None  # version deployed in the target environment

    @property
    def number(self) -> int:
        """Number of the version that contains the file's bytes after the push."""
        present = self.newest.number if self.newest else 0
        return present if self.becomes == "unchanged" else present + 1

    @property
    def is_live(self) -> bool:
        return self.live == self.number


@dataclass(frozen=True, slots=True)
class Pulled:
    path: Path
    what: str
    content: bytes
    becomes: Becomes


@dataclass(slots=True)
class Folder:
    files: list[ContractFile] = field(default_factory=list)
    problems: list[tuple[Path, Problem]] = field(default_factory=list)
    warnings: list[tuple[Path, Problem]] = field(default_factory=list)


def read_folder(path: Path) -> Folder:
    """Contracts in the folder, without subfolders, by file name."""
    folder = Folder()
    seen: dict[str, Path] = {}
    for each in sorted(path.iterdir()):
        if each.suffix not in ENDINGS or each.name.startswith(".") or not each.is_file():
            continue
        document = each.read_bytes()
        read = read_contract(document)
        folder.problems += [(each, problem) for problem in read.errors]
        folder.warnings += [(each, problem) for problem in read.warnings]
        if read.valid and (first := seen.setdefault(read.name, each)) != each:
            twice = f"{first.name} is the contract `{read.name}` too: remove one of them."
            folder.problems.append((each, Problem(message=twice, path="metadata.name")))
        tests = _tests_for(each, folder)
        folder.files.append(ContractFile(each, document, read, tests))
    stems = {tests_path(file.path) for file in folder.files}
    for each in sorted(path.glob(f"*{ENDING}")):
        if each not in stems and not each.name.startswith("."):
            alone = "No contract file with this name next to these tests."
            folder.problems.append((each, Problem(message=alone)))
    return folder


def _tests_for(contract: Path, folder: Folder) -> tuple[Case, ...] | None:
    path = tests_path(contract)
    if not path.is_file():
        return None
    try:
        return read_cases(path)
    except InvalidInput as refused:
        problems = refused.errors or (Problem(message=str(refused)),)
        folder.problems += [(path, problem) for problem in problems]
        return None


def plan_push(project: Project, files: list[ContractFile], environment: str) -> Iterator[Pushed]:
    for file in files:
        bundle = bundle_named(project, file.name)
        newest = newest_version(bundle) if bundle else None
        live = live_in(bundle, environment) if bundle and environment else None
        number = live.version.number if live else None
        tests = _tests_of(bundle, file)
        if newest is None:
            yield Pushed(file, None, "new contract", tests=tests)
        elif bytes(newest.document) == file.document:
            yield Pushed(file, newest, "unchanged", tests=tests, live=number)
        else:
            before, after = read_document(bytes(newest.document)), read_document(file.document)
            meaning = tuple(map(str, changes(before, after)))
            yield Pushed(file, newest, "new version", meaning, tests, number)


def _tests_of(bundle: Bundle | None, file: ContractFile) -> tuple[str, ...]:
    """Changes to tests. A file without tests changes none: the console keeps its own."""
    if file.tests is None:
        return ()
    there = [row.spec() for row in cases_of(bundle)] if bundle else []
    return tuple(changed_cases(there, file.tests))


def plan_pull(project: Project, path: Path, environment: str) -> Iterator[Pulled]:
    """Plan to write each contract to the file that already contains it, else to a new file."""
    files = read_folder(path).files if path.is_dir() else []
    there = {file.name: file for file in reversed(files) if file.name}
    for version in _versions_to_pull(project, environment):
        name = version.bundle.name
        present = there.get(name)
        target = present.path if present else path / f"{name}.yaml"
        document = bytes(version.document)
        same = target.exists() and target.read_bytes() == document
        yield _pulled(target, str(version), document, same=same)
        yield from _pulled_tests(target, version.bundle, present.tests if present else None)


def _pulled_tests(
    contract: Path, bundle: Bundle, there: tuple[Case, ...] | None
) -> Iterator[Pulled]:
    """Plan for a contract's tests. An equivalent file is not changed; no tests, no new file."""
    cases = tuple(row.spec() for row in cases_of(bundle))
    path = tests_path(contract)
    if cases or path.exists():
        what = f"{len(cases)} test{'' if len(cases) == 1 else 's'} of {bundle}"
        yield _pulled(path, what, written(cases), same=there == cases)


def _pulled(path: Path, what: str, content: bytes, *, same: bool) -> Pulled:
    becomes: Becomes = "unchanged" if same else "overwritten" if path.exists() else "written"
    return Pulled(path, what, content, becomes)


def write(pulled: Pulled) -> None:
    """Write a file atomically, byte for byte."""
    folder = pulled.path.parent
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pulled.content)
        Path(name).chmod(0o644)
        Path(name).replace(pulled.path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _versions_to_pull(project: Project, environment: str) -> Iterator[BundleVersion]:
    """Deployed version of each bundle, by name; without an environment, its newest version."""
    for bundle in Bundle.objects.filter(project=project).order_by("name"):
        live = live_in(bundle, environment) if environment else None
        if live is not None:
            yield live.version
        elif not environment and (newest := newest_version(bundle)):
            yield newest
