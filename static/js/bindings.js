// Bindings of checks: rows are reordered by dragging and by buttons. Without JavaScript each button
// posts, and the answer is the same form.

const form = document.getElementById("bindings");
const list = document.getElementById("binding-lines");
const said = document.getElementById("bindings-said");

const lines = () => [...list.querySelectorAll("[data-binding]")];
const numberOf = (line) => lines().indexOf(line) + 1;

// Names of fields contain the number of their row.
function renumber() {
  lines().forEach((line, index) => {
    const number = index + 1;
    line.querySelector("[data-number]").textContent = number;
    line.querySelector(".judged").id = `judged-${number}`;
    for (const named of line.querySelectorAll("[aria-label]")) {
      named.setAttribute("aria-label", named.getAttribute("aria-label").replace(/^Row \d*/, `Row ${number}`));
    }
    for (const button of line.querySelectorAll("button[name=act]")) {
      button.value = button.value.replace(/:\d*$/, `:${number}`);
    }
    line.querySelector(".binding-note")?.remove();
  });
  list.querySelector(".is-last > .binding-number").textContent = lines().length + 1;
}

// Abort a pending preview: it counts the old rows, and one may be gone.
function changed(words) {
  htmx.trigger("#bindings-preview", "htmx:abort");
  renumber();
  said.textContent = words;
  htmx.trigger(form, "bindings-changed");
}

function move(line, way) {
  const beside = way === "up" ? line.previousElementSibling : line.nextElementSibling;
  if (!beside?.matches("[data-binding]")) return;
  if (way === "up") beside.before(line);
  else beside.after(line);
  changed(`Row ${numberOf(line)} of ${lines().length}.`);
}

function add() {
  const line = document.getElementById("new-binding").content.firstElementChild.cloneNode(true);
  list.querySelector(".is-last").before(line);
  line.querySelector("[name=environment]").value = "*";
  line.querySelector("[name=agent]").value = "*";
  changed(`Row ${numberOf(line)} added.`);
  line.querySelector("[name=tool]").focus();
}

function remove(line) {
  const number = numberOf(line);
  const beside = line.nextElementSibling ?? line.previousElementSibling;
  line.remove();
  changed(`Row ${number} removed.`);
  (beside?.querySelector("[data-removes]") ?? form.querySelector("[data-adds]")).focus();
}

form.addEventListener("click", (event) => {
  const button = event.target.closest("[data-moves], [data-removes], [data-adds]");
  if (!button) return;
  event.preventDefault();
  const line = button.closest("[data-binding]");
  if (button.matches("[data-adds]")) add();
  else if (button.matches("[data-removes]")) remove(line);
  else {
    move(line, button.dataset.moves);
    button.focus();
  }
});

// Only the grip makes a row draggable, so that text in a field can still be selected.
let dragged = null;

list.addEventListener("pointerdown", (event) => {
  const line = event.target.closest("[data-grip]")?.closest("[data-binding]");
  if (line) line.draggable = true;
});
list.addEventListener("pointerup", () => {
  for (const line of lines()) line.draggable = false;
});
list.addEventListener("dragstart", (event) => {
  dragged = event.target.closest("[data-binding]");
  if (!dragged) return;
  dragged.classList.add("is-dragged");
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", "");
});
list.addEventListener("dragover", (event) => {
  const over = event.target.closest("[data-binding]");
  if (!dragged) return;
  event.preventDefault();
  if (!over || over === dragged) return;
  const box = over.getBoundingClientRect();
  if (event.clientY < box.top + box.height / 2) over.before(dragged);
  else over.after(dragged);
});
list.addEventListener("drop", (event) => event.preventDefault());
list.addEventListener("dragend", () => {
  if (!dragged) return;
  dragged.classList.remove("is-dragged");
  dragged.draggable = false;
  changed(`Row ${numberOf(dragged)} of ${lines().length}.`);
  dragged = null;
});
