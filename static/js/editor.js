// Editor of a contract or a check: ACE over the text area that works without JavaScript.
// While the user types, it checks the text on the server and saves the draft there.

const CHECK_AFTER = 300;
const KEEP_AFTER = 900;
const KEEP_AT_LAST = 5_000;
const KEPT_ON_LEAVING = 60_000; // characters; browsers send no more while a page unloads

const form = document.querySelector("form[data-editor]");
const area = form.elements.text;
const standing = document.getElementById("draft-standing");
const save = document.querySelector("[form=draft][value=save]");
const keptWords = document.getElementById("draft-kept");
const elsewhere = document.getElementById("draft-elsewhere");

// ---------- The editor ----------

ace.config.set("useStrictCSP", true);
ace.config.set("loadWorkerFromBlob", false);

const box = document.createElement("div");
box.className = "editor";
area.after(box);
box.style.height = `${area.offsetHeight}px`; // ACE sets its own a frame later
area.hidden = true;
const editor = ace.edit(box, {
  value: area.value,
  mode: "ace/mode/yaml",
  theme: { cssClass: "ace-edictum", cssText: "", isDark: false },
  useWorker: false,
  enableKeyboardAccessibility: true,
  enableBasicAutocompletion: true,
  enableLiveAutocompletion: true,
  fontFamily: "",
  fontSize: "",
  maxLines: Math.max(18, Math.floor((window.innerHeight - 360) / 20)), // keeps the problems visible
  minLines: 18,
  newLineMode: "unix",
  scrollPastEnd: 0,
  showPrintMargin: false,
  tabSize: 2,
  useSoftTabs: true,
});
editor.textInput.setAriaLabel?.(area.labels[0].textContent);
editor.textInput.getElement().setAttribute("aria-describedby", "checked");
editor.commands.removeCommand("showSettingsMenu"); // its extension isn't served
// An automatic popup must not take Enter: an arrow or Tab selects first.
const completer = ace.require("ace/autocomplete").Autocomplete.for(editor);
Object.defineProperty(completer, "autoSelect", { get: () => !completer.autoShown, set() {} });
const { session } = editor;

// After `- id: x` the next key aligns with the first one, not with the dash.
const mode = session.getMode();
const indent = mode.getNextLineIndent.bind(mode);
mode.getNextLineIndent = (state, line, tab) => {
  const [, dashes] = /^\s*((?:- +)*)/.exec(line);
  return indent(state, line, tab) + " ".repeat(dashes.length);
};

// A constant is a whole scalar: the `no` in `no-refunds` is not one.
mode.getTokenizer();
const fixed = mode.$highlightRules.getRules().start.find(({ token }) => token === "constant.language.boolean");
fixed.regex = "\\b(?:true|false|TRUE|FALSE|True|False|yes|no)(?=\\s*(?:$|[,\\]}]|\\s#))";
mode.$tokenizer = null;
session.bgTokenizer.setTokenizer(mode.getTokenizer());

const Range = ace.Range ?? ace.require("ace/range").Range;
const lines = document.querySelector("[data-lines]");

session.on("change", () => {
  const length = session.getLength();
  lines.textContent = `${length.toLocaleString("en")} line${length === 1 ? "" : "s"}`;
  soon("check", check, CHECK_AFTER);
  if (isKept()) return;
  waiting ??= Date.now();
  // Save even while typing goes on.
  soon("keep", keep, Date.now() - waiting > KEEP_AT_LAST ? 0 : KEEP_AFTER);
});

const timers = {};
function soon(name, act, wait) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(act, wait);
}

// The server counts code points, the editor UTF-16 units (😀 is two).
const offset = (row, column) => [...session.getLine(row)].slice(0, column - 1).join("").length;

function goTo(line, column = 1) {
  editor.gotoLine(line, offset(line - 1, column), false);
  editor.focus();
}

// ---------- Problems of the text ----------

let marks = [];

