"""The simulation of judges that are means of repeats runs; the slow test holds what docs/howto/repeats.md claims."""

import numpy as np
import pytest
import repeated_judges as simulated


def test_the_simulation_runs():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=8) + rng.normal(size=(12, 8))
    scores = truth + rng.normal(0, 0.3, (20, 1, 8)) + rng.normal(0, 0.5, (20, 12, 8))
    worth, held, low = simulated.covered(truth, scores, (3, 12, 8), 5, alike=False)
    assert 0.0 < worth < 2.0
    assert held.shape == (2, 2)
    assert (held[0] >= held[1]).all()
    assert low[0] <= low[1]


@pytest.mark.slow
def test_the_low_end_holds_for_other_repeats_of_the_same_kind(data):
    """200 samples: three standard errors below .975 are .94."""
    truth, kinds = simulated.population(data / "dl19")
    for kind in simulated.KINDS[:2]:
        _, held, _ = simulated.covered(truth, kinds[kind], (3, 43, 37), 200, alike=kind == simulated.KINDS[0])
        assert held[0, 0] >= 0.92, kind
        assert held[0, 1] >= 0.94, kind
