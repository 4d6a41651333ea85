"""`edictum-site-cli`: a console's contracts, checks and outcomes for pipelines and terminals."""
