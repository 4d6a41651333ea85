// What can be completed in a contract or a check: the keys of the place, its values, selectors,
// operators, and the tools and roles of the calls that were seen. The words come from the server,
// once; the selectors that results have, with the results beside the editor.

const form = document.querySelector("form[data-editor]");
let words = null;
fetch(form.dataset.wordsAt, { credentials: "same-origin" })
  .then((answer) => (answer.ok ? answer.json() : null))
  .then((told) => (words = told))
  .catch(() => {}); // then nothing is completed

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
      limit = lead + 0.5; // a list may begin under the first letter of its key
    }
  }
  return steps;
}

const unquoted = (text) => text.replace(/^["']|["']$/g, "");

function dialect(session) {
  const text = session.getValue();
  return /^kind:\s*["']?ContractBundle/m.test(text) || (/^contracts:/m.test(text) && !/^kind:/m.test(text)) ? "old" : "new";
}

const RULES = new Set(["rules", "contracts", "examples"]);
const OF_TOOLS = new Set(["tool", "tools"]);
const general = (steps) => steps.map((step, at) => (at === 1 && steps[0] === "tools" ? "*" : step)).join("/");
const list = (items, meta, score = 0) => (items ?? []).map((caption) => ({ caption, value: caption, meta, score }));
const asYaml = (word) => (/^[A-Za-z_][\w.-]*$/.test(word) ? word : `'${word.replaceAll("'", "''")}'`);
const tools = () => words.tools.map((name) => ({ caption: name, value: asYaml(name), meta: "tool seen" }));

function inCondition(before, key) {
  const flow = /([\w.*-]+|"[^"]*"|'[^']*')\s*:\s*[{[][^{}[\]]*$/.exec(before);
  const last = flow ? unquoted(flow[1]) : key;
  const isSelector = last && last !== "when" && last !== "*" && !words.conditions.includes(last);
  if (isSelector) return list(words.operators, "operator");
  const seen = document.getElementById("recorded")?.dataset.selectors;
  return [
    ...list(words.conditions, "condition", 1),
    ...list(words.selectors, "selector"),
    ...list(seen ? seen.split("\n") : [], "selector seen").map(quoted),
  ];
}

// A selector is the key of a condition, and some hold what ends a plain word.
const quoted = (each) => (/^[\w.*$@-]+$/.test(each.value) ? each : { ...each, value: `'${each.value.replaceAll("'", "''")}'` });

// In `- {tool: x, verdict: ` the key before the value, in `- {tool: x, ` the beginning of one.
const FLOW_KEY = /[{,]\s*([\w]+)\s*:\s*[\w."'-]*$/;
const FLOW_PLACE = /-\s+\{[^{}]*$/;

function offered(session, { row, column }) {
  const line = session.getLine(row);
  const before = line.slice(0, column);
  const here = read(line);
  const steps = above(session, row, here.column);
  const written = /^\s*(?:- +)*("[^"]*"|'[^']*'|[\w.*-]+)\s*:\s+\S*$/.exec(before);
  const key = written && unquoted(written[1]);
  const when = steps.indexOf("when");
  if (/principal\.role["']?\s*:\s*\{[^}]*:\s*\S*$/.test(before) || (steps.at(-1) === "principal.role" && key))
    return list(words.roles, "role seen");
  const operand = words.operands?.[(FLOW_KEY.exec(before) ?? [])[1] ?? key];
  if (operand && (when >= 0 || /\bwhen\s*:/.test(before))) return list(operand, "value");
  if (steps[0] === "include") return list(words.checks, "check");
  if (key === "when" || (when >= 0 && !(key && words.operators.includes(key)))) return inCondition(before, steps.at(-1));
  if (/\bwhen\s*:\s*\{/.test(before)) return inCondition(before, "when");
  if (key && RULES.has(steps[0]) && OF_TOOLS.has(key)) return tools();
  if (RULES.has(steps[0]) && steps.includes("tools")) return tools();
  if (steps.at(-1) === "max_calls_per_tool" || (steps.length === 1 && steps[0] === "tools")) return tools();
  const flow = FLOW_PLACE.test(before) && RULES.has(steps[0]) ? (FLOW_KEY.exec(before) ?? [])[1] : null;
  if (flow && OF_TOOLS.has(flow)) return tools();
  const { keys, values } = { keys: words.keys[dialect(session)], values: words.values[dialect(session)] };
  if (flow ?? key) return list(values[general([...steps, flow ?? key])], "value");
  return list(keys[general(steps)], "key").map((each) => ({ ...each, value: `${each.caption}: ` }));
}

ace.require("ace/ext/language_tools").setCompleters([
  {
    identifierRegexps: [/[\w.*-]/],
    getCompletions(_editor, session, position, _prefix, answer) {
      answer(null, words ? offered(session, position) : []);
    },
  },
]);
