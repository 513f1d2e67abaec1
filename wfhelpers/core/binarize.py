"""The approximate step function of Sec. 3 and its derivative (Fig. 2 of the paper).

Every function is element-wise and keeps the shape, dtype and device of its input.
"""

import torch
from torch import Tensor


def soft_step(w: Tensor, sharpness: float) -> Tensor:
    """Approximate step function of eq. (3): ``B_M(w) = 1 / (1 + exp(-M w))``, with ``M = sharpness``."""
    return torch.sigmoid(sharpness * w)


def soft_step_slope(w: Tensor, sharpness: float) -> Tensor:
    """Derivative of `soft_step`, eq. (4) and App. A: ``B'_M(w) = M B_M(w) (1 - B_M(w))``, at most ``M / 4``.

    Computed as ``M B_M(w) B_M(-w)``, which keeps its relative precision where ``B_M`` rounds to one.
    """
    return sharpness * torch.sigmoid(sharpness * w) * torch.sigmoid(-sharpness * w)


def soft_step_slope_unscaled(w: Tensor, sharpness: float) -> Tensor:
    """Derivative as the main text prints it (Sec. 3 and 4), without the factor M: ``B_M(w) (1 - B_M(w))``.

    It is the true slope divided by M, so that it only rescales the learning rate.
    """
    return torch.sigmoid(sharpness * w) * torch.sigmoid(-sharpness * w)


def hard_step(w: Tensor) -> Tensor:
    """Limit of `soft_step` for M to infinity: 1 where ``w >= 0`` (footnote of Sec. 3), else 0."""
    return (w >= 0).to(w.dtype)
