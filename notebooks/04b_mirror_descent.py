# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# (ch-mirror-descent)=
# # Algorithm 1 is mirror descent
#
# :::{admonition} The paper says / We find
# :class: important
#
# **The paper says** (Sec. 4): with learning rates $c/t$, Algorithm 1 comes within $O(\log T / T)$ of the minimum of a convex
# function (Theorem 4.3). $M_{soft} \ll M_{hard}$ may hurt a small $M_{hard}$, and helps a large one (claim C5).
#
# **We find**
# - Theorem 4.3 {ref}`is false <ch-convergence-bound>`. Another theorem can be proved: Algorithm 1 is mirror descent, up to an
#   error of second order, and with a constant rate comes within $O(1/\sqrt{T})$ of the minimum. Its bounds were violated
#   in {glue:text}`mirror_violations` of {glue:text}`mirror_cases` cases, the inequalities of its proof in
#   {glue:text}`mirror_steps_wrong` of {glue:text}`mirror_steps` checks.
# - In the bound only the ratio $M_{soft} / M_{hard}$ remains: its factor is {glue:text}`mirror_factor` at
#   {glue:text}`mirror_ratio`, the ratio of this page, and infinite at 1.
# - What a weight must pay to change its sign does not depend on $M_{hard}$, and is least where
#   $M_{soft} |w|$ is {glue:text}`mirror_cheapest`: a reason for C5.
# - All this is about convex functions; {ref}`the networks of the paper <sec-not-convex>` are not convex.
# :::

# %% tags=["parameters"]
M_hard = 50.0
M_soft = 5.0
c = 1.0  # of the learning rates c/t
T = 1000  # steps
slope = 0.01  # of the line that refutes Theorem 4.3
start = 1.0  # and the weight's first value on it
problems = 40  # random problems of each kind
runs = 50  # with single random objects
seed = 0

# %%
import numpy as np
import pandas as pd
import torch
from myst_nb import glue
from scipy.optimize import brentq

from wfhelpers import parameters
from wfhelpers.show import figures_algorithm
from wfhelpers.theory import bounds, convex, mirror

parameters.check()
counts = {"T": T, "problems": problems, "runs": runs}
bounds.check_setting(M_hard=M_hard, M_soft=M_soft, c=c, slope=slope, **counts)
pd.set_option("display.float_format", "{:.3g}".format)
rng, M = np.random.default_rng(seed), (M_hard, M_soft)

# %% [markdown]
# Setting, readings and test problems are those of {ref}`the chapter before <ch-convergence-bound>`: $F$ is the mean of
# functions $f(\cdot, z)$ that are convex on the cube $[0, 1]^d$, with gradients of length at most $G$, eq. (6). With
# $\varphi = B_{M_{hard}}$, $s = B'_{M_{soft}}$ and $v^t = \varphi(w^t)$, Algorithm 1 is
#
# $$
# w^{t+1} = w^t - \eta_t\, g_t \circ s(w^t), \qquad g_t = \nabla f(v^t, z_t), \qquad t = 1, \dots, T . \tag{5}
# $$

# %%
size = {"batch": (problems,), "samples": 20, "width": 5, "rng": rng}
batches = {kind: convex.random_problem(kind, **size) for kind in convex.SHAPES}
starts = torch.from_numpy(rng.normal(size=(problems, 5))) * 2 / M_hard

