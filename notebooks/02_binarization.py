# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# (ch-binarization)=
# # The step function and its slope
#
# :::{admonition} The paper says / We find
# :class: important
#
# **The paper says** (Sec. 3 and 4, Fig. 2): a weight in $\{0, 1\}$ can be replaced by $B_M(w) = \sigma(M w)$ with a real
# $w$. The larger $M$, the better the approximation, but $B'_M(w) \approx 0$ "in large parts of its domain, even for
# reasonably small values of $M$". So the method takes a large $M_{hard}$ forward and a smaller $M_{soft}$ for the
# gradient.
#
# **We find** that how far it vanishes depends on where the weights are. With $M$ = {glue:text}`M_hard` the slope is below
# {glue:text}`threshold` on {glue:text}`flat_hard` % of $[-1, 1]$, with $M$ = {glue:text}`M_soft` on {glue:text}`flat_soft` %;
# among numbers drawn from $N(0, 1)$ it is {glue:text}`start_hard` % and {glue:text}`start_soft` %. The derivative that the
# text prints lacks a factor $M$. That changes nothing but the learning rate: with a rate {glue:text}`factor` times as large
# the printed rule gives the same networks ({glue:text}`differing` of {glue:text}`weights` binary weights differ). With the
# same rate it gives others (training objective {glue:text}`F_printed` instead of {glue:text}`F_true`).
# :::
#
# This chapter follows Sec. 3 from the discrete problem to the update rule, and Sec. 4 up to the reason for having two
# values of $M$.

# %% tags=["parameters"]
dataset = "mnist"  # or "citeseer", or the path of a .csv or .npz file
negative = [1, 2, 3]  # classes with label 0
positive = [4, 5, 6]  # classes with label 1
train_per_class = 100
test_per_class = 50
runs = 10
steps = 200
rate = 0.1
M_hard = 50.0
M_soft = 5.0
sharpnesses = [1, 2, 5, 10, 50]  # values of M in Fig. 2
seed = 0

# %% [markdown]
# The next cell checks the parameters and draws the objects, so that a mistake shows at once.

# %%
from wfhelpers import parameters

parameters.check()

import pandas as pd
import torch
from myst_nb import glue

from wfhelpers.core import binarize, network
from wfhelpers.core.evaluation import auc
from wfhelpers.core.strategies import SPARSE, Settings, Start, Training, first_numbers
from wfhelpers.core.tasks import Task
from wfhelpers.core.training import BINARY, descend
from wfhelpers.show import figures_algorithm
from wfhelpers.show.slider import NEGLIGIBLE, StepSlider, flat_share

Settings(bin=Training(SPARSE, rate), M_hard=M_hard, M_soft=M_soft, steps=steps)  # refuses what makes no sense
slider = StepSlider()
several_sharpnesses = StepSlider(sharpnesses).sharpnesses
draw = Task(dataset, negative, positive, train_per_class, test_per_class).draw(runs, seed)

# %% [markdown]
# ## From a discrete problem to a smooth one
#
# A classifier $\psi$ with weights $w \in \mathcal{W}$ is trained by minimizing its mean loss over the objects
# $z = (x, y)$ of a data set $\mathcal{D}$,
#
# $$
# F(w) = \frac{1}{|\mathcal{D}|} \sum_{z \in \mathcal{D}} f(w, z) , \tag{1}
# $$
#
# usually with $\mathcal{W} = \mathbf{R}^d$ and by stochastic gradient descent over mini-batches $\mathcal{Z}^t$,
#
# $$
# w^t \leftarrow w^{t-1} - \frac{\eta^t}{|\mathcal{Z}^t|} \sum_{z \in \mathcal{Z}^t}
# \frac{\partial f(w^{t-1}, z)}{\partial w^{t-1}} . \tag{2}
# $$
#
# A network without weights has $\mathcal{W} = \{0, 1\}^d$: a connection is there or it is not. There are $2^d$ such
# networks, and (2) makes no sense for them. For the networks of this book, two layers of width $I$, $d = 2 I^2$:

