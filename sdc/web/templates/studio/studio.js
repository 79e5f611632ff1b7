// What the pages cannot do by themselves: say that the server does not answer, keep what is open open, drag steps.
const opened = new Map();
const narrow = window.matchMedia("(max-width: 70rem)");
const unreachable = (is) => { document.getElementById("unreachable").hidden = !is; };
const folded = () => document.querySelectorAll("details[id]");

function arrange() {
  for (const each of folded()) if (opened.has(each.id)) each.open = opened.get(each.id);
  const text = document.getElementById("profile-text");
  if (text && narrow.matches && !opened.has(text.id)) text.open = false;
  const changed = document.querySelector("#yaml li.changed");
  if (changed) changed.closest(".lines").scrollTop = changed.offsetTop - 60;
}

document.addEventListener("click", (event) => {
  const held = event.target.closest("summary")?.parentElement;
  if (held?.id) opened.set(held.id, !held.open);
});
document.addEventListener("htmx:sendError", () => unreachable(true));
document.addEventListener("htmx:afterOnLoad", () => unreachable(false));
document.addEventListener("htmx:afterSettle", arrange);
document.addEventListener("htmx:oobAfterSwap", (event) => {
  arrange();
  const refused = event.detail.target?.id === "notices" && document.querySelector("#notices > .refused");
  if (refused) refused.scrollIntoView({ block: "nearest" });
});

// A step that is dragged by its grip sends the form of its arrows, with another place.
let dragged = null;
let focused = null;
const stepAt = (event) => dragged && event.target.closest?.(".step-list > li");
const isAfter = (step, event) => event.clientY > step.getBoundingClientRect().top + step.offsetHeight / 2;
const unmark = () => document.querySelectorAll(".step-list > li").forEach((each) => each.classList.remove("above", "below", "dragged"));

function place(step, event) {
  const from = Number(dragged.dataset.step);
  const to = Number(step.dataset.step) + (isAfter(step, event) ? 1 : 0);
  return to > from ? to - 1 : to;
}

document.addEventListener("dragstart", (event) => {
  if (!event.target.closest?.(".grip")) return;
  dragged = event.target.closest("li");
  dragged.classList.add("dragged");
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", "");
});
document.addEventListener("dragover", (event) => {
  const step = stepAt(event);
  if (!step) return;
  event.preventDefault();
  const after = isAfter(step, event);
  unmark();
  dragged.classList.add("dragged");
  step.classList.add(after ? "below" : "above");
});
document.addEventListener("drop", (event) => {
  const step = stepAt(event);
  if (!step) return;
  event.preventDefault();
  const to = place(step, event);
  const form = dragged.querySelector("form[action*='/move-step']");
  if (to === Number(dragged.dataset.step)) return;
  form.querySelector("[name=to]").value = to;
  form.requestSubmit();
});
document.addEventListener("dragend", () => { dragged = null; unmark(); });

// The arrow of the step that was moved keeps the focus, so that it can be moved on.
document.addEventListener("htmx:beforeRequest", (event) => {
  const sent = event.detail.elt;
  if (!sent.matches?.("form[action*='/move-step']")) return;
  const arrow = document.activeElement?.id.match(/^(up|down)-\d+$/)?.[1];
  focused = arrow ? [arrow, sent.querySelector("[name=to]").value] : null;
});
document.addEventListener("htmx:afterSettle", () => {
  if (!focused) return;
  const [arrow, step] = focused;
  const other = arrow === "up" ? "down" : "up";
  const found = [arrow, other].map((each) => document.getElementById(`${each}-${step}`)).find((each) => each && !each.disabled);
  focused = null;
  found?.focus();
});
arrange();