# %% [markdown]
# ## The potential
#
# *Mirror descent* {cite}`nemirovski1983problem,beck2003mirror` moves the gradient of a strictly convex potential $\Phi$
# instead of the point itself: $\nabla \Phi(v^{t+1}) = \nabla \Phi(v^t) - \eta_t g_t$. Other quantizers have been seen in
# this way {cite}`ajanthan2021mirror`. Here the potential can be written down.
#
# (mirror-map)=
# **The mirror map.** Let $\theta$ be the odd function with derivative $1/s$. Since
# $1/s(w) = \frac{2}{M_{soft}} (1 + \cosh M_{soft} w)$,
#
# $$
# \theta(w) = \frac{2}{M_{soft}} \left( w + \frac{\sinh M_{soft} w}{M_{soft}} \right) . \tag{M1}
# $$
#
# To first order in $\eta$, the update $w \to w - \eta g s(w)$ takes $\theta(w)$ to $\theta(w) - \eta g$: the slope cancels.
#
# **The potential.** In each coordinate let $\Phi'(v) = \theta(\varphi^{-1}(v))$ for $0 < v < 1$. Since
# $\Phi''(v) = \frac{1}{\varphi'(w)\, s(w)} \ge \frac{16}{M_{hard} M_{soft}}$ at $v = \varphi(w)$, $\Phi$ is strongly convex, with
# the constant $1/(C - 1)$ of Lemma 4.2. With $\alpha = M_{soft}/M_{hard}$, the negative entropy
# $H(v) = v \log v + (1-v) \log (1-v)$ and the incomplete beta function
# $B_v = \int_0^v x^{\alpha} (1-x)^{-\alpha} dx$ it is, up to a constant,
#
# $$
# \Phi(v) = \frac{1}{M_{hard} M_{soft}} \left( 2 H(v) + \frac{B_v + B_{1-v}}{\alpha} \right) , \tag{M2}
# $$
#
# because $w = \frac{1}{M_{hard}} \log \frac{v}{1-v}$ turns $e^{M_{soft} w}$ into $(\frac{v}{1-v})^\alpha$. Over the
# coordinates of a vector it is summed.
#
# **The distance.** The Bregman divergence $D(u, v) = \Phi(u) - \Phi(v) - \nabla \Phi(v)^T (u - v)$ is
#
# $$
# D(u, v) = \sum_i \int_{w_i}^{\varphi^{-1}(u_i)} \left( \theta(x) - \theta(w_i) \right) \varphi'(x)\, dx \ge 0,
# \qquad v = \varphi(w) . \tag{M3}
# $$
#
# It is defined for $v$ in the open cube and $u$ in the closed one, where it may be infinite.
#
# ```{prf:lemma} vertices
# :label: vertices
# :nonumber:
# Let $u_i \in \{0, 1\}$. The summand $i$ of $D(u, v)$ is finite exactly if $M_{soft} < M_{hard}$.
# ```
#
# ```{prf:proof}
# As $x \to \infty$, $\theta(x) \sim e^{M_{soft} x} / M_{soft}^2$ and $\varphi'(x) \sim M_{hard} e^{-M_{hard} x}$. The integrand
# of (M3) is positive and behaves like $e^{-(M_{hard} - M_{soft}) x}$ up to a factor; its integral to infinity is finite
# exactly if $M_{soft} < M_{hard}$. The case $u_i = 0$ is the mirror image.
# ```

# %%
v = torch.from_numpy(rng.uniform(0.01, 0.99, size=1000))
w, h = mirror.latent(v, M_hard), 1e-5
low, high = (mirror.latent(v + side, M_hard) for side in (-h, h))
rise = (mirror.potential(high, *M) - mirror.potential(low, *M)) / (2 * h)
bend = (mirror.mirror_map(high, M_soft) - mirror.mirror_map(low, M_soft)) / (2 * h)
rise_error = (rise - mirror.mirror_map(w, M_soft)).abs().max() * M_hard * M_soft
bend_error = (bend / mirror.curvature(w, *M) - 1).abs().max()
print("by differences: Phi' = theta:", bool(rise_error < 1e-3))
print("by differences: Phi'' as stated:", bool(bend_error < 1e-4))
print(f"least Phi'' M_hard M_soft / 16: {bend.min() * M_hard * M_soft / 16:.3f}")

