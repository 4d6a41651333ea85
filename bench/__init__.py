"""Benchmarks of a running product. Results are shown only if a recount of the data is exact."""
