"""Numbers with check digits: payment cards and bank accounts."""

import re
from collections.abc import Iterator
from typing import Final

_IBAN: Final = re.compile(r"(?<![\w-])[A-Z]{2}\d{2} ?[A-Z0-9]")
# Length of an account number in characters, by country.
_LENGTHS: Final = {
    length: frozenset(countries.split())
    for length, countries in {
        15: "NO",
        16: "BE",
        18: "DK FI NL FO GL",
        19: "MK SI",
        20: "AT BA EE KZ LT LU XK",
        21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA",
        23: "AE GI IL IQ OM TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST",
        26: "IS TR",
        27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HU LB NI PL SV",
        29: "BR EG PS QA UA",
        30: "JO KW MU",
        31: "MT SC",
        32: "LC",
        33: "RU",
    }.items()
}
_LENGTH_OF: Final = {each: length for length, all_ in _LENGTHS.items() for each in all_}


def is_card(text: str) -> bool:
    """Whether the digits pass the Luhn check, as one random number in ten does."""
    digits = [int(character) for character in text if character.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def iban_spans(text: str) -> Iterator[tuple[int, int]]:
    """Spans of IBANs in a text, with or without spaces between groups."""
    for match in _IBAN.finditer(text):
        start = match.start()
        end = _end_of_iban(text, start, _LENGTH_OF.get(text[start : start + 2], 0))
        if end and _is_iban(text[start:end].replace(" ", "")):
            yield start, end


def _end_of_iban(text: str, start: int, length: int) -> int:
    """End of the IBAN that starts here, or 0 if there is none of this length."""
    place = start
    for _ in range(length):
        if text[place : place + 1] == " " and text[place - 1] != " ":
            place += 1
        letter = text[place : place + 1]
        if not (letter.isascii() and letter.isalnum()) or letter.islower():
            return 0
        place += 1
    following = text[place : place + 1]
    return 0 if following.isalnum() or following in ("_", "-") else place


def _is_iban(account: str) -> bool:
    moved = account[4:] + account[:4]
    return int("".join(str(int(letter, 36)) for letter in moved)) % 97 == 1