# %% [markdown]
# ## One step
#
# (lemma-one-step)=
# ```{prf:lemma} one step
# :label: one-step
# :nonumber:
# Let $w' = w - \eta g\, s(w)$ with real numbers $w$, $g$, $\eta > 0$, $|g| \le G$, and let $\kappa = M_{soft}^2 G \eta / 4$.
# Then
#
# **(i)** $e^{-\kappa} \le s(x) / s(w) \le e^{\kappa}$ for every $x$ between $w$ and $w'$;
#
# **(ii)** $\left| \eta g - (\theta(w) - \theta(w')) \right| \le \frac{M_{soft}^2}{8} e^{\kappa} \eta^2 g^2$;
#
# **(iii)** $D(\varphi(w), \varphi(w')) \le \frac{M_{hard} M_{soft}}{32} e^{\kappa} \eta^2 g^2$.
# ```
#
# ```{prf:proof}
# Write $\delta = w' - w = - \eta g\, s(w)$, so that $|\delta| \le \eta G M_{soft}/4$.
#
# (i) $(\log s)'(x) = - M_{soft} \tanh(M_{soft} x / 2)$ is at most $M_{soft}$ in size, and $M_{soft} |\delta| \le \kappa$.
#
# (ii) Taylor's formula gives $\theta(w') = \theta(w) + \theta'(w) \delta + \frac12 \theta''(\zeta) \delta^2$ with $\zeta$
# between $w$ and $w'$, and $\theta'(w) \delta = - \eta g$. Since $\theta'' = (1/s)' = - (\log s)' / s$, (i) yields
# $|\theta''(\zeta)| \le M_{soft} e^{\kappa} / s(w)$. The difference is therefore at most
# $\frac12 M_{soft} e^{\kappa}\, s(w)\, \eta^2 g^2$, and $s(w) \le M_{soft}/4$.
#
# (iii) By (M3), $D(\varphi(w), \varphi(w')) = \int_{w'}^{w} (\theta(x) - \theta(w')) \varphi'(x)\, dx$. Between $w'$ and $w$,
# (i) gives $|\theta(x) - \theta(w')| \le |x - w'| e^{\kappa} / s(w)$, and $\varphi' \le M_{hard}/4$. So
#
# $$
# D \le \frac{M_{hard}}{4} \frac{e^{\kappa}}{s(w)} \frac{\delta^2}{2} = \frac{M_{hard}}{8} e^{\kappa} s(w)\, \eta^2 g^2
#  \le \frac{M_{hard} M_{soft}}{32} e^{\kappa} \eta^2 g^2 .
# $$
# ```
#
# ## The theorem
#
# (theorem-mirror)=
# ```{prf:theorem} Algorithm 1 as mirror descent
# :label: mirror-theorem
# :nonumber:
# Let (6) hold. Let $z_1, \dots, z_T$ be independent draws from the data set, $\eta_1, \dots, \eta_T > 0$ fixed rates, and
# $w^1 \in \mathbf{R}^d$ any start. Put $\kappa_t = M_{soft}^2 G \eta_t / 4$ and
#
# $$
# a_t = K e^{\kappa_t} G^2 \eta_t^2, \qquad K = \frac{M_{hard} M_{soft}}{32} + \frac{M_{soft}^2}{8} . \tag{M4}
# $$
#
# **(a)** For the average $\bar v = \sum_t \eta_t v^t / \sum_t \eta_t$ and every $u \in [0, 1]^d$,
#
# $$
# \mathbf{E}\, F(\bar v) - F(u) \le \frac{D(u, v^1) + \sum_{t=1}^T a_t}{\sum_{t=1}^T \eta_t} . \tag{M5}
# $$
#
# **(b)** If the rates do not increase, then for a minimizer $v^*$ of $F$ over the cube
#
# \begin{align*}
# \eta_T \left( \mathbf{E}\, F(v^T) - F(v^*) \right) \le {}& \frac{1}{T} \left( D(v^*, v^1) + \sum_{t=1}^T a_t \right) \\
#   & + \sum_{k=1}^{T-1} \frac{1}{k (k+1)} \sum_{t=T-k}^T a_t . \tag{M6}
# \end{align*}
# ```
#
# ```{prf:proof}
# *One step.* Let $q_t = \theta(w^t) - \theta(w^{t+1})$. For every $u$ with $D(u, v^1) < \infty$ the definition of $D$ gives,
# after cancelling,
#
# $$
# \langle q_t, v^t - u \rangle = D(u, v^t) - D(u, v^{t+1}) + D(v^t, v^{t+1}) . \tag{M7}
# $$
#
# (Whether $D(u, v)$ is finite depends on $u$ only, so that all terms are finite.) Write $\eta_t g_t = q_t + e_t$. The lemma,
# applied to each coordinate and summed, bounds $\|e_t\|_1$ and $D(v^t, v^{t+1})$; together they are at most $a_t$, since
# $\sum_i g_{t,i}^2 \le G^2$. As $|v^t_i - u_i| \le 1$, we have $\langle e_t, v^t - u \rangle \le \|e_t\|_1$. Hence, for every outcome
# of the draws,
#
# $$
# \eta_t \langle g_t, v^t - u \rangle \le D(u, v^t) - D(u, v^{t+1}) + a_t . \tag{M8}
# $$
#
# *Expectation.* Given $z_1, \dots, z_{t-1}$, the point $v^t$ is fixed and $g_t$ has mean $\nabla F(v^t)$. By Lemma 4.1,
# $\langle \nabla F(v^t), v^t - u \rangle \ge F(v^t) - F(u)$. This stays true if $u$ depends on $z_1, \dots, z_{t-1}$. So for
# $1 \le k \le T$ and every $u$ that depends on $z_1, \dots, z_{k-1}$ only, summing (M8) over $t = k, \dots, T$ gives
#
# $$
# \sum_{t=k}^T \eta_t\, \mathbf{E} \left( F(v^t) - F(u) \right) \le \mathbf{E}\, D(u, v^k) + \sum_{t=k}^T a_t . \tag{M9}
# $$
#
# *(a)* Take $k = 1$, divide by $\sum \eta_t$ and use $F(\bar v) \le \sum \eta_t F(v^t) / \sum \eta_t$ (Jensen). If
# $D(u, v^1) = \infty$ there is nothing to show.
#
# *(b)* The argument is that of {cite:t}`shamir2013stochastic`. Let $\gamma_t = \mathbf{E}\, F(v^t) - F(v^*) \ge 0$ and
# $S_k = \frac1k \sum_{t=T-k+1}^T \eta_t \gamma_t$, so that $S_1 = \eta_T \gamma_T$. Since
# $k S_k = (k+1) S_{k+1} - \eta_{T-k} \gamma_{T-k}$,
#
# $$
# k (k+1) (S_k - S_{k+1}) = (k+1) \left( S_{k+1} - \eta_{T-k} \gamma_{T-k} \right)
#  = \sum_{t=T-k}^T \left( \eta_t \gamma_t - \eta_{T-k} \gamma_{T-k} \right) .
# $$
#
# As $\eta_{T-k} \ge \eta_t$ and $\gamma_{T-k} \ge 0$, this is at most $\sum_{t=T-k}^T \eta_t (\gamma_t - \gamma_{T-k})$, which by
# (M9) with $u = v^{T-k}$, whose distance to itself is 0, is at most $\sum_{t=T-k}^T a_t$. Divide by $k (k+1)$ and sum over
# $k = 1, \dots, T-1$: $\eta_T \gamma_T = S_1$ exceeds $S_T$ by no more than the double sum in (M6). And
# $S_T \le \frac1T (D(v^*, v^1) + \sum_t a_t)$ is (M9) with $u = v^*$.
# ```
#
# (corollary-rates)=
# ```{prf:corollary} rates
# :label: rates
# :nonumber:
# Let $D = D(v^*, v^1) < \infty$.
#
# - With the constant rate $\eta = \frac1G \sqrt{D / (K T)}$:
#   $\mathbf{E} F(\bar v) - F(v^*) \le (1 + e^{\kappa})\, G \sqrt{D K / T}$, where
#   $\kappa = \frac{M_{soft}^2}{4} \sqrt{D / (K T)} \to 0$. For the last point the factor is $1 + e^\kappa (2 + \log T)$.
# - With $\eta_t = c / \sqrt t$: both are $O(\log T / \sqrt T)$.
# - With the paper's $\eta_t = c / t$:
#   $\mathbf{E} F(\bar v) - F(v^*) \le \left( D + \frac{\pi^2}{6} K e^{\kappa_1} G^2 c^2 \right) / (c \log (T+1)) = O(1/\log T)$, and (b)
#   gives nothing that goes to zero.
# ```
#
# ```{prf:proof}
# Insert the rates. For the constant one $\sum a_t = D e^\kappa$ and $T \eta = \frac1G \sqrt{D T / K}$; in (M6) all $a_t$ are
# the same, and $\sum_{k=1}^{T-1} \frac{k+1}{k(k+1)} \le 1 + \log T$. For $c/\sqrt t$ use $\sum 1/t \le 1 + \log T$ and
# $\sum 1/\sqrt t \ge 2 (\sqrt{T+1} - 1)$, and in (M6) split the sum over $k$ at $T/2$: below, $a_t = O(1/T)$ for all
# $t \ge T - k$; above, $\sum_t a_t = O(\log T)$ and $\sum_{k > T/2} \frac{1}{k(k+1)} \le 2/T$. For $c/t$ use
# $\sum 1/t^2 \le \pi^2/6$ and $\sum 1/t \ge \log (T+1)$; in (M6), $T \eta_T = c$.
# ```
#
# ```{prf:remark} What is assumed, and what is not
# :nonumber:
# Nothing is assumed about the remainder $r^t$. Given the past, $g_t$ must have mean $\nabla F(v^t)$ and length at most $G$:
# this covers independent mini-batches and full gradients, but not objects in a fixed order, as Algorithm 1 prints it. By
# {ref}`the proposition on large T <proposition-large-t>` no theorem can promise more than a power of $1/\log T$ for the
# rates $c/t$. The factor $e^{\kappa}$ is real: a step from $w = 0$ can end at $|w'| = \eta G M_{soft} / 4$, where
# $M_{soft}^2 |\theta(w')| \ge e^{\kappa} - 1$, so that one step too long costs exponentially many to undo.
# ```

