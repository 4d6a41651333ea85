// Zooming into a session's strip: by keys around the focused mark, or by dragging a selection.
// The links next to it do the same without JavaScript.

const FEWEST = 20; // calls, as on the server
const DRAGGED = 8; // pixels; less is a click

const stripOf = (element) => element.closest?.("#strip");
// A mark's label starts with the number of its call, or of its first call.
const wordsOf = (link) => link?.getAttribute("aria-label") ?? link?.querySelector("title")?.textContent ?? "";
const numberOf = (link) => Number(/^Calls? ([\d,]+)/.exec(wordsOf(link))?.[1].replaceAll(",", ""));
const has = (strip, name) => Number(strip.dataset[name]);

function goTo(strip, from, to) {
  const [first, last] = [has(strip, "first"), has(strip, "last")];
  const link = strip.querySelector("[data-zoom]");
  const address = (attribute) => {
    const url = new URL(link.getAttribute(attribute), location.href);
    const whole = from <= first && to >= last;
    for (const [name, value] of [["first", Math.max(from, first)], ["last", Math.min(to, last)]]) {
      if (whole) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    return url.pathname + url.search;
  };
  const focused = document.activeElement.closest?.("[data-strip]") && numberOf(document.activeElement);
  // htmx pushes the URL: it also marks the previous entry, which it must restore on going back.
  const where = { target: "#standing", swap: "outerHTML", push: address("href") };
  htmx.ajax("GET", address("hx-get"), where).then(() => focusMark(focused));
}

// Focus the same call again, in whichever of the two strips is visible.
function focusMark(number) {
  if (!number) return;
  const links = [...document.querySelectorAll("#strip [data-strip] a")].filter((link) => link.getClientRects().length);
  const near = links.filter((link) => numberOf(link) <= number).pop() ?? links[0];
  for (const link of links) link.setAttribute("tabindex", link === near ? "0" : "-1");
  near?.focus();
}

// Zoom by a factor, keeping the call in its position.
function zoom(strip, number, factor) {
  const [from, to] = [has(strip, "from"), has(strip, "to")];
  const calls = Math.max(Math.round((to - from + 1) * factor), FEWEST);
  const before = Math.round(((number - from) / (to - from + 1)) * calls);
  const begin = Math.max(number - before, has(strip, "first"));
  goTo(strip, begin, begin + calls - 1);
}

document.addEventListener("keydown", (event) => {
  const link = event.target.closest?.("#strip [data-strip] a");
  if (!link || event.ctrlKey || event.metaKey || event.altKey) return;
  const strip = stripOf(link);
  const act = {
    "+": () => zoom(strip, numberOf(link), 0.5),
    "-": () => zoom(strip, numberOf(link), 2),
    0: () => goTo(strip, 0, Infinity),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// ---------- Dragging a selection ----------

let pressed = null; // position and call number
let wasDragged = false;

const markUnder = ({ clientX, clientY }) => document.elementFromPoint(clientX, clientY)?.closest("#strip [data-strip] a");

document.addEventListener("pointerdown", (event) => {
  wasDragged = false;
  const link = event.button === 0 && event.pointerType === "mouse" && event.target.closest?.("#strip [data-strip] a");
  pressed = link ? { x: event.clientX, y: event.clientY, number: numberOf(link) } : null;
});

document.addEventListener("dragstart", (event) => {
  if (event.target.closest?.("#strip [data-strip]")) event.preventDefault();
});

document.addEventListener("pointerup", (event) => {
  if (!pressed || Math.abs(event.clientX - pressed.x) < DRAGGED) return;
  wasDragged = true;
  // Only the horizontal release position matters.
  const link = markUnder({ clientX: event.clientX, clientY: pressed.y });
  const ends = [pressed.number, numberOf(link)].filter(Number.isFinite).sort((a, b) => a - b);
  if (ends.length === 2 && ends[0] !== ends[1]) goTo(document.getElementById("strip"), ...ends);
});

// A mark opens its call in the drawer; with a modifier key or no script, on its page.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#strip [data-strip] a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (wasDragged) return;
  const swap = "innerHTML ignoreTitle:true";
  htmx.ajax("GET", link.getAttribute("href"), { source: link, target: "#drawer", select: "#call > *", swap });
});
