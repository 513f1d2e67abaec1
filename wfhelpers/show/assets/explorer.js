(id => {
  const part = name => document.getElementById(id + "-" + name);
  const {cases, shown, pages} = JSON.parse(part("data").textContent);
  const lists = ["dataset", "task", "size", "protocol"].map(part), rows = [...part("table").tBodies[0].rows];
  const fill = (list, keys, before) => {
    if ([...list.options].map(option => option.value).join("|") === keys.join("|")) return;
    list.replaceChildren(...keys.map(key => new Option(key)));
    if (keys.includes(before)) list.value = before;
  };
  // The axes: where they lie in the picture, the decades of seconds, and where that of the AUC may start.
  const [left, right, top, bottom] = [76, 540, 15, 310], floors = [0.9, 0.75, 0.5, 0];
  const times = cases.flatMap(each => each.slice(6).flatMap(six => six.slice(3))).map(Math.log10);
  const low = Math.floor(times.reduce((a, b) => Math.min(a, b)));
  const high = Math.max(low + 1, Math.ceil(times.reduce((a, b) => Math.max(a, b))));
  const across = seconds => (left + (right - left) * (Math.log10(seconds) - low) / (high - low)).toFixed(1);
  const draw = ([dataset, task, size, protocol, runs, best, ...numbers]) => {
    const lowest = Math.min(...numbers.map(six => six[0])), floor = floors.find(each => 1000 * each <= lowest);
    const up = auc => (bottom - (bottom - top) * (auc / 1000 - floor) / (1 - floor)).toFixed(1);
    const marks = [];
    for (let i = 0; i < 6; i++) {
      const auc = floor + i * (1 - floor) / 5, y = up(1000 * auc);
      marks.push(`<path d="M${left} ${y}H${right}" stroke="#ddd"/><text id="${id}-tick-${i}" x="${left - 6}"`
        + ` y="${Number(y) + 5}" text-anchor="end">${auc.toFixed(2)}</text>`);
    }
    for (let decade = low; decade <= high; decade++) {
      const seconds = Number("1e" + decade), x = across(seconds);
      marks.push(`<path d="M${x} ${top}V${bottom}" stroke="#ddd"/><text class="decade" x="${x}" y="${bottom + 22}"`
        + ` text-anchor="middle">${seconds}</text>`);
    }
    numbers.forEach((six, i) => {
      const [lower, median, upper] = six.slice(0, 3).map(auc => (auc / 1000).toFixed(3));
      const [y1, y, y2] = six.slice(0, 3).map(up), [x1, x, x2] = six.slice(3).map(across);
      const [name, ...cells] = rows[i].cells, marker = name.querySelector("svg > *");
      marks.push(`<g id="${rows[i].id.replace("-line-", "-")}"><title>${name.textContent.trim()}</title>`
        + `<path stroke="${marker.getAttribute("fill")}" stroke-width="2" d="M${x1} ${y}H${x2}M${x} ${y1}V${y2}"/>`
        + `<g transform="translate(${x} ${y})">${marker.outerHTML}</g></g>`);
      [median, lower + "–" + upper, six[4]].forEach((text, place) => { cells[place].textContent = text; });
    });
    part("marks").innerHTML = marks.join("\n");
    part("words").textContent = `${dataset}, ${task}, ${size} training objects per class, ${protocol}, ${runs} runs: `
      + `the highest median AUC is ${(numbers[best][1] / 1000).toFixed(3)} (${rows[best].cells[0].textContent.trim()}).`;
    const page = pages[`${dataset}, ${task}`];
    part("page").hidden = !page;
    part("page").href = page ?? "";
  };
  const show = choices => {
    let matching = cases;
    lists.forEach((list, place) => {
      fill(list, [...new Set(matching.map(each => each[place]))], choices[place]);
      matching = matching.filter(each => each[place] === list.value);
    });
    draw(matching[0]);
  };
  lists.forEach(list => list.addEventListener("change", () => show(lists.map(each => each.value))));
  part("live").hidden = false;
  show(shown);
})