# %% [markdown]
# ## Every inequality, step by step
#
# Runs on one logistic problem with single random objects, towards its minimizer: both sides of (M7), of (ii) and (iii) in
# the lemma, and of the sum of (M8) over the steps so far. These hold for every outcome, not only in the mean.

# %%
one, first = batches["logistic"][0], starts[0]
G, target = one.gradient_bound().item(), mirror.latent(one.minimizer, M_hard)
rate = mirror.tuned_rate(mirror.divergence(target, first, *M), G, T, *M).item()
audits = {}
for name, first_rate, power in [("tuned", rate, 0), ("c/t", c, 1)]:
    rates = bounds.decaying_rates(first_rate, T, power)
    draws = torch.from_numpy(rng.integers(20, size=(runs, T)))
    path = bounds.run(one.gradient, first.expand(runs, -1), rates, *M, samples=draws)
    table = mirror.audit_table(mirror.audit(path, target, G))
    audits |= {f"{statement}, rate {name}": row for statement, row in table.iterrows()}
proof = pd.DataFrame(audits).T.astype({"checked": int, "violated": int})
ratio = proof.pop("tightest").map("{:.2g}".format).replace("nan", "–")
proof.assign(**{"largest left / right": ratio}).rename_axis(columns="statement")

# %% [markdown]
# ## The bounds themselves
#
# First the search of {ref}`the chapter before <sec-search>`, at the paper's rates, with (M5) and (M6) beside eq. (10):

