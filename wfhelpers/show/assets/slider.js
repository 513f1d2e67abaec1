(id => {
  const part = name => document.getElementById(id + "-" + name), input = part("input");
  const values = JSON.parse(input.dataset.values), negligible = Number(input.dataset.negligible);
  const draw = (name, height) => part(name).setAttribute("d", "M" + Array.from({length: 121}, (_, i) =>
    50 + 2 * i + " " + height(i / 60 - 1).toFixed(1)).join("L"));
  // A logarithmic axis from 1e-6 to 1e2, on whose ends a slope out of range is drawn.
  const height = slope => 180 - 20 * (Math.log10(Math.min(Math.max(slope, 1e-6), 1e2)) + 6);
  const show = () => {
    const M = values[input.value], step = w => 1 / (1 + Math.exp(-M * w));
    draw("step", w => 180 - 160 * step(w));
    draw("slope", w => height(M * step(w) * step(-w)));
    draw("threshold", () => height(negligible));
    const edge = 2 / M * Math.acosh(Math.sqrt(Math.max(1, M / (4 * negligible))));
    const flat = (100 * Math.max(0, 1 - edge)).toFixed(0);
    input.setAttribute("aria-valuetext", M);
    part("words").textContent =
      `M = ${M}: highest slope ${M / 4}; slope below ${negligible} on ${flat} % of [−1, 1]`;
  };
  input.addEventListener("input", show);
  part("live").hidden = false;
  show();
})
