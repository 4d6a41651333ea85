"""Actions of the demo's simulated person: contracts, deployments, a success check, its binding."""

from importlib.resources import files
from typing import Final

from edictum_site.demo.door import Door
from edictum_site.demo.fleet import FLEET

DOCUMENTS: Final = files("edictum_site.demo") / "documents"

# By day: the contract, its version, and the author's message.
DEPLOYED: Final = {
    0: [(profile.bundle, 1, "") for profile in FLEET.values() if profile.bundle],
    4: [("billing", 2, "Large refunds need approval")],
    6: [("operations", 2, "Block deleting by hand")],
    10: [("billing", 3, "Limit a session to 50 successful calls")],
    12: [("writing", 2, "Block drafts")],
}
SAVED: Final = {
    8: (1, "Our services report failures in their output"),
    11: (2, "Invoices that were not accepted are failures"),
}
BOUND: Final = ("crm_lookup", "create_invoice", "run_tests")


def environment_of(bundle: str) -> str:
    return next(each.environment for each in FLEET.values() if each.bundle == bundle)


def deploy(door: Door, bundle: str, version: int, message: str) -> None:
    saved = door.ask("POST", "contracts", {"yaml": _text(bundle, version), "message": message})
    live = {"version": saved["version"], "env": environment_of(bundle)}
    door.ask("POST", f"contracts/{bundle}/deployments", live)


def save_check(door: Door, version: int, message: str) -> None:
    text = _text("services", version)
    door.ask("PUT", "success-checks/services", {"yaml": text, "message": message})
    if version == 1:
        lines = [
            {"environment": "*", "agent": "*", "tool": tool, "check": "services"} for tool in BOUND
        ]
        door.ask("PUT", "success-check-bindings", {"bindings": lines})


def _text(name: str, version: int) -> str:
    return (DOCUMENTS / f"{name}-{version}.yaml").read_text()
