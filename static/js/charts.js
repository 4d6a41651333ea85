// Read-outs of charts: the pointer or arrow keys move along the points, whose values are shown and
// announced. The chart's table has all of them, and replaces this without JavaScript.

const SVG = "http://www.w3.org/2000/svg";
const readouts = new WeakMap(); // by box: its elements

function make(box) {
  const readout = document.createElement("div");
  readout.className = "chart-readout";
  readout.hidden = true;
  readout.setAttribute("aria-hidden", "true");
  const said = document.createElement("p");
  said.className = "unseen";
  said.setAttribute("role", "status");
  box.append(readout, said);
  const made = { readout, said, at: -1, cursor: null };
  readouts.set(box, made);
  return made;
}

const partsOf = (box) => readouts.get(box) ?? make(box);
const rowsOf = (box) => [...(box.closest("[data-chart]")?.querySelectorAll("tbody tr[data-x]") ?? [])];

// A line of a read-out: a column header and the row's cell.
function linesOf(row) {
  const heads = [...row.closest("table").tHead.rows[0].cells];
  return [...row.cells].map((cell, at) => [heads[at].textContent, cell.textContent]);
}

function write(readout, title, lines) {
  const head = document.createElement("span");
  head.textContent = title;
  const rest = lines.flatMap(([name, value]) => {
    const label = document.createElement("span");
    label.textContent = name;
    const figure = document.createElement("b");
    figure.textContent = value;
    return [label, figure];
  });
  readout.replaceChildren(head, ...rest);
}

// On the side with more room, so it is never under the pointer.
function place(readout, percent) {
  readout.style.left = percent <= 50 ? `${percent}%` : "auto";
  readout.style.right = percent <= 50 ? "auto" : `${100 - percent}%`;
  readout.style.maxWidth = `calc(${Math.max(percent, 100 - percent)}% - 20px)`;
  readout.hidden = false;
}

function drawCursor(box, made, percent) {
  const plot = box.querySelector("svg.plot");
  if (!made.cursor?.isConnected) {
    made.cursor = document.createElementNS(SVG, "line");
    made.cursor.setAttribute("class", "chart-cursor");
    made.cursor.setAttribute("y1", "0");
    made.cursor.setAttribute("y2", "100%");
    plot.append(made.cursor);
  }
  made.cursor.setAttribute("x1", `${percent}%`);
  made.cursor.setAttribute("x2", `${percent}%`);
}

function show(box, at, { aloud }) {
  const rows = rowsOf(box);
  const row = rows[at];
  if (!row) return;
  const made = partsOf(box);
  const percent = Number(row.dataset.x);
  const [[, title], ...lines] = linesOf(row);
  made.at = at;
  drawCursor(box, made, percent);
  write(made.readout, title, lines);
  place(made.readout, percent);
  if (aloud) made.said.textContent = `${title}. ${lines.map(([name, value]) => `${name} ${value}`).join(", ")}`;
}

function hide(box) {
  const made = readouts.get(box);
  if (!made) return;
  made.at = -1;
  made.readout.hidden = true;
  made.said.textContent = "";
  made.cursor?.remove();
}

function nearest(box, clientX) {
  const area = box.getBoundingClientRect();
  const percent = (100 * (clientX - area.left)) / area.width;
  const away = rowsOf(box).map((row) => Math.abs(Number(row.dataset.x) - percent));
  return away.indexOf(Math.min(...away));
}

// ---------- Pointer ----------

document.addEventListener("pointermove", ({ target, clientX }) => {
  const box = target.closest?.("[data-plot]");
  if (box) show(box, nearest(box, clientX), { aloud: false });
});

document.addEventListener("pointerout", ({ target, relatedTarget }) => {
  const box = target.closest?.("[data-plot], [data-strip]");
  if (box && !box.contains(relatedTarget) && document.activeElement !== box) hide(box);
});

// ---------- Keys ----------

const STEPS = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };

