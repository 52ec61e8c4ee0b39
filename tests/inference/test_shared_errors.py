"""The simulation of shared errors runs; the slow test holds what docs/panels.md claims of it."""

import numpy as np
import pytest
import shared_errors as simulated

import rankscope as rs


def errors():
    track = rs.simulate_track(6, 12, depth=10, rng=1)
    made = simulated.simulated_judges(track.truth)
    return [simulated.of_labels(track.truth, made), simulated.of_scores(track.runs, track.truth, made)]


def test_the_simulation_runs():
    for own in errors():
        held, before = simulated.covered(own, 8, 3, draws=10)
        assert 0.0 <= held <= 1.0
        assert 0.0 <= before <= 1.0
    # half of the variance of errors is shared, before grades are rounded and clipped
    assert errors()[0].found().mean == pytest.approx(0.4, abs=0.15)


@pytest.mark.slow
def test_intervals_of_shared_errors_cover(data):
    """400 samples: three standard errors of a share near .93 are .038."""
    found = {
        name: simulated.covered(own, 20, 400, draws=0)[0] for name, own in simulated.populations(data / "dl19").items()
    }
    assert min(found.values()) >= 0.885, found
    assert np.mean(list(found.values())) >= 0.91, found
