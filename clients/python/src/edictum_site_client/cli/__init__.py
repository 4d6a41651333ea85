"""`edictum-site-cli`: contracts, checks and outcomes of a console, for pipelines and terminals."""
