"""A password hasher as in production, but at the lowest cost: tests hash hundreds of passwords."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class CheapArgon2(Argon2PasswordHasher):
    time_cost, memory_cost, parallelism = 1, 8, 1
