"""The one command line: `manage.py up` runs the product, the rest is Django's."""

import os
import sys


def main() -> None:
    if sys.argv[1:2] == ["up"]:
        from edictum_site.stack.up import up  # noqa: PLC0415 - it must not import Django

        sys.exit(up(sys.argv[2:]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "edictum_site.settings")
    from django.core.management import execute_from_command_line  # noqa: PLC0415 - see above

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
