// Live parts: they poll, and pause while the user reads them. Existing values then change in place;
// new rows wait. Without JavaScript a page shows the data it was loaded with.

const waiting = new Map(); // by part id: newest answer while it was being read
let lastAnswer = Date.now();
let lastSaid = 0;

const isLive = (element) => element?.matches?.("[data-live]");
const parsed = (html) => new DOMParser().parseFromString(html, "text/html");
const keyed = (part) => new Map([...part.querySelectorAll("[data-row]")].map((row) => [row.dataset.row, row]));

// Open overlays count as being read.
const OVER =
  "dialog[open], details.pick[open], details.sheet-menu[open], #drawer > *, .facets details[open], .facets a:focus";
const READ = "table:not(.chart-figure table), .chart-figure, .findings";

// Touch leaves :hover behind, so only a real pointer counts. A part that the user has scrolled
// into would move while being read.
function isRead(part) {
  if (document.querySelector(OVER) || part.getBoundingClientRect().top < 0) return true;
  const selection = getSelection();
  if (!selection.isCollapsed && part.contains(selection.anchorNode)) return true;
  const regions = [...part.querySelectorAll(READ)];
  return (regions.length ? regions : [part]).some((read) => {
    const pointed = matchMedia("(hover: hover)").matches && read.matches(":hover");
    return pointed || read.contains(document.activeElement);
  });
}

function flash(elements) {
  for (const element of elements) element.classList.add("changed");
  setTimeout(() => elements.forEach((element) => element.classList.remove("changed")), 1000);
}

const cellsOf = (row) => (row.tagName === "TR" ? [...row.children] : [row]);
// Times are rewritten in the reader's zone, so compare the server's values.
const said = (cell) => cell.querySelector("time")?.dateTime ?? cell.textContent;

function changedCells(before, after) {
  const cells = [];
  for (const [key, row] of after) {
    const old = cellsOf(before.get(key) ?? row);
    cellsOf(row).forEach((cell, at) => {
      if (old[at] && said(old[at]) !== said(cell)) cells.push([old[at], cell]);
    });
  }
  return cells;
}

// Existing values change in place; new rows wait.
function updateInPlace(part, fresh) {
  const changed = changedCells(keyed(part), keyed(fresh.getElementById(part.id)));
  for (const [old, cell] of changed) {
    if (old.contains(document.activeElement)) continue;
    old.replaceChildren(...[...cell.childNodes].map((node) => document.importNode(node, true)));
    htmx.trigger(old, "htmx:load");
  }
  flash(changed.map(([old]) => old));
  for (const other of fresh.querySelectorAll("[hx-swap-oob]")) {
    const there = document.getElementById(other.id);
    if (!there || there.textContent === other.textContent) continue;
    // Keep what has focus or is open.
    if (there.contains(document.activeElement) || there.querySelector("details[open]")) continue;
    there.replaceChildren(...other.childNodes);
  }
}

function replace(part, html) {
  const before = keyed(part);
  waiting.delete(part.id);
  htmx.swap(part, html, { swapStyle: "outerHTML", swapDelay: 0, settleDelay: 0 });
  const now = document.getElementById(part.id);
  if (!now) return;
  const changed = changedCells(before, keyed(now)).map(([, cell]) => cell);
  const rows = [...keyed(now)].filter(([key]) => before.size && !before.has(key));
  flash([...changed, ...rows.flatMap(([, row]) => cellsOf(row))]);
}

// A narrow bar shows only the text that matters.
function say(sign, matters, before = "", after = "") {
  if (sign.textContent === before + matters + after) return;
  const [all, ...around] = [0, 0, 0].map(() => document.createElement("span"));
  [before, after].forEach((text, at) => Object.assign(around[at], { className: "only-wide", textContent: text }));
  all.append(around[0], matters, around[1]);
  sign.replaceChildren(all);
}

function sayLive() {
  const sign = document.querySelector("[data-live-state]");
  if (!sign) return;
  const rows = [...waiting].flatMap(([id, html]) => {
    const there = keyed(document.getElementById(id));
    return [...keyed(parsed(html).getElementById(id)).keys()].filter((key) => !there.has(key));
  });
  const age = Math.round((Date.now() - lastAnswer) / 1000);
  const stale = age > 5 && !document.hidden;
  const paused = !stale && waiting.size > 0;
  sign.classList.toggle("stale", stale);
  sign.classList.toggle("paused", paused);
  if (stale) say(sign, `${age < 120 ? `${age} s` : `${Math.round(age / 60)} min`} ago`, "Last update ");
  else if (paused && rows.length) say(sign, `${rows.length} new`, "Paused while you read · ");
  else if (paused) say(sign, "Paused", "", " while you read");
  else say(sign, "Live");
  const aloud = document.querySelector("[data-live-said]");
  if (aloud && rows.length && Date.now() - lastSaid > 10_000) {
    aloud.textContent = `${rows.length} new`;
    lastSaid = Date.now();
  }
}

function showWaiting() {
  for (const [id, html] of waiting) {
    const part = document.getElementById(id);
    if (part) replace(part, html);
  }
  sayLive();
}

document.addEventListener("htmx:beforeRequest", (event) => {
  const part = event.detail.elt;
  if (!isLive(part)) return;
  const html = waiting.get(part.id);
  if (html && !isRead(part)) {
    event.preventDefault();
    replace(part, html);
  }
  if (document.hidden) event.preventDefault();
  sayLive();
});

// Poll from the waiting answer on: no new answer means that nothing has changed.
document.addEventListener("htmx:configRequest", ({ detail }) => {
  const html = isLive(detail.elt) && waiting.get(detail.elt.id);
  const url = html && parsed(html).getElementById(detail.elt.id)?.getAttribute("hx-get");
  if (url) detail.path = url;
});

// The answer for a part that has left the page may contain elements that the new page lacks.
// Its events reach only the part itself.
document.addEventListener("htmx:beforeRequest", ({ detail: { elt, target } }) => {
  if (elt !== target) return;
  const drop = (event) => { if (!elt.isConnected) event.preventDefault(); };
  elt.addEventListener("htmx:beforeOnLoad", drop, { once: true });
});

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const part = detail.elt;
  if (!isLive(part) || detail.isError) return;
  // The user chose another view: show it at once, and drop what waited for the old one.
  if (detail.requestConfig.elt !== part) return waiting.delete(part.id);
  lastAnswer = Date.now();
  if (!detail.shouldSwap) return;
  // Another view has replaced it meanwhile.
  if (!part.isConnected) return (detail.shouldSwap = false);
  detail.shouldSwap = false;
  const html = detail.serverResponse;
  if (isRead(part)) {
    waiting.set(part.id, html);
    updateInPlace(part, parsed(html));
  } else replace(part, html);
  sayLive();
});

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) lastAnswer = Date.now();
});

document.addEventListener("click", (event) => {
  if (!waiting.size || !event.target.closest("[data-live-state]")) return;
  event.preventDefault();
  showWaiting();
});
