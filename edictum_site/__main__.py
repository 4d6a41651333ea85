"""`python -m edictum_site`: the same commands as `manage.py` and `edictum-site`."""

from edictum_site.program.command_line import main

if __name__ == "__main__":
    main()
