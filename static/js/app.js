// What HTML alone can't do: focus, copying, the theme,
// and toasts for failed requests. Every page works without it.

// ---------- Theme: the reader's choice, stored in this browser ----------

function chooseTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  // A cookie, so that the next page is rendered in it from the start.
  const kept = theme === "system" ? "theme=; max-age=0" : `theme=${theme}; max-age=31536000`;
  document.cookie = `${kept}; path=/; samesite=lax`;
}

function showChoices(part) {
  const theme = document.documentElement.dataset.theme ?? "system";
  for (const input of part.querySelectorAll("[data-theme-choice]")) input.checked = input.value === theme;
}

document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-theme-choice]")) chooseTheme(target.value);
});

// ---------- Toasts: what succeeded, or failed ----------

const SPRITE = () => document.querySelector("meta[name=icons]")?.content ?? "";

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `${SPRITE()}#${name}`);
  svg.append(use);
  return svg;
}

function toast(words, { bad = false } = {}) {
  // Already shown, and still visible.
  if (bad && [...document.querySelectorAll(".toast.bad")].some((each) => each.textContent === words)) return;
  const box = document.createElement("div");
  box.className = bad ? "toast bad" : "toast";
  const text = document.createElement("span");
  text.textContent = words;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "button quiet small only-icon";
  close.setAttribute("aria-label", "Close");
  close.append(icon("close"));
  close.addEventListener("click", () => box.remove());
  box.append(icon(bad ? "error" : "success"), text, close);
  document.getElementById("toasts")?.append(box);
  if (!bad) fade(box);
}

// Stays while hovered or focused.
function fade(box) {
  const away = () => (box.matches(":hover, :focus-within") ? setTimeout(away, 2000) : box.remove());
  setTimeout(away, 6000);
}

document.addEventListener("htmx:responseError", ({ detail }) => {
  const { status } = detail.xhr;
  if (isBusy(detail.xhr)) askAgain(detail);
  else if (status === 401 || status === 403) toast("No longer allowed. Reload the page and sign in.", { bad: true });
  else if (status === 404 && isPoll(detail.elt)) toast("This item no longer exists.", { bad: true });
  else toast(`The console returned ${status}. This page was not updated.`, { bad: true });
});

// The console refused the request before running any of it, so it is retried after a delay.
const isBusy = ({ status, responseText }) => status === 503 && /"code": ?"busy"/.test(responseText);
let busy = false;
function askAgain({ elt, target, xhr, requestConfig }) {
  if (!busy) toast("The console is busy, retrying …");
  busy = true;
  if (isPoll(elt)) return; // polls anyway
  setTimeout(() => {
    if (elt.isConnected) htmx.ajax(requestConfig.verb, requestConfig.path, { source: elt, target });
  }, 1000 * (xhr.getResponseHeader("Retry-After") || 2));
}
document.addEventListener("htmx:afterOnLoad", () => {
  busy = false;
});

// A part that was removed stays removed: stop polling it.
const isPoll = (element) => element.matches('[hx-trigger*="every"]');
document.addEventListener("htmx:responseError", ({ detail }) => {
  if (detail.xhr.status === 404 && isPoll(detail.elt)) detail.elt.dataset.gone = "";
});
document.addEventListener("htmx:beforeRequest", (event) => {
  if ("gone" in event.detail.elt.dataset) event.preventDefault();
});

// Report a failing poll once, not every second.
let silent = false;
const wentSilent = () => {
  if (!silent) toast("The console does not respond. This page may be outdated.", { bad: true });
  silent = true;
};
document.addEventListener("htmx:sendError", wentSilent);
document.addEventListener("htmx:timeout", wentSilent);
document.addEventListener("htmx:afterOnLoad", () => {
  silent = false;
});

// ---------- Copying ----------

async function copy(button) {
  const from = button.dataset.copyFrom;
  const link = "copyLink" in button.dataset ? button.href : button.dataset.copy;
  const text = from ? document.querySelector(from)?.textContent : link;
  try {
    await navigator.clipboard.writeText(text ?? "");
    toast("Copied.");
  } catch {
    toast("The browser blocked copying. Select the text and copy it.", { bad: true });
  }
}

// ---------- Menus and the drawer ----------

const openMenus = () => [...document.querySelectorAll("details.pick[open], details.sheet-menu[open]")];

