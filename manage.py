"""The command line of a checkout; installed, it is `edictum-site`."""

from edictum_site.program.command_line import main

if __name__ == "__main__":
    main()
