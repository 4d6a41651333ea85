// Countdown of the time left, in the server's format. The server sends seconds, so the reader's
// clock may be wrong. Without JavaScript a page shows the time left when it was loaded.

const SOON = 90;
const ends = new WeakMap(); // by clock, in time since this page opened

function words(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${minutes} min ${seconds % 60} s`;
  if (seconds < 86_400) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 1_440)} d ${Math.floor((minutes % 1_440) / 60)} h`;
}

function endOf(clock) {
  if (!ends.has(clock)) ends.set(clock, performance.now() + 1_000 * Number(clock.dataset.left));
  return ends.get(clock);
}

function show(clock) {
  const left = Math.max(0, Math.ceil((endOf(clock) - performance.now()) / 1_000));
  const text = clock.querySelector("[data-clock-words]");
  if (text.textContent !== words(left)) text.textContent = words(left);
  clock.classList.toggle("soon", left < SOON);
  const until = clock.querySelector("[data-until-end]");
  if (until) until.hidden = left === 0;
  const bar = clock.querySelector("[data-clock-bar]");
  bar?.setAttribute("width", `${((100 * left) / Number(clock.dataset.of)).toFixed(2)}%`);
}

const tick = () => document.querySelectorAll("[data-clock]").forEach(show);

tick();
setInterval(tick, 250);
document.addEventListener("htmx:load", tick);
