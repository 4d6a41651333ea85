// Live parts: they ask for themselves again, and stand still while somebody reads them. Values that
// are there change in place; what is new waits. Without script a page shows what it was loaded with.

const waiting = new Map(); // by the id of a part: what came while it was being read
let lastAnswer = Date.now();
let lastSaid = 0;

const isLive = (element) => element?.matches?.("[data-live]");
const parsed = (html) => new DOMParser().parseFromString(html, "text/html");
const keyed = (part) => new Map([...part.querySelectorAll("[data-row]")].map((row) => [row.dataset.row, row]));

// What lies over the page is what somebody looks at.
const OVER =
  "dialog[open], details.pick[open], details.sheet-menu[open], #drawer > *, .facets details[open], .facets a:focus";
const READ = "table:not(.chart-figure table), .chart-figure, .findings";

// A finger leaves its :hover where it was, so only a real pointer counts. Who has scrolled into a
// part would see it move under their eyes.
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
// Times are written anew in the reader's zone, so what is compared is what the server says.
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

// What is there already changes in place; what is new waits.
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
    // What somebody opened or stands in stays as it is.
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

// A narrow bar has room for what matters, not for the words around it.
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

// What waits is asked about from then on: no answer means that nothing more has come.
document.addEventListener("htmx:configRequest", ({ detail }) => {
  const html = isLive(detail.elt) && waiting.get(detail.elt.id);
  const url = html && parsed(html).getElementById(detail.elt.id)?.getAttribute("hx-get");
  if (url) detail.path = url;
});

// The answer to a part that has left the page meanwhile brings along what the new page may not have.
// Its events reach nothing but the part itself.
document.addEventListener("htmx:beforeRequest", ({ detail: { elt, target } }) => {
  if (elt !== target) return;
  const drop = (event) => { if (!elt.isConnected) event.preventDefault(); };
  elt.addEventListener("htmx:beforeOnLoad", drop, { once: true });
});

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const part = detail.elt;
  if (!isLive(part) || detail.isError) return;
  // Somebody asked for another view of it: that comes at once, and what waited is of the view before.
  if (detail.requestConfig.elt !== part) return waiting.delete(part.id);
  lastAnswer = Date.now();
  if (!detail.shouldSwap) return;
  // Another view has taken its place meanwhile.
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
