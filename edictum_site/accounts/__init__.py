"""Accounts: sign-in with allauth, its rate limits, the profile page, and auditing of requests."""
