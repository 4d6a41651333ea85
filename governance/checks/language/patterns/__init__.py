"""Regular expressions: read as RE2 reads them, worked out to the smallest automaton."""
