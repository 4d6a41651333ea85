// Runs before the first paint, so that a chosen theme does not flash and a control
// that needs script is there from the start.
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage can be closed to us; the theme of the system is a good one.
  }
})();
