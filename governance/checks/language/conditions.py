"""Conditions: `all`, `any`, `not`, and leaves of one selector and one operator."""

from collections.abc import Sequence
from dataclasses import dataclass

from governance.checks.language.operands import Operands
from governance.checks.language.operators import COMBINED, OPERATORS, OPTIONS, Takes, operator_meant
from governance.checks.language.pattern_table import PatternTable
from governance.checks.language.problems import Problems
from governance.checks.language.selectors import SelectorRefused, read_selector
from governance.checks.language.tree import Entry, Keys, Listing, Node, Word
from governance.core.compiled_check import Condition, Leaf, Selector

_ITEM: Selector = [{"base": "item", "steps": []}]
_WALKING = ("items", "values", "json", "text")  # steps whose cost grows with the value they read


@dataclass(frozen=True, slots=True)
class Conditions:
    problems: Problems
    patterns: PatternTable

    def read(self, node: Node, *, in_item: bool = False) -> Condition | None:
        """Compiled condition, or None after reporting a problem."""
        if not isinstance(node, Keys) or not node.entries:
            self._refuse_no_condition(node)
            return None
        first, *more = node
        if more:
            self._refuse_many(first, more)
            return None
        word = first.key.text
        if word in COMBINED:
            return self._combined(word, first.value, in_item=in_item)
        if word in OPERATORS or word in OPTIONS:
            begin = "item" if in_item else "result.status"
            self.problems.at(
                first.key,
                f"`{word}` is an operator: the selector comes first, `{begin}: {{{word}: …}}`.",
            )
            return None
        return self._leaf(first, in_item=in_item)

    def _combined(self, word: str, node: Node, *, in_item: bool) -> Condition | None:
        if word == "not":
            inner = self.read(node, in_item=in_item)
            return None if inner is None else {"not": inner}
        if not isinstance(node, Listing) or not node.items:
            self.problems.at(node, f"`{word}` needs a list of conditions (- …).")
            return None
        parts = [self.read(item, in_item=in_item) for item in node.items]
        read = [part for part in parts if part is not None]
        if len(read) < len(parts):
            return None
        return {"all": read} if word == "all" else {"any": read}

    def _leaf(self, entry: Entry, *, in_item: bool) -> Leaf | None:
        written, body = entry
        try:
            selector = read_selector(written.text, in_item=in_item)
        except SelectorRefused as refused:
            self.problems.inside(written, refused.index, refused.message)
            return None
        if not isinstance(body, Keys):
            self._refuse_bare(body)
            return None
        if in_item and not self._is_cheap(selector, written):
            return None
        return self._compared(selector, written.text, body, in_item=in_item)

    def _compared(self, selector: Selector, text: str, body: Keys, *, in_item: bool) -> Leaf | None:
        operator = self._operator(body)
        if operator is None:
            return None
        name = operator.key.text
        options = self._options(body, name)
        if OPERATORS[name] in (Takes.ITEM, Takes.COUNT):
            if in_item and any(each["base"] != "item" for each in selector):
                self.problems.at(
                    operator.key,
                    f"Inside another list, `{name}` looks at lists of the `item` only.",
                )
                return None
            value = self._about_items(name, operator.value)
        else:
            value = Operands(self.problems, self.patterns).read(name, operator.value, options)
        if value is None and not _may_be_null(name):
            return None
        leaf: Leaf = {"select": selector, "text": text, "op": name, "value": value}
        if "ignore_case" in options and OPERATORS[name] not in (Takes.PATTERN, Takes.PATTERNS):
            leaf["ignore_case"] = True
        return leaf

    def _about_items(self, name: str, node: Node) -> object:
        if OPERATORS[name] is Takes.ITEM:
            return self._on_item(node)
        counted = node.get("when") if isinstance(node, Keys) else None
        number = node.get("is") if isinstance(node, Keys) else None
        if not isinstance(node, Keys) or counted is None or number is None or len(node.entries) > 2:
            self.problems.at(node, "Enter `{when: …, is: {gte: 3}}`: which items, and how many.")
            return None
        when = self._on_item(counted)
        compared = Operands(self.problems, self.patterns).comparison(number)
        return None if when is None or compared is None else {"when": when, "is": compared}

    def _on_item(self, node: Node) -> Condition | None:
        """An operator on the item itself, or a condition on its parts."""
        if isinstance(node, Keys):
            words = [key.text for key, _ in node]
            meant = words and not any(_begins_a_condition(word) for word in words)
            if meant:
                return self._compared(_ITEM, "item", node, in_item=True)
        return self.read(node, in_item=True)

    def _operator(self, body: Keys) -> Entry | None:
        operators = [entry for entry in body if entry.key.text not in OPTIONS]
        for entry in operators:
            if entry.key.text not in OPERATORS:
                self._refuse_operator(entry.key)
                return None
        if not operators:
            self.problems.at(body, "Enter an operator, such as `equals`.")
            return None
        if len(operators) > 1:
            self.problems.at(
                operators[1].key,
                "A condition has one operator. Put one condition for each under `all`.",
            )
            return None
        return operators[0]

    def _options(self, body: Keys, operator: str) -> frozenset[str]:
        """Options that are set to true."""
        on = set()
        for key, value in body:
            if key.text not in OPTIONS:
                continue
            if operator not in OPTIONS[key.text]:
                self.problems.at(key, f"`{key.text}` has no effect with `{operator}`.")
            elif Operands(self.problems, self.patterns).truth(value):
                on.add(key.text)
        return frozenset(on)

    def _is_cheap(self, selector: Selector, written: Word) -> bool:
        """Whether a selector is cheap enough to run once per item: a value outside the item would
        be read in full each time."""
        for alternative in selector:
            if alternative["base"] != "item" and any(
                step[0] in _WALKING for step in alternative["steps"]
            ):
                self.problems.at(
                    written,
                    "In a condition about items, `result` is followed by keys and indexes only.",
                )
                return False
        return True

    def _refuse_no_condition(self, node: Node) -> None:
        if isinstance(node, Listing):
            message = "Put a list of conditions under `all` or `any`."
        else:
            message = "Enter a condition, such as `{result.ok: {equals: false}}`."
        self.problems.at(node, message)

    def _refuse_many(self, first: Entry, more: Sequence[Entry]) -> None:
        self.problems.at(
            more[0].key,
            f"A condition has one selector, and this one has `{_short(first.key.text)}`. "
            "Put them under `all`, each with its own `-`.",
        )

    def _refuse_bare(self, body: Node) -> None:
        plain = isinstance(body, Word) and not body.quoted and bool(body.text)
        fix = f"{{equals: {body.text}}}" if isinstance(body, Word) and plain else ""
        self.problems.at(body, "Add a comparison, such as `{equals: …}`.", fix=fix)

    def _refuse_operator(self, key: Word) -> None:
        if key.text in COMBINED:
            self.problems.at(key, f"`{key.text}` goes around conditions, not after a selector.")
            return
        if key.text == "between":
            self.problems.at(key, "`between` is not an operator. Put `gte` and `lte` under `all`.")
            return
        meant = operator_meant(key.text)
        self.problems.at(
            key,
            f"`{_short(key.text)}` is not an operator."
            + (f" Did you mean `{meant}`?" if meant else ""),
            fix=meant,
        )


def _begins_a_condition(word: str) -> bool:
    return word in COMBINED or word.startswith(("item", "result", "tool", "elapsed_ms"))


def _may_be_null(operator: str) -> bool:
    return OPERATORS[operator] is Takes.VALUE


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
