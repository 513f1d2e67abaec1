(id => {
  const box = document.getElementById(id), body = box.querySelector("tbody"), rows = [...body.rows];
  const heads = [...box.querySelectorAll("th")], search = box.querySelector("input"), count = box.querySelector("output");
  const split = text => text.toLowerCase().split(/[^a-z0-9.]+/).filter(word => word);
  const words = new Map(rows.map(row => [row, [...row.cells].flatMap(cell => split(cell.textContent))]));
  const show = () => {
    const wanted = split(search.value);
    rows.forEach(row => {
      row.hidden = !wanted.every(word => words.get(row).some(other => other.startsWith(word)));
    });
    count.value = rows.filter(row => !row.hidden).length + " of " + rows.length + " lines";
  };
  heads.forEach((head, place) => head.querySelector("button").addEventListener("click", () => {
    const direction = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
    const text = row => row.cells[place].textContent;
    rows.sort((a, b) => direction * text(a).localeCompare(text(b), "en", {numeric: true}));
    body.append(...rows);
  }));
  search.addEventListener("input", show);
  show();
})
