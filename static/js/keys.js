// Keyboard navigation: along a page's rows, from page to page, and the search palette. Links do
// everything that keys do.

// ---------- Off while a field has focus, and if the user turned them off ----------

const keysAreOn = () => !("withoutSingleKeys" in document.body.dataset);
const writes = (element) => element.closest("input, select, textarea, [contenteditable]");

// The setting's form saves it on the server; this applies it to the page at once.
document.addEventListener("change", ({ target }) => {
  if (!target.matches("[data-keys-choice]")) return;
  document.body.toggleAttribute("data-without-single-keys", !target.checked);
  for (const other of document.querySelectorAll("[data-keys-choice]")) other.checked = target.checked;
});

// ---------- Rows ----------

// The main link of each row, or its first one; folded rows are skipped.
function rows() {
  const found = [...document.querySelectorAll("main a.row-link:not(tr *), main table.table tbody tr")];
  const links = found.map((each) => (each.matches("a") ? each : each.querySelector("a.row-link, a[href]")));
  return [...new Set(links)].filter((link) => link?.checkVisibility());
}

function walk(step) {
  const links = rows();
  const at = links.indexOf(document.activeElement);
  // Start with the first visible row.
  const seen = links.findIndex((link) => link.getBoundingClientRect().top > 0);
  const next = at < 0 ? seen - (step < 0 ? 1 : 0) : at + step;
  links[next]?.focus();
  links[next]?.scrollIntoView({ block: "nearest" });
}

function leave() {
  const menus = [...document.querySelectorAll("details.pick[open], details.sheet-menu[open]")];
  for (const menu of menus) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
  if (!menus.length) document.querySelector("#drawer [data-drawer-close]")?.click();
}

// In a drawer, j and k go to the neighbouring calls; elsewhere, along the rows.
function neighbour(key) {
  const link = document.querySelector(`#drawer [data-key="${key}"]`);
  if (link) link.click();
  else walk(key === "j" ? 1 : -1);
}

// ---------- From page to page ----------

let going = false;
function goTo(key) {
  going = false;
  // Any key may follow, even one special in a selector.
  document.querySelector(`.nav [data-go="${CSS.escape(key)}"]`)?.click();
}

const KEYS = {
  "/": () => {
    const search = document.querySelector("main input[type=search]");
    if (search) search.focus();
    else openPalette();
  },
  "?": () => document.getElementById("keys")?.showModal(),
  j: () => neighbour("j"),
  k: () => neighbour("k"),
  g: () => {
    going = true;
    setTimeout(() => (going = false), 1500);
  },
};

// One tab stop for a strip of many marks; the arrows walk inside it.
function rove(event) {
  const group = event.target.closest("[data-rove]");
  const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
  if (!group || !step) return false;
  const links = [...group.querySelectorAll("a")];
  const at = links.indexOf(event.target.closest("a"));
  const next = links[Math.min(Math.max(at + step, 0), links.length - 1)];
  for (const link of links) link.setAttribute("tabindex", link === next ? "0" : "-1");
  next.focus();
  return true;
}

document.addEventListener("keydown", (event) => {
  if (isForPalette(event)) {
    event.preventDefault();
    return palette.open ? palette.close() : openPalette();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") return leave();
  if (writes(event.target)) return;
  if (rove(event)) return event.preventDefault();
  if (!keysAreOn()) return;
  const act = going ? () => goTo(event.key) : KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// ---------- The palette: the field keeps focus, arrow keys select below it ----------

const palette = document.getElementById("palette");
const field = palette?.querySelector("input[role=combobox]");
const found = document.getElementById("palette-found");
const choices = () => [...found.querySelectorAll("[role=option]:not([aria-disabled])")];
const chosen = () => found.querySelector("[aria-selected=true]");

// The text editor uses Ctrl K for its own search.
function isForPalette(event) {
  const combined = event.key?.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
  return palette && combined && !event.altKey && !event.shiftKey && !event.target.closest?.(".ace_editor");
}

function openPalette() {
  const other = document.querySelector("dialog[open]");
  if (!palette || other) return;
  palette.showModal();
  field.select();
  if (!found.childElementCount) htmx.trigger(field, "look");
}

function choose(option) {
  chosen()?.setAttribute("aria-selected", "false");
  if (option) {
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", option.id);
  } else field.removeAttribute("aria-activedescendant");
}

field?.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const all = choices();
  if (step && all.length) {
    event.preventDefault();
    choose(all[(all.indexOf(chosen()) + step + all.length + (step < 0 && !chosen() ? 1 : 0)) % all.length]);
  } else if (event.key === "Enter" && chosen()) {
    event.preventDefault();
    chosen().click();
  }
});

// The results are for an older text now, so Enter opens the search page.
field?.addEventListener("input", () => choose(null));
found?.addEventListener("htmx:afterSwap", () => choose(choices()[0]));

document.addEventListener("click", (event) => {
  if (event.target === palette || event.target.closest("#palette [data-closes]")) palette.close();
  if (!event.target.closest("[data-palette]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  openPalette();
});

for (const key of document.querySelectorAll(".find kbd"))
  if (/^(Mac|iP)/.test(navigator.platform)) key.textContent = "⌘ K";
