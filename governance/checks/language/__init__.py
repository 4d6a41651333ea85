"""Named success checks: their language, what it is compiled to, and what carries that out."""
