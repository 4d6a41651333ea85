// Runs a compiled success check: returns the verdict, the deciding rule and the reason.
//
// The counterpart of the console's own matcher in Python: both give the same verdicts. With its
// parts it needs only the language (ES2020), and its only input is a document.

import type { Compiled, Explanation, Json, Judge, Leaf } from "../../matching/call.ts";
import type { Matches, Rule, Ruled } from "../../matching/call.ts";
import { Call, TooMuch, UnknownFormat } from "../../matching/call.ts";
import { UNDECIDED, conditionOf } from "../../matching/conditions.ts";
import { globMatches } from "../../matching/globs.ts";
import { selectorOf } from "../../matching/selectors.ts";
import { patternOf } from "../../matching/texts.ts";
import { beginning, isEmpty, member, points, said, shown } from "../../matching/values.ts";

const FORMAT = 1;
const REASON = 500;
const KNOWN = 1_000; // tools whose rules are remembered

export function build(compiled: Compiled): Judge {
  if (compiled.format !== FORMAT) throw new UnknownFormat("Format " + compiled.format);
  const patterns = compiled.automata.map(patternOf);
  const rules = compiled.rules.map((rule) => ruled(rule, patterns));
  const otherwise = compiled.otherwise;
  const known: Map<string, Ruled[]> = new Map();
  return (toolName, result, elapsedMs) => {
    let about = known.get(toolName);
    if (about === undefined) {
      about = rules.filter((rule) => globMatches(rule.tool, toolName));
      if (known.size < KNOWN) known.set(toolName, about);
    }
    const call = new Call(toolName, result, elapsedMs);
    const undecided: Ruled[] = [];
    try {
      for (const rule of about) {
        const leaf = rule.decides(call);
        if (leaf === UNDECIDED) undecided.push(rule);
        else if (leaf !== undefined) return inDoubt(rule.explained(leaf, call), undecided);
      }
    } catch (error) {
      if (!(error instanceof TooMuch)) throw error;
      return tooMuch("Checking this output takes too much work.");
    }
    if (undecided.length > 0) return unknown(undecided[0] as Ruled);
    return otherwise === "default" ? byDefault(result) : explanation(otherwise, "otherwise");
  };
}

// The verdict holds if it is not a success and every undecided rule before it would give the same.
function inDoubt(explained: Explanation, undecided: Ruled[]): Explanation {
  for (const rule of undecided) {
    if (explained.verdict === "success" || rule.verdict !== explained.verdict) return unknown(rule);
  }
  return { ...explained, cut: undecided.length > 0 };
}

function unknown(rule: Ruled): Explanation {
  return tooMuch("`" + rule.name + "` found nothing in the part of the text that was read.");
}

function tooMuch(reason: string): Explanation {
  return { ...explanation("unknown", "too-much-work"), reason, cut: true };
}

function explanation(verdict: Explanation["verdict"], rule: string): Explanation {
  const nothing: Json = null;
  return { verdict, rule, selector: "", value: nothing, reason: "", labels: [], cut: false };
}

function byDefault(result: Json): Explanation {
  const flag = member(result, "is_error");
  if (result === null) return { ...explanation("success", "null"), selector: "result" };
  if (flag !== undefined && flag !== false && flag !== 0 && !isEmpty(flag)) {
    const found = { selector: "result.is_error", value: shown(flag) };
    return { ...explanation("failure", "is_error"), ...found, reason: "The result says is_error." };
  }
  if (typeof result === "string" && /^(?:error|fatal):/i.test(result)) {
    const found = { selector: "result", value: shown(result) };
    const reason = "The text begins like an error.";
    return { ...explanation("failure", "error_prefix"), ...found, reason };
  }
  return explanation("success", "otherwise");
}

function ruled(rule: Rule, patterns: Matches[]): Ruled {
  const name = rule.of ? rule.of + "/" + rule.id : rule.id;
  const parts = rule.reason.map((part) => {
    if (typeof part === "string") return part;
    return part.select ? selectorOf(part.select) : undefined;
  });
  const explained = (leaf: Leaf, call: Call): Explanation => {
    const value = leaf.select(call);
    let reason = "";
    for (const part of parts) {
      if (points(reason) >= REASON) break; // more is never shown, and a large value is slow
      reason += typeof part === "string" ? part : said(part === undefined ? value : part(call));
    }
    return {
      verdict: rule.verdict,
      rule: name,
      selector: leaf.text,
      value: shown(value),
      reason: beginning(reason, REASON),
      labels: rule.label ? [rule.label] : [],
      cut: false,
    };
  };
  const decides = conditionOf(rule.when, patterns);
  return { name, verdict: rule.verdict, tool: rule.tool, decides, explained };
}
