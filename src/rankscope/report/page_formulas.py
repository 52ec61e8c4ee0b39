r"""Formulas of coefficients, written as in TeX and shown as MathML, which browsers set without a library.

The notation has groups in braces, `_` and `^`, \frac, \sqrt, \bar, \sum, the spaces \quad and \, and text in quotes.
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple

_TOKEN = re.compile(r'"[^"]*"|\\[a-z]+|\\,|\d+(?:\.\d+)?|[^\W\d_]+|\S')


class Formula(NamedTuple):
    """A formula and what its letters stand for."""

    source: str
    letters: str


# By a coefficient's own name; coefficients of another name or direction have the same formula.
FORMULAS: dict[str, Formula] = {
    "tau_a": Formula(
        r"τ_a = \frac{C − D}{m (m − 1) / 2}",
        "C pairs in the same order, D in opposite orders, m systems.",
    ),
    "tau_b": Formula(
        r"τ_b = \frac{C − D}{\sqrt{(n_0 − n_x) (n_0 − n_y)}}",
        "C pairs in the same order, D in opposite orders; n₀ all pairs, nₓ tied in the truth, nᵧ tied in the estimate.",
    ),
    "tau_ap": Formula(
        r"τ_{AP} = \frac{2}{m − 1} \sum_{i = 2}^m \frac{C_i}{i − 1} − 1",
        "Down the estimate's ranking of m systems; of the i − 1 systems above the i-th, the truth too has Cᵢ above it.",
    ),
    "tau_ap_b": Formula(
        r"τ_{AP , b} = \frac{1}{2} (τ_{AP} (x , y) + τ_{AP} (y , x))",
        "x is the truth, y the estimate.",
    ),
    "tau_gap": Formula(
        r"τ_{GAP} = \frac{2}{m − 1} \sum_{i = 2}^m "
        r"\frac{\sum_{j < i} [s_j > s_i] g_{i j}}{\sum_{j < i} g_{i j}} − 1",
        "Down the estimate's ranking; gᵢⱼ is the gap between systems i and j in the truth's scores s.",
    ),
    "pearson_rank": Formula(
        r"ρ_r = \frac{\sum_{i > 1} w_i r_i}{\sum_{i > 1} w_i} , \quad "
        r"r_i = \frac{\sum_{j < i} (x_j − x_i) (y_j − y_i)}"
        r"{\sqrt{\sum_{j < i} {(x_j − x_i)}^2 \sum_{j < i} {(y_j − y_i)}^2}}",
        "Down the truth's ranking; rᵢ compares the gaps between system i and all systems above it on both sides. wᵢ is "
        "its score in the truth, scaled to [0, 1].",
    ),
    "weighted_tau": Formula(
        r"τ_h = \frac{\sum_{i < j} w_{i j} \, sgn (x_i − x_j) \, sgn (y_i − y_j)}{\sum_{i < j} w_{i j}} , \quad "
        r"w_{i j} = \frac{1}{r_i} + \frac{1}{r_j}",
        "rᵢ is the rank of system i; the mean of ranking by the truth and by the estimate.",
    ),
    "rbo": Formula(
        r"RBO = (1 − p) \sum_{d = 1}^∞ p^{d − 1} \frac{X_d}{d}",
        "X_d systems are in the top d of both; p is the probability of reading on. Extrapolated to all ranks.",
    ),
    "fuzzy_kendall": Formula(
        r'τ_{fuzzy} = \frac{C − D}{C + D + T} , "over pairs with" | x_i − x_j | > f · min (x_i , x_j)',
        "C, D and T pairs are in the same order, in opposite orders, and tied in the estimate; f is the fuzziness.",
    ),
    "pairwise_accuracy": Formula(
        r"PA = \frac{C + T}{m (m − 1) / 2}",
        "C pairs in the same order, T tied on both sides, m systems.",
    ),
    "spearman": Formula(r'ρ_s = ρ ("ranks of" x , "ranks of" y)', "Tied systems share their mean rank."),
    "pearson": Formula(
        r"ρ = \frac{\sum_i (x_i − \bar x) (y_i − \bar y)}"
        r"{\sqrt{\sum_i {(x_i − \bar x)}^2 \sum_i {(y_i − \bar y)}^2}}",
        "x and y are the systems' scores in the truth and in the estimate.",
    ),
}
SAME = {"kendall": "tau_b", "tau_ap_a": "tau_ap"}


def mathml(source: str) -> str:
    r"""A formula as MathML.

    >>> mathml(r"C_i / 2")
    '<math display="block"><mrow><msub><mi>C</mi><mi>i</mi></msub><mo>/</mo><mn>2</mn></mrow></math>'
    """
    return f'<math display="block">{_row(_TOKEN.findall(source))}</math>'


def _row(tokens: list[str]) -> str:
    """What the tokens up to the end or to a closing brace say; consumes them."""
    parts = []
    while tokens and tokens[0] != "}":
        parts.append(_scripted(tokens))
    return f"<mrow>{''.join(parts)}</mrow>"


def _scripted(tokens: list[str]) -> str:
    """An element with its index and power, which a sum has below and above."""
    tags = ("munder", "mover", "munderover") if tokens[0] == r"\sum" else ("msub", "msup", "msubsup")
    base, index, power = _element(tokens), "", ""
    if tokens and tokens[0] == "_":
        tokens.pop(0)
        index = _element(tokens)
    if tokens and tokens[0] == "^":
        tokens.pop(0)
        power = _element(tokens)
    if not index and not power:
        return base
    tag = tags[2] if index and power else tags[0] if index else tags[1]
    return f"<{tag}>{base}{index}{power}</{tag}>"


def _element(tokens: list[str]) -> str:
    """A group, a command with its arguments, a text, a number, a letter or a sign."""
    token = tokens.pop(0)
    match token:
        case "{":
            row = _row(tokens)
            tokens.pop(0)
            return row
        case r"\frac":
            return f"<mfrac>{_element(tokens)}{_element(tokens)}</mfrac>"
        case r"\sqrt":
            return f"<msqrt>{_element(tokens)}</msqrt>"
        case r"\bar":
            return f"<mover>{_element(tokens)}<mo>¯</mo></mover>"
        case r"\sum":
            return "<mo>∑</mo>"
        case r"\quad":
            return '<mspace width="1em"></mspace>'
        case r"\,":
            return '<mspace width="0.17em"></mspace>'
    if token.startswith('"'):
        return f"<mtext>\u00a0{html.escape(token.strip(chr(34)))}\u00a0</mtext>"
    tag = "mn" if token[0].isdigit() else "mi" if token[0].isalpha() else "mo"
    return f"<{tag}>{html.escape(token)}</{tag}>"