# %%
searched = []
for kind, batch in batches.items():
    for factor in (0.01, 0.1, 1.0):
        table = mirror.survey(batch, starts, bounds.decaying_rates(factor * c, T), *M)
        searched.append(table.assign(h=kind, c=factor * c))
searched = pd.concat(searched, ignore_index=True)
names = {"printed": "(10)", "average_bound": "(M5)", "last_bound": "(M6)"}
counted = bounds.tally(searched, ["c"], names).filter(regex="violated|useful|of")
counted.rename_axis(index=None, columns="c")

# %% [markdown]
# The proved bounds are not violated, but at rates $c/t$ they are hardly ever useful: there is not much to prove about these
# rates. With the constant rate of the {ref}`corollary <corollary-rates>` they say something about nearly every problem for
# the average, and about some for the last point. Once with full gradients, once with single random objects, where the
# mean over runs stands for the expectation:

# %%
tables, few = [], slice(min(problems, 10))
for kind, batch in batches.items():
    target = mirror.latent(batch.minimizer, M_hard)
    far = mirror.divergence(target, starts, *M)
    rate = mirror.tuned_rate(far, batch.gradient_bound(), T, *M)[:, None].expand(-1, T)
    full = mirror.survey(batch, starts, rate, *M)
    draws = torch.from_numpy(rng.integers(20, size=(len(starts[few]), runs, T)))
    single = mirror.survey(batch[few], starts[few], rate[few], *M, samples=draws)
    tables += [full.assign(h=kind, gradients="full"), single.assign(h=kind, gradients="single")]
