"""The simulations of agreement by topic run; what they give is in docs/which-coefficient.md."""

import numpy as np
import topic_agreement as simulated


def test_the_simulation_runs():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, (60, 5)).astype(float)
    estimate = truth + rng.normal(0, 0.5, truth.shape)
    names = ("spa", "kendall(by=topic)")
    held = simulated.covered(truth, estimate, names, 3, resamples=30, means=5)
    assert held.shape == (2,)
    assert ((held >= 0.0) & (held <= 1.0)).all()