function showMarks() {
  for (const mark of marks.splice(0)) mark();
  const annotations = [];
  const problems = [...document.querySelectorAll("#checked [data-problem]")];
  const broken = new Set(problems.filter(({ dataset }) => dataset.severity === "error").map(({ dataset }) => dataset.line));
  for (const item of problems) {
    const { severity, message, line, column, words } = item.dataset;
    if (!line) continue;
    const row = line - 1;
    const start = offset(row, column || 1);
    annotations.push({ row, column: start, text: message, type: severity });
    const worst = broken.has(line) ? "error" : severity; // a warning must not hide an error
    session.addGutterDecoration(row, `gutter-${worst}`);
    marks.push(() => session.removeGutterDecoration(row, `gutter-${worst}`));
    add(new Range(row, 0, row, 1), `line-${worst}`, "fullLine");
    if (words) add(new Range(row, start, row, start + words.length), `words-${severity}`, "text");
  }
  for (const { dataset } of document.querySelectorAll("#checked [data-example]")) {
    const [row, name] = [dataset.line - 1, dataset.passed === "yes" ? "gutter-passed" : "gutter-failed"];
    session.addGutterDecoration(row, name);
    marks.push(() => session.removeGutterDecoration(row, name));
  }
  session.setAnnotations(annotations);
}

function add(range, className, kind) {
  const id = session.addMarker(range, className, kind);
  marks.push(() => session.removeMarker(id));
}

let asking = null;

async function check() {
  asking?.abort();
  asking = new AbortController();
  const text = editor.getValue();
  try {
    const answer = await send(form.dataset.checkAt, { text }, { signal: asking.signal });
    if (answer.status === 503) return checkAgain(answer.headers.get("Retry-After"));
    if (!answer.ok) return unchecked(`the console answered ${answer.status}`);
    const part = fragment(await answer.text());
    if (editor.getValue() === text) showChecked(part);
  } catch (error) {
    if (error.name !== "AbortError") unchecked("the console does not respond");
  }
}

function unchecked(why) {
  standing.textContent = `not checked (${why})`;
  soon("check", check, 5_000);
}

function checkAgain(seconds) {
  standing.textContent = "checking …";
  soon("check", check, 1000 * (seconds || 2));
}

function showChecked(part) {
  const checked = part.querySelector("#checked");
  if (!checked) return;
  document.getElementById("checked").replaceWith(checked);
  standing.textContent = checked.querySelector("[data-standing]").textContent.trim();
  mayBeSaved(checked);
  showMarks();
  const outline = checked.querySelector("[data-outline]");
  if (!outline) return; // not valid YAML now: keep showing the last rules
  const kind = form.querySelector("[data-kind]");
  if (kind) kind.textContent = outline.dataset.kind;
  form.querySelector("[data-counted]").textContent = outline.dataset.counted;
  form.querySelector("[data-rules]").replaceChildren(...outline.childNodes);
}

function mayBeSaved(checked) {
  const errors = Number(checked.dataset.errors);
  const unchanged = "unchanged" in checked.dataset;
  save.disabled = errors > 0 || unchanged;
  if (errors) save.title = `Fix ${errors === 1 ? "1 error" : `${errors} errors`} first`;
  else save.title = unchanged ? "Identical to the saved version" : "";
}

document.addEventListener("click", (event) => {
  const place = event.target.closest("[data-goes-to]");
  if (place) {
    event.preventDefault();
    const { line, column } = (place.closest("[data-problem]") ?? place).dataset;
    goTo(Number(line), Number(column || 1));
  }
  const button = event.target.closest("[data-fix]");
  if (button) fix(button);
});

function fix(button) {
  const { line, column, words } = button.closest("[data-problem]").dataset;
  const row = line - 1;
  const start = offset(row, column);
  const range = new Range(row, start, row, start + words.length);
  if (session.getTextRange(range) !== words) return check(); // edited meanwhile
  session.replace(range, button.dataset.fix);
  goTo(Number(line), Number(column) + button.dataset.fix.length);
  soon("check", check, 0);
}

// ---------- The draft ----------

let keptText = editor.getValue();
let keeping = Promise.resolve();
let waiting = null; // when the unsaved edits began
let stopped = "elsewhere" in form.dataset;
if (stopped) keptText = null;

const isKept = () => editor.getValue() === keptText;