document.addEventListener("click", (event) => {
  for (const menu of openMenus()) {
    const chosen = event.target.closest("a") && menu.contains(event.target);
    if (!menu.contains(event.target) || chosen) menu.open = false;
  }
  const button = event.target.closest("[data-copy], [data-copy-from], [data-copy-link]");
  if (button?.matches("a")) event.preventDefault();
  if (button) copy(button);
  const opener = event.target.closest("[data-opens]");
  if (opener && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    document.getElementById(opener.dataset.opens)?.showModal();
  }
  if (event.target.closest("#drawer [data-drawer-close]")) {
    event.preventDefault();
    closeDrawer();
  }
});

let cameFrom = null;
document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  if (detail.target?.id === "drawer" && !detail.elt.closest("#drawer")) cameFrom = detail.elt;
});

document.addEventListener("htmx:afterSettle", ({ detail }) => {
  if (detail.target?.id !== "drawer") return;
  const head = detail.target.querySelector("[data-drawer-head]");
  head?.focus({ preventScroll: true });
  showChosen();
});

// Select the row of the call in the drawer.
function showChosen() {
  const call = document.querySelector("#drawer [data-call]")?.dataset.call;
  for (const row of document.querySelectorAll("main tr[data-row]")) {
    if (row.dataset.row === call) row.setAttribute("aria-selected", "true");
    else row.removeAttribute("aria-selected");
  }
}

function emptyDrawer(how) {
  document.getElementById("drawer").replaceChildren();
  showChosen();
  if (cameFrom?.isConnected) cameFrom.focus(how);
}

function closeDrawer() {
  emptyDrawer();
  if (!isAddressed || leaves) return;
  leaves = true;
  history.back();
}

// ---------- The drawer's URL: the page of what it shows, so it can be copied and reloaded ----------

// Its history entry follows that of the page beneath. Both have state of our own: for an entry
// with htmx's state, htmx would fetch the page again.
let shown = ""; // URL of the drawer's content
let isAddressed = false; // the address bar has it
let leaves = false; // going back to the page beneath

function addressDrawer() {
  const address = new URL(shown, location.href).href;
  if (leaves || address === location.href) return;
  if (isAddressed) return history.replaceState(history.state, "", address);
  history.replaceState({ ...history.state, hasDrawer: true }, "");
  // The page beneath keeps its scroll position.
  history.scrollRestoration = "manual";
  history.pushState({ beneath: location.href }, "", address);
  isAddressed = true;
}

// Another view of the page beneath, or an anchor in it, is relative to its URL.
function giveAddressBack() {
  if (!isAddressed) return;
  isAddressed = false;
  history.replaceState(null, "", history.state.beneath);
  history.scrollRestoration = "auto";
}

document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target?.id !== "drawer") return;
  // Other content of the drawer is only a part of the page at its URL.
  if (!document.querySelector("#drawer [data-call]")) return giveAddressBack();
  shown = detail.requestConfig.path;
  addressDrawer();
});
document.addEventListener("htmx:beforeHistorySave", giveAddressBack);
document.addEventListener("click", ({ target }) => target.closest('a[href^="#"]') && giveAddressBack(), true);

function wentTo(event) {
  const { beneath, hasDrawer } = event.state ?? {};
  const [wasAddressed, wasLeaving] = [isAddressed, leaves];
  isAddressed = leaves = false;
  if (hasDrawer) history.scrollRestoration = "auto";
  if (wasAddressed && hasDrawer) event.stopImmediatePropagation();
  else if (beneath || (hasDrawer && !document.getElementById("drawer"))) {
    // Forward to a call, or back from one that was reloaded: the document differs.
    event.stopImmediatePropagation();
    return location.reload();
  }
  if (!wasAddressed) return;
  if (!wasLeaving) return emptyDrawer({ preventScroll: true });
  // A request from before closing was answered.
  if (document.querySelector("#drawer [data-call]")) addressDrawer();
}

// Captures, to run before htmx.
addEventListener("popstate", wentTo, true);
if (history.state?.hasDrawer) history.scrollRestoration = "auto";

// ---------- Every part, on load ----------

// Scroll the current tab into view.
for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  const { parentElement: tabs } = tab;
  tabs.scrollLeft = tab.offsetLeft + tab.offsetWidth + 24 - tabs.offsetLeft - tabs.clientWidth;
}
document.addEventListener("htmx:load", ({ detail }) => {
  ready(detail.elt.parentElement ?? detail.elt);
  if (detail.elt.matches("[data-live]")) showChosen();
});

