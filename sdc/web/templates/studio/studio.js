// What the pages cannot do by themselves: say that the server does not answer, and keep what is open open.
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
arrange();