# %%
connections = 2 * draw.width**2
print(f"I = {draw.width}: d = {connections} connections, 2^{connections} networks")

# %% [markdown]
# The paper replaces the cube's corners by the whole cube. It minimizes over $v \in [0, 1]^d$ and lets $v$ be a smooth
# function of an unconstrained $w$:
#
# $$
# \text{minimize } F(B_M(w)) \text{ over } w \in \mathbf{R}^d , \qquad
# B_M(w) = \sigma(M w) = \frac{1}{1 + e^{-M w}} . \tag{3}
# $$
#
# By the chain rule the gradient gets a factor, $B'_M$, and (2) becomes
#
# $$
# w^t \leftarrow w^{t-1} - \frac{\eta^t}{|\mathcal{Z}^t|} \sum_{z \in \mathcal{Z}^t}
# \nabla f(v^{t-1}, z) \circ B'_M(w^{t-1}) , \qquad v^{t-1} = B_M(w^{t-1}) . \tag{4}
# $$
#
# Here $\circ$ multiplies element by element. In code the three functions are one line each.


# %%
def curve(M: float) -> pd.DataFrame:
    w = torch.linspace(-1, 1, 401, dtype=torch.float64)
    slopes = {"slope": binarize.soft_step_slope(w, M), "slope_printed": binarize.soft_step_slope_unscaled(w, M)}
    return pd.DataFrame({"M": M, "w": w, "step": binarize.soft_step(w, M), **slopes})


# %% [markdown]
# (fig-2)=
# ## Fig. 2
#
# The paper's Fig. 2 shows $B_M$ and its derivative for several $M$. Which derivative it drew cannot be said, since the
# text has two of them (gap 1): Sec. 3 and 4 print $B_M (1 - B_M)$, App. A and Lemma 4.2 use
# $M B_M (1 - B_M)$. The second one is the derivative.

# %%
curves = pd.concat([curve(M) for M in several_sharpnesses])
figures_algorithm.step_functions(curves)

# %% [markdown]
# :::{caption} fig-step-functions
# :alt: Three panels over w from -1 to 1, five curves each. Left: sigmoids from 0 to 1, steeper for larger M. Middle:
#   bells around 0, higher and narrower for larger M. Right: bells of one height, 0.25, narrower for larger M.
#
# Fig. 2 of the paper: the step function for several M (left), its derivative (middle), and the derivative as Sec. 3 and
# 4 print it, without the factor M (right).
# :::

# %% [markdown]
# The highest slope is $M/4$, at $w = 0$; as printed it is always $1/4$.

# %%
curves.groupby("M")[["slope", "slope_printed"]].max().round(4)

# %% [markdown]
# Move the slider (with the mouse, or with the arrow keys once it is selected). On a logarithmic axis the slope falls
# along two straight lines: $B'_M(w) \approx M e^{-M |w|}$. The dashed line marks a slope of one thousandth.

# %%
slider

# %% [markdown]
# ## Why the gradient vanishes
#
# Eq. (4) multiplies each weight's gradient by its slope. Where the slope is next to nothing, the weight stays where
# it is. $B'_M(w) = M / (4 \cosh^2(M w / 2))$ is below a threshold $\tau$ wherever
# $|w| > \frac{2}{M} \operatorname{arcosh} \sqrt{M / (4 \tau)}$, which gives the share of an interval exactly. The last two
# columns ask the same of numbers that a training could start from: $N(0, 1)$, and the sparse start
# $N(-0.215, 0.1^2)$ that the [next chapter](ch-algorithm) derives.

# %%
STARTS = {"N(0, 1)": Start(), "sparse": SPARSE}
drawn = {name: first_numbers("bin", start, draw, seed) for name, start in STARTS.items()}


def vanished(M: float) -> dict[str, float]:
    shares = {name: (binarize.soft_step_slope(w, M) < NEGLIGIBLE).double().mean().item() for name, w in drawn.items()}
    return {"M": M, "[-1, 1]": flat_share(M), "[-10, 10]": flat_share(M, half_width=10), **shares}


