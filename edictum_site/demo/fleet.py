"""Profiles of the simulated agents: tools, contracts, principals."""

from typing import Final

from edictum_site.demo.agent import Profile

READ, WRITE, FINAL_STEP = "read", "write", "irreversible"

FLEET: Final = {
    profile.name: profile
    for profile in (
        Profile(
            name="billing-bot",
            environment="production",
            bundle="billing",
            tools={
                "crm_lookup": READ,
                "read_invoice": READ,
                "bank_balance": READ,
                "create_invoice": WRITE,
                "send_reminder": FINAL_STEP,
                "refund": FINAL_STEP,
            },
            principal={"role": "accountant", "service_id": "billing"},
        ),
        Profile(
            name="support-bot",
            environment="production",
            bundle="support",
            tools={
                "search_tickets": READ,
                "read_ticket": READ,
                "crm_lookup": READ,
                "reply": FINAL_STEP,
                "escalate": WRITE,
            },
            principal={"role": "support", "service_id": "helpdesk"},
        ),
        Profile(
            name="research-bot",
            environment="production",
            bundle="research",
            tools={
                "web_search": READ,
                "fetch_page": READ,
                "read_file": READ,
                "run_query": READ,
                "save_note": WRITE,
            },
        ),
        Profile(
            name="stock-bot",
            environment="production",
            bundle="warehouse",
            tools={
                "warehouse_lookup": READ,
                "reserve_stock": WRITE,
                "order_parts": FINAL_STEP,
                "notify": WRITE,
            },
            principal={"role": "clerk", "service_id": "warehouse"},
        ),
        Profile(
            name="deploy-bot",
            environment="staging",
            bundle="operations",
            tools={
                "run_tests": "pure",
                "read_log": READ,
                "shell": WRITE,
                "git_push": WRITE,
                "deploy_service": FINAL_STEP,
            },
        ),
        Profile(
            name="docs-bot",
            environment="development",
            bundle="writing",
            tools={"read_file": READ, "write_file": WRITE},
        ),
        # Doesn't use the edictum SDK: it posts outcomes, and no contract governs it.
        Profile(name="import-bot", environment="production", tools={"write_record": WRITE}),
    )
}
ENVIRONMENTS: Final = sorted({profile.environment for profile in FLEET.values()})