// Times in the reader's zone: the profile's, else the browser's. Every page works without it, in
// UTC.

const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const zone = document.body.dataset.zone || browserZone;

// From the next page on, the server draws days and steps of charts in this zone.
if (browserZone && !document.cookie.split("; ").includes(`zone=${browserZone}`))
  document.cookie = `zone=${browserZone}; path=/; max-age=31536000; samesite=lax`;

const DAY = 86_400_000;
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (number) => String(number).padStart(2, "0");
const clock = new Intl.DateTimeFormat("en-US", {
  timeZone: zone,
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
});

// A date whose UTC fields show the reader's local time.
function wallClock(moment) {
  const parts = Object.fromEntries(clock.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  return new Date(Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second));
}

const offsetMinutes = (moment) => Math.round((wallClock(moment) - moment) / 60_000);

// The moment whose local time is in these UTC fields.
function momentAt(wall) {
  const guess = new Date(wall - offsetMinutes(wall) * 60_000);
  return new Date(wall - offsetMinutes(guess) * 60_000);
}

// The server's format for UTC, so no width changes.
function shortTime(moment, now = new Date()) {
  const [there, here] = [wallClock(moment), wallClock(now)];
  const time = `${two(there.getUTCHours())}:${two(there.getUTCMinutes())}`;
  const days = Math.floor(here / DAY) - Math.floor(there / DAY);
  if (days === 0) return `${time}:${two(there.getUTCSeconds())}`;
  if (days > 0 && days < 7) return `${DAYS[there.getUTCDay()]} ${time}`;
  const day = `${there.getUTCDate()} ${MONTHS[there.getUTCMonth()]}`;
  return there.getUTCFullYear() === here.getUTCFullYear() ? `${day} ${time}` : `${day} ${there.getUTCFullYear()}`;
}

function exactTime(moment) {
  const minutes = offsetMinutes(moment);
  const size = Math.abs(minutes);
  const offset = `${minutes < 0 ? "−" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return `${wallClock(moment).toISOString().slice(0, 19).replace("T", " ")} ${offset}`;
}

function showLocalTimes(part) {
  for (const element of part.querySelectorAll("time[data-local]")) {
    const moment = new Date(element.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    element.textContent = element.dataset.local === "exact" ? exactTime(moment) : shortTime(moment);
    element.title = exactTime(moment);
  }
}

// Date and time fields have no zone: they show local time and submit UTC.

function zoneWords() {
  const minutes = offsetMinutes(new Date());
  if (minutes === 0) return "UTC";
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? "−" : "+"}${Math.floor(size / 60)}${size % 60 ? `:${two(size % 60)}` : ""}`;
}

function showLocalFields(part) {
  for (const input of part.querySelectorAll("input[data-utc]")) {
    const moment = new Date(`${input.defaultValue}Z`);
    // Values the browser restored on going back are already local.
    if (input.value && input.value === input.defaultValue && !Number.isNaN(moment.getTime()))
      input.value = wallClock(moment).toISOString().slice(0, 16);
    delete input.dataset.utc;
    input.dataset.localTime = "";
    const words = input.labels[0]?.querySelector("[data-zone]");
    if (words) words.textContent = `your time, ${zoneWords()}`;
  }
}

document.addEventListener("formdata", ({ target, formData }) => {
  for (const input of target.elements) {
    if (!("localTime" in (input.dataset ?? {})) || !input.name) continue;
    const wall = new Date(`${input.value}Z`);
    if (Number.isNaN(wall.getTime())) formData.delete(input.name);
    else formData.set(input.name, `${momentAt(wall).toISOString().slice(0, 16)}Z`);
  }
});

// ---------- The default range of pages ----------

document.addEventListener("click", ({ target }) => {
  const choice = target.closest("[data-remember-range]");
  if (!choice) return;
  const headers = JSON.parse(document.body.getAttribute("hx-headers"));
  const body = new URLSearchParams({ range: choice.dataset.rememberRange });
  fetch(choice.closest("[data-remember-at]").dataset.rememberAt, { method: "POST", headers, body, keepalive: true });
});

function ready(part) {
  showChoices(part);
  showLocalTimes(part);
  showLocalFields(part);
}

ready(document);
