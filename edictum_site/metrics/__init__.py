"""`GET /metrics`: figures for Prometheus, of one project or of the installation."""
