"""`python -m edictum_site_client.cli`: the same as `edictum-site-cli`."""

from edictum_site_client.cli.program import main

if __name__ == "__main__":
    raise SystemExit(main())