document.addEventListener("keydown", (event) => {
  const box = event.target;
  if (!box.matches?.("[data-plot]") || event.ctrlKey || event.metaKey || event.altKey) return;
  const last = rowsOf(box).length - 1;
  const { at } = partsOf(box);
  if (event.key === "Enter") rowsOf(box)[at]?.querySelector("a")?.click();
  else if (event.key === "Escape") hide(box);
  else if (STEPS[event.key] && last >= 0) {
    event.preventDefault();
    const from = at < 0 ? (STEPS[event.key] > 0 ? -1 : last + 1) : at;
    show(box, Math.min(Math.max(from + STEPS[event.key], 0), last), { aloud: true });
  }
});

document.addEventListener("focusout", ({ target }) => {
  if (target.matches?.("[data-plot]")) hide(target);
});

// ---------- The strip: each mark is a link with a label ----------

// The browser's own tooltip would appear late, and cover ours.
function takeTitle(link) {
  const title = link.querySelector("title");
  if (title) {
    link.setAttribute("aria-label", title.textContent);
    title.remove();
  }
  return link.getAttribute("aria-label") ?? "";
}

function showMark({ target }) {
  const link = target.closest?.("[data-strip] a");
  if (!link) return;
  const box = link.closest("[data-strip]");
  const mark = link.querySelector("rect");
  const { readout } = partsOf(box);
  write(readout, takeTitle(link), []);
  place(readout, Number.parseFloat(mark.getAttribute("x")) + Number.parseFloat(mark.getAttribute("width")) / 2);
}

document.addEventListener("pointerover", showMark);
document.addEventListener("focusin", showMark);
document.addEventListener("focusout", ({ target }) => {
  const box = target.closest?.("[data-strip]");
  if (box) hide(box);
});

// ---------- The table as a file, written by the browser from the table in the page ----------

// As in governance/core/tables.py: spreadsheets run such text as a formula. Numbers are safe.
const FORMULA = /^[\t\r\n]|^[\s\x1c-\x1f\x85]*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^-?\d+(\.\d+)?$/;
const TYPES = { csv: "text/csv;charset=utf-8", json: "application/json" };

const valueOf = (cell) => cell.querySelector("time[datetime]")?.dateTime ?? cell.textContent;
const guarded = (text) => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);
const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const WRITE = {
  csv(heads, rows) {
    const lines = [heads, ...rows].map((cells) => cells.map(guarded).map(quoted).join(","));
    return lines.map((line) => `${line}\r\n`).join("");
  },
  json(heads, rows) {
    const named = (cells) => Object.fromEntries(cells.map((value, at) => [heads[at], value]));
    return `[\n${rows.map((cells) => JSON.stringify(named(cells))).join(",\n")}\n]\n`;
  },
};

function save(table, format) {
  const [heads, ...rows] = [...table.rows].map((row) => [...row.cells].map(valueOf));
  const href = URL.createObjectURL(new Blob([WRITE[format](heads, rows)], { type: TYPES[format] }));
  const words = table.caption.textContent.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["chart"];
  const download = `${words.join("-").slice(0, 80)}.${format}`;
  Object.assign(document.createElement("a"), { href, download }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000); // some browsers read it after the click
}

// The links of _components/files.html, added once a table is open, so nothing moves before.
function offerFiles(disclosure) {
  if (disclosure.querySelector(".files")) return;
  const files = document.createElement("p");
  files.className = "files";
  const links = Object.keys(TYPES).map((format) =>
    Object.assign(document.createElement("a"), { href: "#", textContent: format.toUpperCase() }),
  );
  files.append(links[0], " · ", links[1]);
  disclosure.append(files);
}

// Parts of pages are replaced, so the document listens. The toggle event doesn't bubble.
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (target.open && target.matches(".chart-table")) offerFiles(target);
  },
  true,
);

document.addEventListener("click", (event) => {
  const link = event.target.closest?.(".chart-table > .files > a");
  if (!link) return;
  event.preventDefault();
  save(link.closest(".chart-table").querySelector("table"), link.textContent.toLowerCase());
});

// ---------- Every chart, on load ----------

