// Says on the page that the server does not answer: nothing else on it could.
document.addEventListener("htmx:sendError", () => { document.getElementById("unreachable").hidden = false; });
document.addEventListener("htmx:afterOnLoad", () => { document.getElementById("unreachable").hidden = true; });
