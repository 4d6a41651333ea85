"""What another check says of recorded calls, and what that changes; in plain Python."""