flat = pd.DataFrame([vanished(M) for M in sorted({*several_sharpnesses, M_soft, M_hard})]).set_index("M")
print(f"% of weights with a slope below {NEGLIGIBLE}")
(100 * flat).round(0).astype(int)

# %% [markdown]
# "In large parts of its domain, even for reasonably small values of $M$" is right, but it needs a scale. The domain is the
# whole line, where the share is one for every $M$. What matters is where the weights are: $M$ enters only through
# the product $M w$. Whether $M = 50$ is large depends on how far from zero the weights lie, and the paper does not say
# how it draws them.
#
# ## A hard step forward, a soft slope backward
#
# The paper's remedy is to compute $v$ with one $M$ and the slope with another:
# $M_{hard} \gg 1$ makes $v$ nearly binary, $M_{soft} < M_{hard}$ keeps the slope alive where $v$ is already flat. (App. A
# prints $0 < M_{soft} \geq M_{hard}$: a typing error, gap 3. The case $M_{soft} = M_{hard}$ is (4) itself, and Fig. 3
# needs it.)

# %%
pair = {f"$M_{{hard}}$ = {M_hard:g}": M_hard, f"$M_{{soft}}$ = {M_soft:g}": M_soft}
both = pd.concat([curve(M).assign(name=name) for name, M in pair.items()])
low, high = torch.quantile(drawn["sparse"].flatten(), torch.tensor([0.025, 0.975])).tolist()
figures_algorithm.hard_and_soft(both, {"sparse start": (low, high)})

# %% [markdown]
# :::{caption} fig-hard-and-soft
# :alt: Left: a steep and a gentle sigmoid. Right: the slope of the steep one falls fast on both sides of zero, that
#   of the gentle one slowly. The sparse start spans -0.41 to -0.02, where the steep one's slope has fallen by up to
#   seven orders of magnitude.
#
# The pair of Algorithm 1 (not in the paper): the hard and the soft step (left), their slopes on a logarithmic axis
# (right). Grey: where the middle 95 % of the weights of the sparse start lie.
# :::

# %% [markdown]
# With the sparse start, the median weight is multiplied by the following slopes. The soft one is larger by orders of
# magnitude. It is also wrong, as a derivative of $B_{M_{hard}}$; [the chapter on the bound](ch-convergence-bound) asks what that costs.

# %%
median = drawn["sparse"].median().item()
slopes = {f"M = {M:g}": binarize.soft_step_slope(torch.tensor(median), M).item() for M in (M_hard, M_soft)}
print(f"w = {median:.3f}:", ", ".join(f"{name}: slope {slope:.2g}" for name, slope in slopes.items()))

# %% [markdown]
# ## What the missing factor changes
#
# Gap 1: the text prints $B'_M = B_M (1 - B_M)$ and later uses $M B_M (1 - B_M)$. In eq. (5) the factor $M_{soft}$
# stands beside the learning rate $\eta$, so that only their product counts. Two trainings of the same networks, one
# with each derivative, should agree in every weight at every step if the printed one gets the rate
# $M_{soft}\,\eta$. They are compared here in double precision.

# %%
exact, start = draw.to(torch.float64), drawn["sparse"].double()
true = descend(exact, start, BINARY(M_hard, M_soft), steps, rate)
printed = BINARY(M_hard, M_soft, unscaled_slope=True)
rescaled = descend(exact, start, printed, steps, rate * M_soft)
same_rate = descend(exact, start, printed, steps, rate)
difference = (true.latent - rescaled.latent).abs().max().item()
print(f"largest difference of any w after {steps} steps: below 1e-9: {difference < 1e-9}")
print("binary weights that differ:", int((true.weights != rescaled.weights).sum()), "of", true.weights.numel())

# %% [markdown]
# With one and the same rate the two are different trainings. The printed derivative makes steps that are shorter by the
# factor $M_{soft}$.

