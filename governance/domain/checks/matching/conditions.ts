// From a condition to a function that answers with the leaf that decides, or with none.

import type { Condition, Decides, Leaf, Matches, OnItems, Test, Truths } from "./call.ts";
import { ITEM } from "./call.ts";
import { operatorOf } from "./operators.ts";
import { selectorOf } from "./selectors.ts";

const NO_LEAF: Leaf = { text: "", select: () => undefined };

// The first leaf that was true, on the way that was; inside a `not` the first one at all.
export function conditionOf(condition: Condition, patterns: Matches[]): Decides {
  if (condition.all) {
    const inner = condition.all.map((each) => conditionOf(each, patterns));
    return (call) => {
      let deciding: Leaf = NO_LEAF;
      for (const decides of inner) {
        const leaf = decides(call);
        if (leaf === undefined) return undefined;
        if (deciding === NO_LEAF) deciding = leaf;
      }
      return deciding;
    };
  }
  if (condition.any) {
    const inner = condition.any.map((each) => conditionOf(each, patterns));
    return (call) => {
      for (const decides of inner) {
        const leaf = decides(call);
        if (leaf !== undefined) return leaf;
      }
      return undefined;
    };
  }
  if (condition.not) {
    const inner = conditionOf(condition.not, patterns);
    const first = firstLeaf(condition.not);
    return (call) => (inner(call) === undefined ? first : undefined);
  }
  const leaf = leafOf(condition);
  const test = testOf(condition, patterns);
  return (call) => (test(leaf.select(call), call) ? leaf : undefined);
}

function leafOf(condition: Condition): Leaf {
  return { text: condition.text ?? "", select: selectorOf(condition.select ?? []) };
}

function firstLeaf(condition: Condition): Leaf {
  if (condition.select) return leafOf(condition);
  const inner = condition.not ? [condition.not] : (condition.all ?? condition.any ?? []);
  for (const each of inner) {
    const leaf = firstLeaf(each);
    if (leaf !== NO_LEAF) return leaf;
  }
  return NO_LEAF;
}

function testOf(leaf: Condition, patterns: Matches[]): Test {
  switch (leaf.op) {
    case "any_item":
      return ofItems(leaf.value, patterns, (items, truth) => items.some(truth));
    case "every_item":
      return ofItems(leaf.value, patterns, (items, truth) => items.every(truth));
    case "no_item":
      return ofItems(leaf.value, patterns, (items, truth) => !items.some(truth));
    case "count_items": {
      const compare = operatorOf(leaf.value.is as Condition, patterns);
      return ofItems(leaf.value.when, patterns, (items, truth, call) =>
        compare(items.filter(truth).length, call),
      );
    }
  }
  return operatorOf(leaf, patterns);
}

// Of asking it of one item: each leaf is asked, on each of its ways, whatever stands there.
function costOf(condition: Condition): number {
  if (condition.select) {
    return condition.select.reduce((sum, each) => sum + 1 + each.steps.length, ITEM);
  }
  const inner = condition.not ? [condition.not] : (condition.all ?? condition.any ?? []);
  return Math.max(
    ITEM,
    inner.reduce((sum, each) => sum + costOf(each), 0),
  );
}

function ofItems(when: Condition, patterns: Matches[], decide: OnItems): Test {
  const decides = conditionOf(when, patterns);
  const cost = costOf(when);
  return (seen, call) => {
    if (!Array.isArray(seen)) return false;
    const around = call.item;
    const truth: Truths = (item) => {
      call.spend(cost);
      call.item = item;
      return decides(call) !== undefined;
    };
    const decided = decide(seen, truth, call);
    call.item = around;
    return decided;
  };
}
