"""What can be proved: the paper's bounds, the theorem that holds, convex test problems, the exact optimum."""
