"""One linear regression with its prediction intervals: the model that was chosen, or the one a reader asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.scores import Floats
from rankscope.studies.metrics.subsets import DEPENDENT, check_enough_systems


@dataclass(frozen=True, eq=False)
class LinearFit:
    """Ordinary least squares with an intercept; predictors are centred and scaled inside.

    `spread` is the residual standard deviation, s. An interval for one more system is ŷ ± t s √(1 + 1/n + x'(X'X)⁻¹x).
    """

    intercept: float
    slopes: Floats
    spread: float
    freedom: int
    rows: int
    dependent: bool
    centre: Floats
    scale: Floats
    inverse: Floats
    r2: float

    @classmethod
    def of(cls, predictors: Floats, target: Floats, title: str = "training") -> LinearFit:
        """Fit; predictors are rows × columns. Dependent predictors share their slope and are flagged."""
        rows, columns = predictors.shape
        check_enough_systems(rows, columns, title)
        centre = predictors.mean(axis=0)
        centred = predictors - centre
        scale = np.sqrt(np.square(centred).sum(axis=0))
        scale = np.where(scale > 0.0, scale, 1.0)
        left, values, right = np.linalg.svd(centred / scale, full_matrices=False)
        kept = np.square(values) >= DEPENDENT
        inverse_values = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0)
        mean = float(target.mean())
        weights = right.T @ (inverse_values * (left.T @ (target - mean)))
        slopes = weights / scale
        residuals = target - mean - centred @ slopes
        freedom = rows - int(kept.sum()) - 1
        total = float(np.square(target - mean).sum())
        unexplained = float(np.square(residuals).sum())
        return cls(
            intercept=mean - float(centre @ slopes),
            slopes=slopes,
            spread=float(np.sqrt(unexplained / freedom)),
            freedom=freedom,
            rows=rows,
            dependent=not bool(kept.all()),
            centre=centre,
            scale=scale,
            inverse=(right.T * np.square(inverse_values)) @ right,
            r2=1.0 - unexplained / total if total > 0.0 else float("nan"),
        )

    def predict(self, predictors: Floats) -> Floats:
        """ŷ for each row, term by term, so that rows with equal predictors get equal predictions."""
        predicted = np.full(len(predictors), self.intercept)
        for slope, column in zip(self.slopes, predictors.T, strict=True):
            predicted += slope * column
        return predicted

    def half_width(self, predictors: Floats, level: float) -> Floats:
        """Half the width of the prediction interval for one more system at each row."""
        from scipy.special import stdtrit

        scaled = (predictors - self.centre) / self.scale
        leverage = 1.0 / self.rows + np.einsum("ij,jk,ik->i", scaled, self.inverse, scaled)
        return np.asarray(float(stdtrit(self.freedom, (1.0 + level) / 2.0)) * self.spread * np.sqrt(1.0 + leverage))

    def covered(self, predictors: Floats, target: Floats, level: float) -> float:
        """The share of rows whose target lies within their interval."""
        return float((np.abs(target - self.predict(predictors)) <= self.half_width(predictors, level)).mean())


def left_out_coverage(
    predictors: Floats, target: Floats, groups: Sequence[npt.NDArray[np.intp]], level: float
) -> float:
    """The share of rows that are covered when the groups of rows, one after the other, are left out of the fit."""
    inside = 0.0
    everything = np.arange(len(target))
    for group in groups:
        rest = np.setdiff1d(everything, group)
        fit = LinearFit.of(predictors[rest], target[rest])
        inside += fit.covered(predictors[group], target[group], level) * len(group)
    return inside / len(target)
