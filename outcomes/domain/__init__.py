"""What became of calls, decided in plain Python: no clock, no database, no framework."""