# %%
trainings = {"true, rate η": true, "printed, rate M_soft η": rescaled, "printed, rate η": same_rate}
rows = {
    name: {
        "F": network.loss(trained.weights, exact.x_train, exact.y_train).median().item(),
        "AUC": auc(trained.weights, draw).median().item(),
        "density 1": network.density(trained.weights)[:, 0].median().item(),
        "density 2": network.density(trained.weights)[:, 1].median().item(),
    }
    for name, trained in trainings.items()
}
print(f"medians of {runs} runs, η = {rate:g}")
pd.DataFrame(rows).T.round({"F": 1, "AUC": 3, "density 1": 3, "density 2": 3})

# %% [markdown]
# **Our reading** is the true derivative. It is what Lemma 4.2 needs, and it makes `M_soft = M_hard` ordinary gradient
# descent on (3). The choice matters when $M_{soft}$ varies while the rate is held constant, as in Fig. 3: then
# the two readings compare different things, and the [next chapter](ch-algorithm) shows both.
#
# ## The limit
#
# The last line of Algorithm 1 lets $M \to \infty$. For $w \neq 0$ the limit is 0 or 1, and
# $|B_M(w) - B_\infty(w)| = 1 / (1 + e^{M |w|}) = B_M(-|w|)$: a weight at distance 0.1 from zero is off by this much.

# %%
w = torch.tensor(0.1, dtype=torch.float64)
print(", ".join(f"M = {M}: {binarize.soft_step(-w.abs(), M).item():.1e}" for M in (5, 50, 500)))

# %% [markdown]
# At $w = 0$ it is $\frac12$ for every finite $M$, and so is the limit. A footnote of Sec. 3 settles it the other
# way, "$B_\infty(w)$ is 1 if $w \geq 0$", and the code follows the footnote. It matters only for weights that are exactly
# zero. In training they do not occur; in eq. (13), which cuts a network at one of its own weights, the weight at the
# cut is such a case, and the footnote keeps it.

# %%
zero = torch.tensor(0.0)
print("B_M(0) for M = 5, 50, 500:", [binarize.soft_step(zero, M).item() for M in (5, 50, 500)])
print("B_infinity(0):", binarize.hard_step(zero).item())
print("weights that are exactly 0 after training:", int((true.latent == 0).sum()), "of", true.latent.numel())

# %% [markdown]
# The numbers of the box at the top:

# %%
reached = {name: f"{row['F']:.1f}" for name, row in rows.items()}
for name, value in {
    "M_hard": f"{M_hard:g}", "M_soft": f"{M_soft:g}", "factor": f"{M_soft:g}", "threshold": f"{NEGLIGIBLE:g}",
    "flat_hard": f"{100 * flat_share(M_hard):.0f}", "flat_soft": f"{100 * flat_share(M_soft):.0f}",
    "start_hard": f"{100 * flat.loc[M_hard, 'N(0, 1)']:.0f}", "start_soft": f"{100 * flat.loc[M_soft, 'N(0, 1)']:.0f}",
    "differing": int((true.weights != rescaled.weights).sum()), "weights": f"{true.weights.numel():,}",
    "F_true": reached["true, rate η"], "F_printed": reached["printed, rate η"],
}.items():  # fmt: skip
    glue(name, value, display=False)

# %% [markdown]
# ## Three things to try
#
# A tenth of both values of $M$: by how much does the slope vanish less, and what does the network learn?
#
# ```bash
# papermill notebooks/02_binarization.ipynb out.ipynb -p M_hard 5.0 -p M_soft 0.5
# ```
#
# Abstracts instead of digits:
#
# ```bash
# papermill notebooks/02_binarization.ipynb out.ipynb -y '{dataset: citeseer, negative: [DB], positive: [IR]}'
# ```
#
# Other curves in Fig. 2:
#
# ```bash
# papermill notebooks/02_binarization.ipynb out.ipynb -y '{sharpnesses: [0.5, 5, 500]}'
# ```
