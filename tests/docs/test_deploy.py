"""docs/deploy.md from an empty installation to the first outcome: its commands, run as written."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from edictum_site.program.place import manage_command
from tests.docs.blocks import ROOT, Block, blocks_of
from tests.hosts.installation import Installation, own_redis
from tests.hosts.servers import own_postgres
from tests.journeys.console import KEY

pytestmark = pytest.mark.slow  # starts the product

DEPLOY = ROOT / "deploy"
PAGE = (ROOT / "docs/deploy.md").read_text()
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
RUN = re.compile(r"^python manage\.py (.+)$", re.MULTILINE)


def section(title: str) -> list[Block]:
    """Shell blocks under a heading."""
    lines = PAGE.splitlines()
    first = lines.index(f"## {title}") + 1
    last = next((n for n, line in enumerate(lines, 1) if n > first and line[:3] == "## "), 9_999)
    return [each for each in blocks_of("docs/deploy.md") if first < each.line < last]


def test_the_documented_three_host_setup_accepts_an_outcome(tmp_path):
    exports, migrate, *hosts, request, _containers = section("Three hosts")
    with own_postgres() as database, own_redis(tmp_path / "redis") as broker:
        address = {
            "DATABASE_URL": database,
            "REDIS_URL": broker,
            "EDICTUM_SITE_ARTIFACTS": (tmp_path / "artifacts").as_uri(),
            "EDICTUM_SITE_URL": "",
        }
        names = re.findall(r"^export (\w+)=(.*)$", exports.text, re.MULTILINE)
        variables = dict(names) | address | {"EDICTUM_SITE_BOOTSTRAP_KEY": KEY}
        assert set(dict(names)) == {*address, "EDICTUM_SITE_SECRET_KEY"}
        made = Installation(tmp_path, variables)
        try:
            assert RUN.findall(migrate.text) == ["migrate"]
            assert "/set-up/" in made.manage("migrate", host="host0")
            for number, block in enumerate(hosts):
                for command in RUN.findall(block.text):
                    made.start(f"host{number}", *command.split())
            for product in made.products:
                product.wait_until_served()
            webs = [each for each in made.products if each.note["url"]]
            assert len(webs) == 2
            for web in webs:
                out = ran(request, SITE=web.url, KEY=KEY)
                assert '"verdict":"success"' in out.replace(" ", "")
        finally:
            made.stop()


def ran(block: Block, **variables: str) -> str:
    if not shutil.which("curl"):
        pytest.skip("curl is not installed")
    text = 'curl() { command curl -sS --fail-with-body "$@"; }\n' + block.text
    done = subprocess.run(
        ["bash", "-e", "-c", text], env=os.environ | variables, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_role_of_a_unit_container_or_pod_is_a_command():
    assert roles_of_units() == {"up", "web", "worker", "scheduler"}
    roles = {"migrate", "web", "worker", "scheduler"}
    assert {each["command"][0] for each in services() if "postgres" not in each["image"]} >= roles
    assert {each["args"][0] for each in containers()} == roles
    for command in [each["args"] for each in containers()]:
        done = subprocess.run(
            [*manage_command(command[0]), *command[1:], "--help"], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


def roles_of_units() -> set[str]:
    listed = set()
    for unit in UNITS:
        (start,) = re.findall(r"^ExecStart=.*manage\.py (\S+)", unit.read_text(), re.MULTILINE)
        listed.add(start)
    return listed


def services() -> list[dict[str, list[str]]]:
    return [
        each
        for each in yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"].values()
        if "command" in each
    ]


def containers() -> list[dict[str, list[str]]]:
    listed = []
    for path in (DEPLOY / "kubernetes").glob("*.yaml"):
        for made in yaml.safe_load_all(path.read_text()):
            if made["kind"] in ("Deployment", "Job"):
                listed += made["spec"]["template"]["spec"]["containers"]
    return listed


def test_the_units_pass_systemd_analyze(tmp_path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    for unit in UNITS:
        # It checks that a unit's program exists: use the one of this checkout.
        text = unit.read_text().replace("/opt/edictum-site", str(ROOT))
        (tmp_path / unit.name).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *map(str, sorted(tmp_path.iterdir()))],
        capture_output=True,
        text=True,
    )
    ours = [line for line in done.stderr.splitlines() if "edictum" in line]
    assert ours == []


@pytest.mark.parametrize(
    "path", sorted((DEPLOY / "kubernetes").glob("*.yaml")), ids=lambda p: p.name
)
def test_the_manifests_match_the_kubernetes_schemas(path: Path):
    if path.name == "kustomization.yaml":
        named = yaml.safe_load(path.read_text())["resources"]
        assert {path.name, *named} == {each.name for each in path.parent.iterdir()}
        return
    kubernetes = pytest.importorskip("kubernetes_validate")
    for made in yaml.safe_load_all(path.read_text()):
        kubernetes.validate(made, "1.32", strict=True)


def test_the_compose_file_passes_docker_compose_config():
    program = shutil.which("docker-compose")
    if program is None:
        pytest.skip("docker-compose is not installed")
    secrets = {"POSTGRES_PASSWORD": "a", "EDICTUM_SITE_SECRET_KEY": "b"}
    done = subprocess.run(
        [program, "-f", str(DEPLOY / "compose.yaml"), "config", "--quiet"],
        env=os.environ | secrets,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_image_contains_the_files_its_commands_need():
    text = (DEPLOY / "Dockerfile").read_text()
    assert "requirements.txt" in text
    assert 'ENTRYPOINT ["python", "manage.py"]' in text
    left_out = (DEPLOY / "Dockerfile.dockerignore").read_text().split()
    assert not {"edictum_site", "governance", "outcomes", "clients", "docs"} & set(left_out)
