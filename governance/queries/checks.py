"""Which check judges a call: the first binding that fits; the last and fixed one is the default."""

from governance.domain.success import DEFAULT, SuccessCheck


def check_for(project: int, environment: str, agent: str, tool: str) -> SuccessCheck:
    return DEFAULT
