"""For every coefficient two comparisons that it distinguishes and its relatives do not, with values of the library."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import rankscope as rs
from rankscope.coefficients import coefficient

Scores = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A truth beside an estimate; `topics` are the truth's scores, topics × systems, where they matter."""

    title: str
    truth: Scores
    estimate: Scores
    topics: tuple[tuple[float, ...], ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Picture:
    """What a coefficient sees: it differs between the panels by `margin` or more, its relatives by `slack` or less."""

    name: str
    coefficient: str
    relatives: tuple[str, ...]
    panels: tuple[Panel, Panel]
    by_score: bool = False
    margin: float = 0.1
    slack: float = 0.0


def order(words: str) -> Scores:
    """Scores of a ranking: those of "A B=C" are 2, 1 and 1.

    >>> order("A B=C")
    {'A': 2.0, 'B': 1.0, 'C': 1.0}
    """
    groups = [group.split("=") for group in words.split()]
    return {system: float(len(groups) - place) for place, group in enumerate(groups) for system in sorted(group)}


def scored(*values: float) -> Scores:
    """Scores of the systems A, B, C and so on."""
    return dict(zip("ABCDEFGH", values, strict=False))


def _ranked(title: str, truth: str, estimate: str) -> Panel:
    return Panel(title=title, truth=order(truth), estimate=order(estimate))


# Every system has the same scores in both panels; only C has its scores on different topics.
_B = (0.70, 0.30, 0.62, 0.38, 0.66, 0.34, 0.58, 0.42)
_C_WITH_B = (0.60, 0.28, 0.60, 0.26, 0.58, 0.32, 0.50, 0.38)
_C_AGAINST_B = (0.60, 0.28, 0.26, 0.60, 0.58, 0.32, 0.38, 0.50)
_OTHERS = {
    "A": (0.84, 0.88, 0.80, 0.86, 0.90, 0.82, 0.87, 0.83),
    "D": (0.14, 0.19, 0.10, 0.17, 0.13, 0.20, 0.12, 0.15),
    "E": (0.06, 0.02, 0.04, 0.05, 0.01, 0.03, 0.07, 0.04),
}


def _by_topic(title: str, c: tuple[float, ...]) -> Panel:
    columns = dict(sorted({**_OTHERS, "B": _B, "C": c}.items()))
    means = {system: float(np.mean(scores)) for system, scores in columns.items()}
    estimate = {**means, "B": means["C"], "C": means["B"]}
    return Panel(title=title, truth=means, estimate=estimate, topics=tuple(zip(*columns.values(), strict=True)))


PICTURES: tuple[Picture, ...] = (
    Picture(
        name="kendall",
        coefficient="kendall",
        relatives=("tau_ap", "weighted_tau"),
        panels=(
            _ranked("The top two swapped", "A B C D E F G H", "B A C D E F G H"),
            _ranked("The last four reversed", "A B C D E F G H", "A B C D H G F E"),
        ),
        margin=0.3,
        slack=0.05,
    ),
    Picture(
        name="tau_a",
        coefficient="tau_a",
        relatives=("tau_b",),
        panels=(
            _ranked("Separates good from bad only", "A B C D E F G", "A=B C=D=E=F=G"),
            _ranked("Ranks all, three pairs wrong", "A B C D E F G", "B A D C F E G"),
        ),
        margin=0.2,
        slack=0.03,
    ),
    Picture(
        name="tau_b",
        coefficient="tau_b",
        relatives=("tau_a", "tau_ap"),
        panels=(
            _ranked("The truth's tie kept", "A B=C=D E F", "A B=C=D E F"),
            _ranked("The truth's tie broken", "A B=C=D E F", "A B C D E F"),
        ),
    ),
    Picture(
        name="tau_ap",
        coefficient="tau_ap",
        relatives=("kendall", "spearman"),
        panels=(
            _ranked("The top two swapped", "A B C D E F", "B A C D E F"),
            _ranked("The last two swapped", "A B C D E F", "A B C D F E"),
        ),
        margin=0.3,
    ),
    Picture(
        name="tau_ap_direction",
        coefficient="tau_ap",
        relatives=("tau_ap(symmetric=true)", "weighted_tau", "rbo", "kendall"),
        panels=(
            _ranked("The worst comes first", "A B C D E F", "F A B C D E"),
            _ranked("The best comes last", "A B C D E F", "B C D E F A"),
        ),
        margin=0.3,
    ),
    Picture(
        name="tau_ap_a",
        coefficient="tau_ap_a",
        relatives=("tau_a", "tau_b"),
        panels=(
            _ranked("No winner among the top three", "A B C D E F", "A=B=C D E F"),
            _ranked("No order among the last three", "A B C D E F", "A B C D=E=F"),
        ),
        margin=0.2,
    ),
    Picture(
        name="tau_ap_b",
        coefficient="tau_ap_b",
        relatives=("tau_ap_a", "tau_b"),
        panels=(
            _ranked("The tie at the top broken", "A=B=C D E=F=G", "A B C D E=F=G"),
            _ranked("The tie at the bottom broken", "A=B=C D E=F=G", "A=B=C D E F G"),
        ),
    ),
    Picture(
        name="tau_gap",
        coefficient="tau_gap",
        relatives=("tau_ap", "kendall"),
        panels=(
            Panel(
                title="C and D swapped: nearly equal",
                truth=scored(0.60, 0.55, 0.36, 0.34, 0.15, 0.10),
                estimate=scored(0.60, 0.55, 0.34, 0.36, 0.15, 0.10),
            ),
            Panel(
                title="C and D swapped: far apart",
                truth=scored(0.60, 0.55, 0.50, 0.20, 0.15, 0.10),
                estimate=scored(0.60, 0.55, 0.20, 0.50, 0.15, 0.10),
            ),
        ),
        by_score=True,
    ),
    Picture(
        name="pearson_rank",
        coefficient="pearson_rank",
        relatives=("tau_gap", "pearson"),
        panels=(
            Panel(
                title="The best far ahead of the rest",
                truth=scored(0.60, 0.50, 0.40, 0.30, 0.20, 0.10),
                estimate=scored(0.60, 0.20, 0.18, 0.16, 0.14, 0.12),
            ),
            Panel(
                title="The last far behind the rest",
                truth=scored(0.60, 0.50, 0.40, 0.30, 0.20, 0.10),
                estimate=scored(0.60, 0.58, 0.56, 0.54, 0.52, 0.12),
            ),
        ),
        by_score=True,
        margin=0.05,
    ),
    Picture(
        name="weighted_tau",
        coefficient="weighted_tau",
        relatives=("tau_ap", "kendall"),
        panels=(
            _ranked("The winner drops to second last", "A B C D E F G", "B C D E F A G"),
            _ranked("The winner stays, D and G swapped", "A B C D E F G", "A B C G E F D"),
        ),
        margin=0.3,
        slack=0.02,
    ),
    Picture(
        name="rbo",
        coefficient="rbo",
        relatives=("weighted_tau", "tau_ap", "kendall"),
        panels=(
            _ranked("Another winner, and C far down", "A B C D E F G", "B A D E F G C"),
            _ranked("The same winner, B and E swapped", "A B C D E F G", "A E C D B F G"),
        ),
        margin=0.07,
        slack=0.03,
    ),
    Picture(
        name="fuzzy_kendall",
        coefficient="fuzzy_kendall",
        relatives=("tau_gap", "tau_ap", "kendall"),
        panels=(
            Panel(
                title="A and B swapped: 2 % apart",
                truth=scored(0.51, 0.50, 0.40, 0.30, 0.20, 0.10),
                estimate=scored(0.50, 0.51, 0.40, 0.30, 0.20, 0.10),
            ),
            Panel(
                title="A and B swapped: 20 % apart",
                truth=scored(0.60, 0.50, 0.40, 0.30, 0.20, 0.10),
                estimate=scored(0.50, 0.60, 0.40, 0.30, 0.20, 0.10),
            ),
        ),
        by_score=True,
    ),
    Picture(
        name="spearman",
        coefficient="spearman",
        relatives=("kendall", "tau_ap", "weighted_tau"),
        panels=(
            _ranked("One system far from its rank", "A B C D E F G", "A G B C D E F"),
            _ranked("Many systems near their ranks", "A B C D E F G", "A D C B F G E"),
        ),
        margin=0.2,
        slack=0.02,
    ),
    Picture(
        name="pearson",
        coefficient="pearson",
        relatives=("spearman", "kendall"),
        panels=(
            Panel(
                title="One failed run, others permuted",
                truth=scored(0.50, 0.49, 0.48, 0.47, 0.46, 0.05),
                estimate=scored(0.47, 0.49, 0.50, 0.46, 0.48, 0.04),
            ),
            Panel(
                title="The same ranks, no failed run",
                truth=scored(0.50, 0.49, 0.48, 0.47, 0.46, 0.45),
                estimate=scored(0.47, 0.49, 0.50, 0.46, 0.48, 0.45),
            ),
        ),
        by_score=True,
        margin=0.3,
    ),
    Picture(
        name="pairwise_accuracy",
        coefficient="pairwise_accuracy",
        relatives=("tau_a",),
        panels=(
            _ranked("The truth's tie kept", "A B=C=D E F", "A B=C=D E F"),
            _ranked("The truth's tie broken", "A B=C=D E F", "A B C D E F"),
        ),
    ),
    Picture(
        name="d_rank",
        coefficient="d_rank",
        relatives=("kendall", "tau_ap", "tau_gap"),
        panels=(
            _by_topic("B and C do well on the same topics", _C_WITH_B),
            _by_topic("B and C do well on different topics", _C_AGAINST_B),
        ),
        by_score=True,
        margin=2.0,
    ),
)


def value(name: str, panel: Panel) -> float:
    """The library's value for a panel."""
    systems = sorted(panel.truth)
    estimate = [panel.estimate[s] for s in systems]
    if name == "d_rank" and panel.topics is not None:
        return rs.d_rank(panel.topics, estimate).distance
    return float(coefficient(name)([panel.truth[s] for s in systems], estimate))


def symbol(name: str) -> str:
    """The sign of a coefficient or of the rank distance."""
    return name if name == "d_rank" else coefficient(name).symbol
