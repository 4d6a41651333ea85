"""Command line: `up` runs the product; `web`, `worker` and `scheduler` run one role on a host of
several; all other commands are Django's."""

import os
import sys


def main() -> None:
    if sys.argv[1:2] == ["up"]:
        from edictum_site.stack.up import up  # noqa: PLC0415 - it must not import Django

        sys.exit(up(sys.argv[2:]))
    if sys.argv[1:2] and sys.argv[1] in ("web", "worker", "scheduler"):
        from edictum_site.stack.roles import run_role  # noqa: PLC0415 - it must not import Django

        sys.exit(run_role(sys.argv[1], sys.argv[2:]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "edictum_site.settings")
    from django.core.management import execute_from_command_line  # noqa: PLC0415 - see above

    from edictum_site.env import SettingInvalid  # noqa: PLC0415 - see above

    try:
        execute_from_command_line(sys.argv)
    except SettingInvalid as invalid:
        if sys.argv[1:2] == ["doctor"]:
            from edictum_site.doctor.results import report_setting  # noqa: PLC0415 - seldom needed

            sys.exit(report_setting(str(invalid), is_json="--json" in sys.argv))
        sys.exit(f"Configuration: {invalid}")
