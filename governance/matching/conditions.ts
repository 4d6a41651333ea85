// From a condition to a function that answers with the leaf that decides, or with none. Where that
// depends on text that was not read, it answers that it is undecided: neither a condition nor its
// opposite is true then.

import type { Condition, Decides, Json, Leaf, Matches } from "./call.ts";
import type { OnItems, Test, Truth, Truths } from "./call.ts";
import { ITEM, UNREAD } from "./call.ts";
import { operatorOf } from "./operators.ts";
import { selectorOf } from "./selectors.ts";

const NO_LEAF: Leaf = { text: "", select: () => undefined };
export const UNDECIDED: Leaf = { text: "", select: () => UNREAD };

// The first leaf that was true, on the way that was; inside a `not` the first one at all.
export function conditionOf(condition: Condition, patterns: Matches[]): Decides {
  if (condition.all) {
    const inner = condition.all.map((each) => conditionOf(each, patterns));
    return (call) => {
      let deciding: Leaf = NO_LEAF;
      let undecided = false;
      for (const decides of inner) {
        const leaf = decides(call);
        if (leaf === undefined) return undefined;
        if (leaf === UNDECIDED) undecided = true;
        else if (deciding === NO_LEAF) deciding = leaf;
      }
      return undecided ? UNDECIDED : deciding;
    };
  }
  if (condition.any) {
    const inner = condition.any.map((each) => conditionOf(each, patterns));
    return (call) => {
      let undecided = false;
      for (const decides of inner) {
        const leaf = decides(call);
        if (leaf === UNDECIDED) undecided = true;
        else if (leaf !== undefined) return leaf;
      }
      return undecided ? UNDECIDED : undefined;
    };
  }
  if (condition.not) {
    const inner = conditionOf(condition.not, patterns);
    const first = firstLeaf(condition.not);
    return (call) => {
      const leaf = inner(call);
      if (leaf === undefined) return first;
      return leaf === UNDECIDED ? UNDECIDED : undefined;
    };
  }
  const leaf = leafOf(condition);
  const test = testOf(condition, patterns);
  return (call) => {
    const value = leaf.select(call);
    const truth = value === UNREAD ? undefined : test(value, call);
    if (truth === undefined) return UNDECIDED;
    return truth ? leaf : undefined;
  };
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
      return ofItems(leaf.value, patterns, (items, truth) => found(items, truth, true));
    case "every_item":
      return ofItems(leaf.value, patterns, (items, truth) => opposite(found(items, truth, false)));
    case "no_item":
      return ofItems(leaf.value, patterns, (items, truth) => opposite(found(items, truth, true)));
    case "count_items": {
      const compare = operatorOf(leaf.value.is as Condition, patterns);
      return ofItems(leaf.value.when, patterns, (items, truth, call) => {
        const truths = items.map(truth);
        if (truths.includes(undefined)) return undefined;
        return compare(truths.filter((each) => each).length, call);
      });
    }
  }
  return operatorOf(leaf, patterns);
}

function found(items: Json[], truth: Truths, wanted: boolean): Truth {
  let undecided = false;
  for (const item of items) {
    const each = truth(item);
    if (each === wanted) return true;
    undecided = undecided || each === undefined;
  }
  return undecided ? undefined : false;
}

function opposite(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth;
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
      const leaf = decides(call);
      return leaf === UNDECIDED ? undefined : leaf !== undefined;
    };
    const decided = decide(seen, truth, call);
    call.item = around;
    return decided;
  };
}
