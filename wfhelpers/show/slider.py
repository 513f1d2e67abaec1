"""The step function of Sec. 3 and its slope with a slider over M, as a piece of HTML that needs nothing else.

The pictures are SVGs that a few lines of JavaScript in the same piece redraw: they work in a built page, from a server
or from the file, without a network, and with the keyboard. Without JavaScript they show the middle one of the M.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from string import Template

import torch

from wfhelpers._support import InputError
from wfhelpers.core.binarize import soft_step, soft_step_slope

NEGLIGIBLE = 1e-3
"""A slope below this counts as vanished."""


def flat_share(sharpness: float, threshold: float = NEGLIGIBLE, half_width: float = 1.0) -> float:
    """Share of ``[-half_width, half_width]`` in which ``B'_M(w) = M / (4 cosh(M w / 2)^2)`` is below ``threshold``.

    That is where ``|w|`` exceeds ``(2 / M) arcosh(sqrt(M / (4 threshold)))``; everywhere if ``M / 4`` is below it.
    """
    if sharpness <= 4 * threshold:
        return 1.0
    edge = 2 / sharpness * math.acosh(math.sqrt(sharpness / (4 * threshold)))
    return max(0.0, 1 - edge / half_width)


@dataclass(frozen=True)
class StepSlider:
    """``B_M`` and ``B'_M`` on [-1, 1] for one of several M that the reader chooses; a notebook shows it as it is.

    Attributes
    ----------
    sharpnesses
        Values of M, from left to right.
    element_id
        Identifier of the piece; two of them on one page need different ones.
    """

    sharpnesses: Sequence[float] = (1, 2, 5, 10, 20, 50, 100, 200)
    element_id: str = "step-slider"

    def __post_init__(self) -> None:
        if not self.sharpnesses or not all(sharpness > 0 for sharpness in self.sharpnesses):
            raise InputError(f"The sharpnesses are {list(self.sharpnesses)}; expected at least one positive number.")

    def _repr_html_(self) -> str:
        place = len(self.sharpnesses) // 2
        shown = self.sharpnesses[place]
        return _PIECE.substitute(
            id=self.element_id,
            values=[float(sharpness) for sharpness in self.sharpnesses],
            last=len(self.sharpnesses) - 1,
            place=place,
            shown=f"{shown:g}",
            words=_words(shown),
            step=_path([_step_height(float(value)) for value in soft_step(_weights(), shown)]),
            slope=_path([_slope_height(float(value)) for value in soft_step_slope(_weights(), shown)]),
            threshold=f"{_slope_height(NEGLIGIBLE):.1f}",
            negligible=NEGLIGIBLE,
        )


def _words(sharpness: float) -> str:
    flat = f"{100 * flat_share(sharpness):.0f} % of [−1, 1]"
    return f"M = {sharpness:g}: highest slope {sharpness / 4:g}; slope below {NEGLIGIBLE:g} on {flat}"


def _weights() -> torch.Tensor:
    return torch.linspace(-1, 1, 121, dtype=torch.float64)


def _step_height(value: float) -> float:
    return 180 - 160 * value


def _slope_height(slope: float) -> float:
    """Vertical place on a logarithmic axis from 1e-6 to 1e2, on whose ends a slope out of range is drawn."""
    return 180 - 20 * (math.log10(min(max(slope, 1e-6), 1e2)) + 6)


def _path(heights: list[float]) -> str:
    return "M" + "L".join(f"{50 + 2 * i} {height:.1f}" for i, height in enumerate(heights))


_PIECE = Template("""\
<div id="$id" style="background:#fff;color:#222;padding:.5rem;border-radius:.25rem;max-width:46rem">
<style>#$id svg{width:310px;max-width:100%;font:14px sans-serif;fill:#222}
#$id svg tspan{font-size:10px}#$id svg path{fill:none}</style>
<label for="$id-input">Sharpness M </label>
<input id="$id-input" type="range" min="0" max="$last" value="$place" step="1" aria-valuetext="$shown"
 style="width:14rem;max-width:100%;vertical-align:middle">
<div><output id="$id-words" for="$id-input">$words</output></div>
<svg viewBox="0 0 310 225" role="img" aria-label="The step function over w from -1 to 1, for the chosen M">
<path d="M50 20V180H290" stroke="#999"/><path d="M170 20V180" stroke="#ddd"/>
<path id="$id-step" d="$step" stroke="#440154" stroke-width="2.5"/>
<text x="120" y="14">step B<tspan dy="3">M</tspan><tspan dy="-3" style="font-size:14px">(w)</tspan></text>
<text x="36" y="185">0</text><text x="36" y="26">1</text><text x="42" y="199">−1</text><text x="166" y="199">0</text>
<text x="286" y="199">1</text><text x="140" y="219">weight w</text></svg>
<svg viewBox="0 0 310 225" role="img" aria-label="The slope over w from -1 to 1, logarithmic, for the chosen M">
<path d="M50 20V180H290" stroke="#999"/><path d="M170 20V180" stroke="#ddd"/>
<path d="M50 ${threshold}H290" stroke="#999" stroke-dasharray="4 4"/>
<path id="$id-slope" d="$slope" stroke="#21918c" stroke-width="2.5"/>
<text x="80" y="14">slope B′<tspan dy="3">M</tspan><tspan dy="-3" style="font-size:14px">(w), logarithmic</tspan></text>
<text x="16" y="185">10<tspan dy="-5">−6</tspan></text><text x="16" y="125">10<tspan dy="-5">−3</tspan></text>
<text x="16" y="65">10<tspan dy="-5">0</tspan></text><text x="42" y="199">−1</text><text x="166" y="199">0</text>
<text x="286" y="199">1</text><text x="140" y="219">weight w</text></svg>
<script>(() => {
  const part = name => document.getElementById("$id-" + name), input = part("input"), values = $values;
  const draw = (name, height) => part(name).setAttribute("d", "M" + Array.from({length: 121}, (_, i) =>
    50 + 2 * i + " " + height(i / 60 - 1).toFixed(1)).join("L"));
  input.addEventListener("input", () => {
    const M = values[input.value], step = w => 1 / (1 + Math.exp(-M * w));
    draw("step", w => 180 - 160 * step(w));
    draw("slope", w => 180 - 20 * (Math.log10(Math.min(Math.max(M * step(w) * step(-w), 1e-6), 1e2)) + 6));
    const edge = 2 / M * Math.acosh(Math.sqrt(Math.max(1, M / (4 * $negligible))));
    input.setAttribute("aria-valuetext", M);
    part("words").textContent = `M = $${M}: highest slope $${M / 4}; slope below $negligible on $${
      (100 * Math.max(0, 1 - edge)).toFixed(0)} % of [−1, 1]`;
  });
})();</script>
</div>""")
