"""The classifier psi of eq. (11), its objective F of eq. (12), and the gradient of F in closed form.

All weights of a network are one tensor ``[..., 2, I, I]``: index 0 is ``w1`` (input to hidden), index 1 is ``w2``
(hidden to output). Objects are ``x [..., n, I]`` with labels ``y [..., n]`` in {0, 1}. Leading axes (runs, settings)
broadcast. Finite weights never overflow: a sum that would leave the floating-point range saturates its ``tanh``.
"""

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus


def tanh_(x: Tensor) -> Tensor:
    """Hyperbolic tangent in place: in double precision numpy's, which takes down to a tenth of the time of torch's."""
    if x.dtype == torch.float64:
        np.tanh(x.numpy(), out=x.numpy())
        return x
    return x.tanh_()  # exactly 1 where it is flat, which numpy's is not in single precision


def presum(weights: Tensor, x: Tensor) -> Tensor:
    """Sum inside the softplus of eq. (11), ``sum_i tanh(sum_j w2_ij tanh(sum_k w1_jk x_k))``, per object.

    It orders the objects as psi does, without psi's rounding where the softplus is large.
    """
    first, second = weights.unbind(-3)
    return torch.tanh(_matvec(second, torch.tanh(_matvec(first, x)))).sum(-1)


def score(weights: Tensor, x: Tensor) -> Tensor:
    """Classifier psi of eq. (11). The paper calls ``log(1 + exp(.))`` a ReLU; it is the softplus."""
    return softplus(presum(weights, x))


def loss(weights: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Objective F of eq. (1) and (12), ``mean over objects of psi(w, x) (1 - 2 y)``, one value per network."""
    return _objective(presum(weights, x), y)


def loss_of_shared_weights(architecture: Tensor, shared: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Objective F of the networks ``u architecture`` for every ``u`` of ``shared [k, ...]``, as `loss` gives it.

    The innermost sum of eq. (11) is u times that of the architecture, which is computed only once.
    """
    first, second = architecture.unbind(-3)
    inner = _matvec(first, x)
    sums = [tanh_(u * _matvec(second, tanh_(u * inner))).sum(-1) for u in shared[..., None, None]]
    return _objective(torch.stack(sums), y)


def loss_gradient(weights: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Gradient of F, eq. (12), with respect to the weights, in closed form.

    With ``a = tanh(w1 x)``, ``b = tanh(w2 a)`` and ``z = sum_i b_i``, backwards through eq. (11)::

        dF/dz  = (1 - 2 y) sigmoid(z) / n
        dF/dw2 = sum over objects of  [dF/dz (1 - b^2)]           outer  a
        dF/dw1 = sum over objects of  [(w2^T dF/dz (1 - b^2)) (1 - a^2)]  outer  x
    """
    first, second = weights.unbind(-3)
    a = tanh_(_matvec(first, x))
    b = tanh_(_matvec(second, a))
    into_z = torch.sigmoid(b.sum(-1)) * label_sign(y, x.dtype) / x.shape[-2]
    into_second = into_z[..., None] * (1 - b * b)
    if second.abs().amax() < torch.finfo(x.dtype).max ** 0.5:
        into_first = (into_second @ second) * (1 - a * a)
    else:  # w2 is divided by its scale before the product and multiplied after (1 - a^2), which is 0 where it overflows
        scale = second.abs().amax((-1, -2), keepdim=True).clamp_min(1)
        into_first = (into_second @ (second / scale)) * (1 - a * a) * scale
        largest = torch.finfo(x.dtype).max / x.shape[-2] / max(1.0, float(x.abs().amax()))  # so that the sum fits, too
        into_first = into_first.clamp(-largest, largest)
    return torch.stack([into_first.mT @ x.expand_as(into_first), into_second.mT @ a], -3)


def density(weights: Tensor) -> Tensor:
    """Fraction of nonzero weights of each layer, ``[..., 2]``."""
    return (weights != 0).double().mean((-1, -2))


def label_sign(y: Tensor, dtype: torch.dtype) -> Tensor:
    """Factor ``1 - 2 y`` of eq. (12): +1 for the negative group, -1 for the positive one."""
    return 1 - 2 * y.to(dtype)


def _objective(sums: Tensor, y: Tensor) -> Tensor:
    return (softplus(sums) * label_sign(y, sums.dtype)).mean(-1)


def _matvec(weights: Tensor, x: Tensor) -> Tensor:
    """``sum_k w_jk x_k`` for every object; a sum out of range becomes an infinity of the right sign, never a NaN."""
    if not (weights.numel() and x.numel()) or torch.isfinite(weights.abs().amax() * x.abs().amax() * x.shape[-1]):
        return x @ weights.mT
    weight_scale = weights.abs().amax((-1, -2), keepdim=True).clamp_min(1)
    x_scale = x.abs().amax((-1, -2), keepdim=True).clamp_min(1)
    return (x / x_scale) @ (weights / weight_scale).mT * x_scale * weight_scale