function keep() {
  clearTimeout(timers.keep);
  keeping = keeping.then(keepNow);
  return keeping;
}

async function keepNow() {
  const text = editor.getValue();
  waiting = null;
  if (stopped || text === keptText) return;
  keptWords.textContent = "Keeping …";
  try {
    const answer = await send(form.dataset.keepAt, { text, base: form.elements.base.value });
    if (answer.status === 409) return stop(await answer.text());
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.detail);
    form.elements.seen.value = told.revision;
    keptText = text;
    if (told.newest > told.base) movedOn(told.newest);
    document.body.dispatchEvent(new Event("draft-kept")); // panels run the draft again
    const now = new Date();
    keptWords.textContent = `Draft saved ${now.toTimeString().slice(0, 8)}`;
    for (const id of ["draft-discard", "draft-compare"]) document.getElementById(id)?.removeAttribute("hidden");
    document.getElementById("without-draft")?.setAttribute("hidden", "");
    document.getElementById("with-draft")?.removeAttribute("hidden");
  } catch (error) {
    keptWords.textContent = `Not saved: ${error instanceof TypeError ? "the console does not respond" : error.message}`;
    soon("keep", keep, 5_000);
  }
}

// Another user saved a version meanwhile: show it now, not only on saving.
function movedOn(newest) {
  document.getElementById("draft-newest").textContent = `v${newest}`;
  document.getElementById("draft-moved").hidden = false;
}

// Another tab saved a different draft: send nothing until the user chooses.
function stop(html) {
  stopped = true;
  keptWords.textContent = "Not saved";
  elsewhere.replaceChildren(fragment(html));
  elsewhere.scrollIntoView({ block: "nearest" });
}

elsewhere.addEventListener("click", ({ target }) => {
  const note = target.closest("[data-elsewhere-revision]");
  if (target.closest("button") && note) form.elements.seen.value = note.dataset.elsewhereRevision;
});

function leave() {
  if (stopped || isKept()) return;
  const text = editor.getValue();
  if (text.length < KEPT_ON_LEAVING)
    send(form.dataset.keepAt, { text, base: form.elements.base.value }, { keepalive: true })
      .then((answer) => answer.ok && answer.json())
      .then((told) => {
        if (!told) return;
        form.elements.seen.value = told.revision;
        keptText = text;
      })
      .catch(() => {});
}

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") leave();
});
window.addEventListener("beforeunload", (event) => {
  if (!going && !isKept() && (stopped || editor.getValue().length >= KEPT_ON_LEAVING)) event.preventDefault();
});

// Save the draft first, whatever is submitted: the form needs the latest revision.
let going = false;
form.addEventListener("submit", (event) => {
  clearTimeout(timers.keep);
  area.value = editor.getValue();
  if (going) return;
  event.preventDefault();
  const by = event.submitter;
  const part = document.getElementById(by?.dataset.answersIn ?? "");
  if (part) return keep().then(() => answerIn(part.id, by.formAction));
  const again = () => {
    going = true;
    const there = by?.isConnected ? by : by && form.querySelector(`button[value="${by.value}"]`);
    form.requestSubmit(there); // a button next to the problems may have been replaced
  };
  keep().then(() => setTimeout(again)); // once this event is over
});
// The answer replaces a part of the page, not the editor. The part may be reloading because the
// draft was saved; abort that request, or this one would be lost.
function answerIn(id, url) {
  const part = document.getElementById(id);
  htmx.trigger(part, "htmx:abort");
  const values = new FormData(form);
  htmx.ajax("POST", url, { source: part, target: part, swap: "outerHTML", values });
}
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-after-keeping]");
  if (!link || isKept() || stopped || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  keep().then(() => isKept() && location.assign(link.href));
});
window.addEventListener("pageshow", () => (going = false));

// ---------- Requests ----------

function send(url, fields, options = {}) {
  const body = new FormData();
  for (const { name, value } of form.querySelectorAll("input[type=hidden]")) body.set(name, value);
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return fetch(url, { method: "POST", body, credentials: "same-origin", ...options });
}

function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "s") {
    event.preventDefault();
    keep();
  }
});

showMarks();
mayBeSaved(document.getElementById("checked"));
check();
