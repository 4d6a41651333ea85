// Completions in a contract or a check: keys and values valid at the cursor, selectors, operators,
// and the tools and roles of recorded calls. Loaded from the server once; selectors of outputs
// come with the outputs next to the editor.

const form = document.querySelector("form[data-editor]");
let words = null;
fetch(form.dataset.wordsAt, { credentials: "same-origin" })
  .then((answer) => (answer.ok ? answer.json() : null))
  .then((told) => (words = told))
  .catch(() => {}); // no completions then

const LINE = /^(\s*)((?:- +)*)(?:("[^"]*"|'[^']*'|[^\s:#'"{}[\],-][^:#{}[\],]*?)\s*:(?=\s|$))?/;

function read(line) {
  const [, lead, dashes, key] = LINE.exec(line);
  return { lead: lead.length, column: lead.length + dashes.length, dashes: dashes.split("-").length - 1, key };
}

const isBlank = (line) => !line.trim() || line.trim().startsWith("#");

// The keys above a row, with * for each item of a list: ["rules", "*", "then"].
function above(session, row, column) {
  const steps = [];
  let limit = column;
  for (let at = row; at >= 0; at -= 1) {
    const line = session.getLine(at);
    if (isBlank(line) && at !== row) continue;
    const { lead, column: start, dashes, key } = read(line);
    if (at !== row && key && start < limit) {
      steps.unshift(unquoted(key));
      limit = start;
    }
    if (dashes && start <= limit) {
      steps.unshift(...Array(dashes).fill("*"));
      limit = lead + 0.5; // a list may start at its key's column
    }
  }
  return steps;
}

const unquoted = (text) => text.replace(/^["']|["']$/g, "");

function dialect(session) {
  const text = session.getValue();
  return /^kind:\s*["']?ContractBundle/m.test(text) || (/^contracts:/m.test(text) && !/^kind:/m.test(text)) ? "old" : "new";
}

// The keys and items of {…} and […] that are open at the end of this text.
function inFlow(text) {
  const open = [];
  let word = "";
  let quote = "";
  for (const [at, sign] of [...text].entries()) {
    const inside = open.at(-1);
    if (quote || /["']/.test(sign)) {
      quote = quote ? (sign === quote ? "" : quote) : sign;
      word += sign;
    } else if (/[{[]/.test(sign)) {
      open.push({ isList: sign === "[", key: null });
      word = "";
    } else if (/[}\]]/.test(sign)) {
      open.pop();
      word = "";
    } else if (sign === ",") {
      if (inside) inside.key = null;
      word = "";
    } else if (sign === ":" && inside && !inside.isList && /\s/.test(text[at + 1] ?? "")) {
      inside.key = unquoted(word.trim());
      word = "";
    } else word += sign;
  }
  const steps = open.flatMap(({ isList, key }) => (isList ? ["*"] : key === null ? [] : [key]));
  const last = open.at(-1);
  return { steps, isOpen: open.length > 0, isValue: Boolean(last && (last.isList || last.key !== null)) };
}

const KEY = /^\s*(?:- +)*(?:("[^"]*"|'[^']*'|[^\s:#'"{}[\],-][^:#{}[\],]*?)\s*:\s+)?/;

// Path of the cursor in either style: the keys above it, and whether it is in a value.
// `then: {action: ` and a line `action: ` below `then:` give the same path.
function place(session, { row, column }) {
  const line = session.getLine(row);
  const before = line.slice(0, column);
  const steps = above(session, row, read(line).column);
  const [written, key] = KEY.exec(before);
  const flow = inFlow(before.slice(written.length));
  if (key) steps.push(unquoted(key));
  return { steps: [...steps, ...flow.steps], isValue: flow.isOpen ? flow.isValue : Boolean(key) };
}

const RULES = new Set(["rules", "contracts", "examples"]);
const general = (steps) => steps.map((step, at) => (at === 1 && steps[0] === "tools" ? "*" : step)).join("/");
const list = (items, meta, score = 0) => (items ?? []).map((caption) => ({ caption, value: caption, meta, score }));
const asYaml = (word) => (/^[A-Za-z_][\w.-]*$/.test(word) ? word : `'${word.replaceAll("'", "''")}'`);
const named = (items, meta) => list(items, meta).map((each) => ({ ...each, value: asYaml(each.caption) }));
const tools = () => named(words.tools, "tool seen");
const asKeys = (items) => items.map((each) => ({ ...each, value: `${each.value}: ` }));

// A selector is a condition's key; some contain characters that need quotes.
const quoted = (each) => (/^[\w.*$@-]+$/.test(each.value) ? each : { ...each, value: `'${each.value.replaceAll("'", "''")}'` });

function inCondition(steps, isValue) {
  const last = steps.findLastIndex((step) => words.conditions.includes(step));
  const [selector, ...operators] = steps.slice(last + 1).filter((step) => step !== "*");
  if (!selector) return isValue ? [] : conditions();
  if (!operators.length) return isValue ? [] : list(words.operators, "operator");
  if (selector === "principal.role") return named(words.roles, "role seen");
  if (selector === "tool.name" || selector === "tool") return tools();
  return isValue ? list(words.operands[operators.at(-1)], "value") : list(words.operators, "operator");
}

function conditions() {
  const seen = document.getElementById("recorded")?.dataset.selectors;
  return [
    ...list(words.conditions, "condition", 1),
    ...list(words.selectors, "selector"),
    ...list(seen ? seen.split("\n") : [], "selector seen").map(quoted),
  ];
}

function offered(session, position) {
  const { steps, isValue } = place(session, position);
  const [top, , part, inPart] = steps;
  const when = steps.lastIndexOf("when");
  if (when >= 0) return inCondition(steps.slice(when + 1), isValue);
  if (top === "include") return list(words.checks, "check");
  if (RULES.has(top) && isValue && part === "tool") return tools();
  if (RULES.has(top) && part === "tools" && inPart === "*") return tools();
  const isName = steps.length === 1 && top === "tools";
  if (!isValue && (isName || inPart === "max_calls_per_tool")) return asKeys(tools());
  const { keys, values } = { keys: words.keys[dialect(session)], values: words.values[dialect(session)] };
  return isValue ? list(values[general(steps)], "value") : asKeys(list(keys[general(steps)], "key"));
}

// No completions in a comment, nor right after a colon.
const NOTHING = /^\s*#|\s#[^"']*$|:$/;

ace.require("ace/ext/language_tools").setCompleters([
  {
    identifierRegexps: [/[\w.*-]/],
    getCompletions(_editor, session, position, _prefix, answer) {
      const before = session.getLine(position.row).slice(0, position.column);
      answer(null, words && !NOTHING.test(before) ? offered(session, position) : []);
    },
  },
]);
