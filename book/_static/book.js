// Search results fetch a summary of each page, which browsers refuse to pages opened from a file.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// What scrolls inside its own box can be reached, and so be scrolled, by the keyboard.
function reachable() {
  for (const box of document.querySelectorAll("article.bd-article :is(table, pre, .output)")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else if (box.tabIndex === 0) box.removeAttribute("tabindex");
  }
}

// The theme leaves these two without a name: the arrows that unfold the table of contents, and the place of the title.
function named() {
  for (const arrow of document.querySelectorAll("#pst-primary-sidebar summary"))
    arrow.ariaLabel = `Pages below ${arrow.closest("li").querySelector("a").textContent.trim()}`;
  const title = document.querySelector(".navbar-brand")?.closest(".sidebar-primary-item");
  if (title) [title.role, title.ariaLabel] = ["navigation", "Home"];
}

addEventListener("DOMContentLoaded", named);
addEventListener("load", reachable);
addEventListener("resize", reachable);
