// Recorded outputs next to a check's editor: checked again on each change; buttons add them to the
// text as an example or a rule. Without JavaScript the same buttons post the form.

const SOON = 150;
const form = document.querySelector("form[data-editor]");
const session = ace.edit(document.querySelector(".editor")).session;
const panel = () => document.getElementById("recorded");
const chosen = () => panel().querySelector("[name=tools]")?.value ?? "";

let timer = null;
let asking = null;

function soon() {
  clearTimeout(timer);
  timer = setTimeout(judge, SOON);
}

async function judge(pick = "") {
  clearTimeout(timer);
  asking?.abort();
  asking = new AbortController();
  const text = session.getValue();
  try {
    const answer = await send(panel().dataset.recorded, { text, pick }, asking.signal);
    if (answer.status === 503) {
      timer = setTimeout(() => judge(pick), 1000 * (answer.headers.get("Retry-After") || 2));
      return say("Busy, retrying …");
    }
    if (!answer.ok) return say(`Not checked: the console returned ${answer.status}.`);
    const template = document.createElement("template");
    template.innerHTML = await answer.text();
    show(template.content.getElementById("recorded"));
  } catch (error) {
    if (error.name !== "AbortError") say("Not checked: the console does not respond.");
  }
}

// Keeps what is open, scroll position, typed text and focus.
function show(fresh) {
  const old = panel();
  if (!fresh) return;
  const open = new Set([...old.querySelectorAll("details[open]")].map((each) => each.dataset.key));
  for (const each of fresh.querySelectorAll("details[data-key]")) each.open = open.has(each.dataset.key);
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const field = fresh.querySelector("[name=tools]");
  const place = focused?.closest("details")?.dataset.key;
  const typed = focused?.name === "tools" ? [focused.value, focused.selectionStart] : null;
  old.replaceWith(document.adoptNode(fresh));
  headline(fresh.dataset.impact);
  htmx.process(panel());
  document.dispatchEvent(new CustomEvent("htmx:load", { detail: { elt: panel() } }));
  if (typed) {
    [field.value] = typed;
    field.focus({ preventScroll: true });
    field.setSelectionRange(typed[1], typed[1]);
  } else if (focused) again(focused, place)?.focus({ preventScroll: true });
}

function again(focused, place) {
  if (focused.id) return document.getElementById(focused.id);
  const details = [...panel().querySelectorAll("details")].find((each) => each.dataset.key === place);
  return details?.querySelector("summary") ?? panel().querySelector("[data-pick]");
}

// The impact replaces "ready to save" in the headline.
function headline(impact) {
  const words = document.getElementById("checked").hasAttribute("data-unchanged") ? "" : impact;
  document.getElementById("draft-impact").textContent = words;
  document.getElementById("draft-standing").hidden = words !== "";
}

function say(words) {
  const place = panel().querySelector("#recorded-sentence") ?? panel().querySelector(".second");
  if (place) place.textContent = words;
}

// ---------- Into the text ----------

async function take(button) {
  const text = session.getValue();
  try {
    const answer = await send(panel().dataset.take, { text, take: button.value });
    const told = await answer.json();
    if (!answer.ok) return say(told.detail);
    if (session.getValue() !== text) return take(button); // edited meanwhile
    write(text, told.text);
    say(`Added at line ${told.line}.`);
    const editor = ace.edit(document.querySelector(".editor"));
    editor.gotoLine(told.line, 0, false);
    editor.focus();
  } catch {
    say("Not added: the console does not respond.");
  }
}

// Replace only the difference, so that undo reverts just this.
function write(before, after) {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const { Range } = ace.require("ace/range");
  const doc = session.getDocument();
  const [from, to] = [start, before.length - end].map((index) => doc.indexToPosition(index, 0));
  session.replace(Range.fromPoints(from, to), after.slice(start, after.length - end));
}

// ---------- Events ----------

document.addEventListener("click", (event) => {
  const button = event.target.closest("#recorded button");
  if (!button) return;
  event.preventDefault();
  if ("takeAs" in button.dataset) take(button);
  else judge(button.value);
});
document.addEventListener("change", ({ target }) => {
  if (target.matches("#recorded [name=tools]")) judge();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("#recorded [name=tools]")) return;
  event.preventDefault(); // Enter would save the draft
  judge();
});

function send(url, fields, signal) {
  const body = new FormData(form);
  for (const [name, value] of Object.entries({ tools: chosen(), ...fields })) body.set(name, value);
  return fetch(url, { method: "POST", body, signal, credentials: "same-origin", headers: { "HX-Request": "true" } });
}

session.on("change", soon);
judge();