tuned = pd.concat(tables, ignore_index=True)

# %%
by = ["h", "gradients"]
tuned["loose"] = tuned["average_bound"] / tuned["average_gap"]
counted = bounds.tally(tuned, by, {"average_bound": "(M5)", "last_bound": "(M6)"})
counted = counted.filter(regex="violated|useful|of")
counted["median (M5) / gap"] = tuned.groupby(by)["loose"].median().map("{:.2g}".format)
counted.index = counted.index.map(", ".join)
counted.rename_axis(columns="h, gradients")

# %%
figures_algorithm.bounds_against_gaps(searched, tuned)

# %% [markdown]
# :::{caption} fig-search
# :alt: Two log-log scatter plots of bound against measured gap. Left, Theorem 4.3: most points of the smallest c lie
#   in the grey part, where the bound is violated; those of larger c lie above the diagonal, some by many orders of
#   magnitude. Right, the proved bound: all points lie above the diagonal, within about one order of magnitude.
#
# Bound against measured gap, one point per random problem. In the grey part the bound is violated. Left: Theorem 4.3 of
# the paper, eq. (10), last point, rates c/t. Right: the bound (M5), average point, the constant rate of the corollary.
# The paper has no such figure.
# :::

# %% [markdown]
# ## Why $M_{soft} < M_{hard}$
#
# Three things follow for the paper's remark (claim C5) on $M_{soft} \ll M_{hard}$.
#
# **What matters is the ratio.** The two constants are not independent of the rate and of the start:
#
# ```{prf:lemma} scale
# :label: scale
# :nonumber:
# Algorithm 1 with $(M_{hard}, M_{soft})$, rates $\eta_t$ and start $w^1$ passes through the same points $v^t$ as with
# $(1, M_{soft}/M_{hard})$, rates $M_{hard}^2 \eta_t$ and start $M_{hard} w^1$.
# ```
#
# ```{prf:proof}
# Put $\omega = M_{hard} w$ and $\alpha = M_{soft}/M_{hard}$. Then $v = B_1(\omega)$ and
# $s(w) = M_{hard}\, B'_\alpha(\omega)$, since $B_{M_{soft}}(w) = B_\alpha(\omega)$. Multiply (5) by $M_{hard}$.
# ```
#
# So a grid over $M_{hard}$ and $M_{soft}$ at one rate and one start, like the paper's Fig. 3, varies three things at once:
# the ratio $\alpha$, the effective rate, and how saturated the start is.

# %%
gradient = batches["logistic"].gradient
rates = bounds.decaying_rates(0.1, 100, power=0)
original = bounds.run(gradient, starts, rates, *M)
equal = (1.0, M_soft / M_hard)
scaled = bounds.run(gradient, M_hard * starts, M_hard**2 * rates, *equal)
print("same points:", bool((original.points - scaled.points).abs().max() < 1e-9))

# %% [markdown]
# **Vertices are at finite distance.** In the bound $2 G \sqrt{DK/T}$ of the {ref}`corollary <corollary-rates>` (with
# $\kappa \to 0$) only the ratio remains: by (M2) $D$ is $1/(M_{hard} M_{soft})$ times a function of $\alpha$, and
# $K = M_{hard} M_{soft} (\frac{1}{32} + \frac{\alpha}{8})$. From the centre of the cube to a vertex the bound is a factor
# times $G \sqrt{d/T}$. The factor grows with $\alpha$, from the limit $\alpha \to 0$, where the potential becomes the
# negative entropy, to infinity at $\alpha = 1$.

# %%
some = [0.01, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.99, 1.0]
factors = {f"{ratio:g}": mirror.vertex_factor(ratio) for ratio in some}
pd.DataFrame(factors, index=["factor"]).rename_axis(columns="M_soft / M_hard")

