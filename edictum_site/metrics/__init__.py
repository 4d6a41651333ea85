"""`GET /metrics`: Prometheus metrics of one project or of the installation."""
