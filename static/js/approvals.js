// Selecting several approvals: their count and total amount. Without JavaScript the bar has the
// same buttons, but no numbers.

const bar = document.getElementById("bulk");
const all = document.querySelector("[data-pick-all]");

const boxes = () => [...document.querySelectorAll(".pick-one")];
const selectable = () => boxes().filter((box) => !("warned" in box.dataset));

function sums(picked) {
  const byCurrency = new Map();
  for (const { dataset } of picked) {
    if (!dataset.amount) continue;
    byCurrency.set(dataset.currency, (byCurrency.get(dataset.currency) ?? 0) + Number(dataset.amount));
  }
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return [...byCurrency].map(([currency, sum]) => `${sum.toLocaleString("en", digits)} ${currency}`.trim());
}

function count() {
  const picked = boxes().filter((box) => box.checked);
  bar.querySelector("[data-picked]").textContent = `${picked.length} selected`;
  const total = sums(picked);
  bar.querySelector("[data-picked-sum]").textContent = total.length ? `${total.join(" and ")} in total` : "";
  for (const number of bar.querySelectorAll("[data-picked-number]")) number.textContent = picked.length;
  const free = selectable();
  all.hidden = free.length < 2;
  all.textContent = `Select ${free.length}`;
}

if (bar) {
  document.addEventListener("change", (event) => event.target.matches(".pick-one") && count());
  document.addEventListener("htmx:load", count);
  bar.addEventListener("reset", () => {
    for (const box of boxes()) box.checked = false;
    setTimeout(count);
  });
  all.addEventListener("click", () => {
    for (const box of selectable()) box.checked = true;
    count();
  });
  count();
}