# %% tags=["hide-input"]
curves, centre = [], torch.zeros(1, dtype=torch.float64)
for ratio in (0.1, 0.5, 0.9, 1.0):
    v = torch.linspace(0, 1, 401, dtype=torch.float64)
    v = v[1:-1] if ratio == 1 else v
    height = mirror.potential(mirror.latent(v, 1.0), 1.0, ratio)
    height = ratio * (height - mirror.potential(centre, 1.0, ratio))
    curves.append(pd.DataFrame({"ratio": ratio, "v": v, "potential": height}))
grid = np.linspace(0.01, 0.99, 99)
factors = [mirror.vertex_factor(ratio) for ratio in grid]
factors = pd.DataFrame({"ratio": grid, "factor": factors})
figures_algorithm.mirror_potential(pd.concat(curves), factors)

# %% [markdown]
# :::{caption} fig-potential
# :alt: Left: four convex curves of the potential over v between 0 and 1; the larger the ratio, the steeper they rise
#   at the ends, and the one for ratio 1 goes to infinity. Right: the factor of the bound rises slowly with the ratio
#   and without limit as it tends to 1.
#
# The potential (M2) for several ratios of the two constants (left), and the factor in the tuned bound (right). At ratio
# 1 the potential is infinite at the vertices, and so is the bound. The paper has no such figure.
# :::

# %% [markdown]
# ```{prf:remark} How bad is infinite?
# :nonumber:
# Not very. For $M_{soft} = M_{hard} = M$ and a vertex $v^*$ compare with $u = (1 - \delta) v^* + \delta / 2$ instead. By (M2)
# its distance from the centre of the cube is at most $\frac{d}{M^2} \log \frac{4}{\delta}$, and
# $F(u) \le F(v^*) + \frac{\delta}{2} G \sqrt d$. With $\delta = 1/\sqrt T$ the tuned bound is worse by a factor of about
# $\sqrt{\log T}$ only. The next reason is stronger.
# ```
#
# **The price of a flip.** How long does it take until a weight changes sign, so that a connection appears or disappears?
#
# (lemma-price)=
# ```{prf:lemma} the price of a flip
# :label: price
# :nonumber:
# If $w^1_i \ne 0$ and $w^{N+1}_i$ does not have the sign of $w^1_i$, then
#
# $$
# \sum_{t=1}^{N} \eta_t |g_{t,i}| \ge |\theta(w^1_i)| = \frac{2 |w^1_i|}{M_{soft}} + \frac{2}{M_{soft}^2} \sinh (M_{soft} |w^1_i|) . \tag{M10}
# $$
# ```
#
# ```{prf:proof}
# Let $w^1_i < 0$ (the other case is its mirror image) and let $N$ be the first such step. $\theta$ is concave on
# $(-\infty, 0]$, because $\theta''(w) = 2 \sinh(M_{soft} w) \le 0$ there, and lies below its tangents. So as long as
# $w^{t+1}_i \le 0$,
#
# $$
# \theta(w^{t+1}_i) \le \theta(w^t_i) + \theta'(w^t_i) (w^{t+1}_i - w^t_i) = \theta(w^t_i) - \eta_t g_{t,i} \le \theta(w^t_i) + \eta_t |g_{t,i}| .
# $$
#
# In the last step $w^N_i < 0 \le w^{N+1}_i$. Put 0 in the place of $w^{N+1}_i$: $0 = \theta(0) \le \theta(w^N_i) + \theta'(w^N_i) (0 - w^N_i)$, and
# $0 - w^N_i \le w^{N+1}_i - w^N_i$, so that $0 \le \theta(w^N_i) + \eta_N |g_{N,i}|$. Add all steps.
# ```
#
# The price does not contain $M_{hard}$ at all. As a function of $M_{soft}$ it is $2 w^2 (x + \sinh x) / x^2$ with
# $x = M_{soft} |w|$. Its derivative has the sign of $k(x) = x \cosh x - x - 2 \sinh x$; since $k(0) = 0$, $k'(0) < 0$ and
# $k'' (x) = x \cosh x > 0$, there is exactly one minimum, where $k(x) = 0$. Towards small $M_{soft}$ the price grows like
# $4 |w| / M_{soft}$, towards large $M_{soft}$ exponentially.
#
# This is a reason for claim C5. At a small $M_{hard}$ an even smaller $M_{soft}$ lies on the left branch and hurts. At a
# large $M_{hard}$ the choice $M_{soft} = M_{hard}$ lies far up the right branch, and lowering $M_{soft}$ helps. It also
# explains {ref}`the counterexample <sec-counterexample>` to Theorem 4.3.

