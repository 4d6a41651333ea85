"""What carries out success checks: a copy of what the console itself runs, see `copy_matcher`."""
