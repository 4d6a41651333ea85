"""What ought to happen, decided in plain Python: no clock, no database, no framework."""
