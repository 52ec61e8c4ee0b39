"""The simulations of label agreement run, and the slow test holds what docs/coverage.md claims of them."""

import pytest
from labelled import SHOWN, covered


def test_the_simulation_runs():
    shares, equal, other = covered(10, 3, resamples=60, population=100)
    assert set(SHOWN) <= set(shares)
    assert 0.0 <= equal <= other <= 1.0


@pytest.mark.slow
def test_intervals_cover_and_tests_hold_their_level():
    """25 topics, 400 evaluations: three standard errors of a share near 0.95 are 0.033."""
    shares, equal, other = covered(25, 400)
    assert all(abs(share - 0.95) < 0.035 for share in shares.values()), shares
    assert equal < 0.085
    assert other > 0.5