# %%
best_x = brentq(lambda x: x * np.cosh(x) - x - 2 * np.sinh(x), 1, 5)
w1 = torch.tensor([start], dtype=torch.float64)
price, paid = mirror.mirror_map(w1, M_soft).abs().item(), slope * c * (1 + np.log(T))
print(f"The price is least at M_soft |w| = {best_x:.3f}.")
print(f"The weight on the line costs {price:.3g} and has paid at most {paid:.2g}.")
earliest = max(0, price / (slope * c) - 1) / np.log(10)
print(f"With rates c/t it cannot flip before T = 10^{earliest:.0f}.")

# %% [markdown]
# Simulated weights, pulled to the other side by a constant gradient of 1, pay hardly more (squares in the figure):

# %%
rows, sizes, pull = [], (0.05, 0.1, 0.2), convex.line(-1.0).gradient
for size in sizes:
    for sharpness in (1.0, 5.0, 20.0, 50.0):
        begin = torch.tensor([-size], dtype=torch.float64)
        price = -mirror.mirror_map(begin, sharpness).item()
        rates = bounds.decaying_rates(price / 500, 600, power=0)
        pulled = bounds.run(pull, begin, rates, M_hard, sharpness)
        paid = price / 500 * (pulled.latent[:, 0] < 0).sum().item()
        rows.append((size, sharpness, price, paid))
flips = pd.DataFrame(rows, columns=["w", "M_soft", "formula", "price"])
flips["paid / formula"] = flips["price"] / flips["formula"]
flips.set_index("w").rename_axis(index=None, columns="|w|").drop(columns="price")

# %% tags=["hide-input"]
grid = torch.logspace(-0.3, 2, 200, dtype=torch.float64)
curves = []
for size in sizes:
    prices = mirror.mirror_map(torch.full_like(grid, size), grid)
    curves.append(pd.DataFrame({"w": size, "M_soft": grid, "price": prices}))
figures_algorithm.flip_price(pd.concat(curves), flips)

# %% [markdown]
# :::{caption} fig-price
# :alt: Log-log plot of the price of a flip over M_soft for weights of size 0.05, 0.1 and 0.2. Each curve falls, has
#   one minimum, and then rises steeply; larger weights have their minimum further left. Squares from simulations lie
#   on the curves.
#
# What must be paid for a flip, in learning rate times gradient, over the soft constant: formula (M10) as lines,
# simulated weights as squares. A reason for what the paper's Fig. 3 shows (claim C5).
# :::

# %% tags=["hide-input"]
checked = pd.concat([searched, tuned])
wrong = (checked["average_gap"] > checked["average_bound"]) | (checked["gap"] > checked["last_bound"])
box = {"violations": int(wrong.sum()), "cases": len(checked)}
box |= {"steps_wrong": int(proof["violated"].sum()), "steps": f"{proof['checked'].sum():,}"}
box |= {"ratio": f"{M_soft / M_hard:.2g}", "factor": f"{mirror.vertex_factor(M_soft / M_hard):.2f}"}
box |= {"cheapest": f"{best_x:.2f}"}
for name, value in box.items():
    glue(f"mirror_{name}", value, display=False)

# %% [markdown]
# ## Three things to try
#
# Constants that are nearly equal, so that vertices are far away:
#
# ```bash
# papermill notebooks/04b_mirror_descent.ipynb out.ipynb \
#   -p M_hard 10.0 -p M_soft 9.0
# ```
#
# Ten times as many steps: the bounds at the tuned rate fall by a factor of about three.
#
# ```bash
# papermill notebooks/04b_mirror_descent.ipynb out.ipynb \
#   -p T 10000 -p problems 10 -p runs 10
# ```
#
# A weight whose flip is cheap enough for the rates $c/t$:
#
# ```bash
# papermill notebooks/04b_mirror_descent.ipynb out.ipynb \
#   -p start 0.1 -p slope 1.0
# ```
#
# From here on the networks are the paper's own: {ref}`the next chapter <ch-strategies>` trains them, by Algorithm 1 and by
# four other strategies.