// The keys need the script, so only the script makes a chart focusable.
function ready(part) {
  for (const box of part.querySelectorAll("[data-plot]:not([tabindex])")) {
    if (!rowsOf(box).length) continue;
    box.tabIndex = 0;
    box.setAttribute("role", "application");
    box.setAttribute("aria-roledescription", "chart");
    box.setAttribute("aria-label", `${box.dataset.plot}, arrow keys read its points`);
  }
}

ready(document);
document.addEventListener("htmx:load", ({ detail }) => ready(detail.elt.parentElement ?? detail.elt));

// Zooming into a time chart: a dragged selection becomes the page's range. The range menu does the
// same by keyboard and without JavaScript. With Shift, *What differs* compares the failures of the
// selection, or what the chart shows, with its other calls.

const DRAGGED = 8; // pixels; less is a click

let drag = null; // plot, rows, start position and selection element
let wasDragged = false;

const beginOf = (row) => row?.querySelector("time")?.dateTime;
const shareOf = (area, clientX) => Math.min(Math.max((clientX - area.left) / area.width, 0), 1);

// Start of a selection's first step, end of its last one.
function timesOf(rows, until, from, to) {
  const inside = rows.filter((_, at) => (at + 1) / rows.length > from && at / rows.length < to);
  const after = rows[rows.indexOf(inside.at(-1)) + 1];
  return [beginOf(inside[0]), beginOf(after) ?? until];
}

function mark({ box, area, x, selection }, clientX) {
  const [from, to] = [shareOf(area, x), shareOf(area, clientX)].sort((a, b) => a - b);
  selection.style.left = `${100 * from}%`;
  selection.style.width = `${100 * (to - from)}%`;
  if (!selection.isConnected) box.append(selection);
  return [from, to];
}

function begin(event) {
  wasDragged = false;
  const box = event.button === 0 && event.pointerType === "mouse" && event.target.closest?.("[data-plot]");
  const until = box && box.closest("[data-chart]")?.querySelector("table")?.dataset.until;
  if (!until) return;
  const selection = document.createElement("div");
  selection.className = "chart-selection";
  drag = { box, until, selection, rows: rowsOf(box), area: box.getBoundingClientRect(), x: event.clientX };
}

function goTo(since, until) {
  const url = new URL(location.href);
  url.searchParams.delete("range");
  url.searchParams.set("from", since);
  url.searchParams.set("to", until);
  location.assign(url);
}

// Columns link to their calls, with the chart's filters.
function compare(box, since, until) {
  const link = box.querySelector("a[href]");
  if (!link) return goTo(since, until);
  const url = new URL(link.getAttribute("href"), location.href);
  const chosen = { from: since, to: until, differs: "1", show: url.searchParams.get("show") ?? "failures" };
  for (const [name, value] of Object.entries(chosen)) url.searchParams.set(name, value);
  url.searchParams.delete("range");
  url.hash = "differs";
  location.assign(url);
}

document.addEventListener("pointerdown", begin);

document.addEventListener("pointermove", ({ clientX }) => {
  if (drag && Math.abs(clientX - drag.x) >= DRAGGED) mark(drag, clientX);
});

document.addEventListener("pointerup", ({ clientX, shiftKey }) => {
  const ended = drag;
  drag = null;
  if (!ended || Math.abs(clientX - ended.x) < DRAGGED) return ended?.selection.remove();
  wasDragged = true;
  const [since, until] = timesOf(ended.rows, ended.until, ...mark(ended, clientX));
  if (!since || !until || since >= until) return;
  if (shiftKey) compare(ended.box, since, until);
  else goTo(since, until);
});

document.addEventListener("dragstart", (event) => {
  if (event.target.closest?.("[data-plot]")) event.preventDefault();
});

// A column links to its calls; ending a drag over it is not a click.
document.addEventListener(
  "click",
  (event) => {
    if (wasDragged && event.target.closest?.("[data-plot]")) event.preventDefault();
  },
  true,
);

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !drag) return;
  drag.selection.remove();
  drag = null;
});
