"""The step function of Sec. 3 and its slope with a slider over M, drawn by the script of the piece."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wfhelpers._support import InputError
from wfhelpers.show.pieces import piece

NEGLIGIBLE = 1e-3
"""A slope below this counts as vanished."""


def flat_share(sharpness: float, threshold: float = NEGLIGIBLE, half_width: float = 1.0) -> float:
    """Share of ``[-half_width, half_width]`` in which ``B'_M(w) = M / (4 cosh(M w / 2)^2)`` is below ``threshold``."""
    # |w| > (2 / M) arcosh(sqrt(M / (4 threshold))), or everywhere if M / 4 is below the threshold
    edge = 2 / sharpness * math.acosh(math.sqrt(max(1.0, sharpness / (4 * threshold))))
    return max(0.0, 1 - edge / half_width)


@dataclass(frozen=True)
class StepSlider:
    """``B_M`` and ``B'_M`` on [-1, 1] for one of several M that the reader chooses, the middle one at first.

    A notebook shows it as it is. Two sliders on one page need different values of ``element_id``.
    """

    sharpnesses: Sequence[float] = (1, 2, 5, 10, 20, 50, 100, 200)
    element_id: str = "step-slider"

    def __post_init__(self) -> None:
        if not self.sharpnesses or not all(sharpness > 0 for sharpness in self.sharpnesses):
            raise InputError(f"The sharpnesses are {list(self.sharpnesses)}; expected at least one positive number.")

    def _repr_html_(self) -> str:
        values, number = [float(sharpness) for sharpness in self.sharpnesses], len(self.sharpnesses)
        numbers = {"values": values, "last": number - 1, "place": number // 2, "negligible": NEGLIGIBLE}
        return piece("slider", self.element_id, **numbers)
