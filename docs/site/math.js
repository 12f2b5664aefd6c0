/* Renders the mathematics that pymdownx.arithmatex marks, by the KaTeX beside the pages. A displayed formula within a list
   item arrives as an inline formula within another one. */
document.addEventListener("DOMContentLoaded", () => {
  for (const element of document.querySelectorAll(".arithmatex")) {
    if (element.parentElement.closest(".arithmatex")) continue;
    const shown = element.textContent.trim();
    let text = shown, depth = 0;
    for (; text.startsWith("\\(") || text.startsWith("\\["); depth++) text = text.slice(2, -2).trim();
    katex.render(text, element, { displayMode: depth > 1 || shown.startsWith("\\["), throwOnError: false });
  }
});
