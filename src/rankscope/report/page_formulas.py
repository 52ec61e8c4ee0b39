"""Formulas of coefficients as MathML, which browsers set without help."""

from __future__ import annotations

import html
import re

# A number, a word or single letter, or a sign.
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+|\S")


def _row(*parts: str) -> str:
    return f"<mrow>{''.join(map(_part, parts))}</mrow>"


def _part(part: str) -> str:
    """What is not yet MathML, token by token."""
    if part.startswith("<m"):
        return part
    found = []
    for token in _TOKEN.findall(part):
        tag = "mn" if token[0].isdigit() else "mi" if token[0].isalpha() else "mo"
        found.append(f"<{tag}>{html.escape(token)}</{tag}>")
    return "".join(found)


def _frac(above: str, below: str) -> str:
    return f"<mfrac>{_row(above)}{_row(below)}</mfrac>"


def _sub(base: str, index: str) -> str:
    return f"<msub>{_row(base)}{_row(index)}</msub>"


def _power(base: str, index: str) -> str:
    return f"<msup>{_row(base)}{_row(index)}</msup>"


def _root(what: str) -> str:
    return f"<msqrt>{_row(what)}</msqrt>"


def _sum(below: str, above: str = "") -> str:
    if not above:
        return f"<munder><mo>∑</mo>{_row(below)}</munder>"
    return f"<munderover><mo>∑</mo>{_row(below)}{_row(above)}</munderover>"


def _fenced(*parts: str) -> str:
    return _row("(", *parts, ")")


def _math(*parts: str) -> str:
    return f'<math display="block">{_row(*parts)}</math>'


_X, _Y = _sub("x", "i"), _sub("y", "i")
_XJ, _YJ = _sub("x", "j"), _sub("y", "j")
_CENTRED_X, _CENTRED_Y = (
    _fenced(_X, "−", "<mover><mi>x</mi><mo>¯</mo></mover>"),
    _fenced(_Y, "−", "<mover><mi>y</mi><mo>¯</mo></mover>"),
)
_XGAP, _YGAP = _fenced(_XJ, "−", _X), _fenced(_YJ, "−", _Y)
_UNTIED = _row("(", _sub("n", "0"), "−", _sub("n", "x"), ") (", _sub("n", "0"), "−", _sub("n", "y"), ")")
_AP = (_frac("2", "m − 1"), _sum("i = 2", "m"), _frac(_sub("C", "i"), "i − 1"), "− 1")
_GAP = _frac(
    _row(_sum("j < i"), "[", _sub("s", "j"), ">", _sub("s", "i"), "]", _sub("g", "ij")),
    _row(_sum("j < i"), _sub("g", "ij")),
)

# By a coefficient's own name; those of another name or direction have the same.
FORMULAS: dict[str, str] = {
    "tau_a": _math(_sub("τ", "a"), "=", _frac("C − D", "m ( m − 1 ) / 2")),
    "tau_b": _math(
        _sub("τ", "b"), "=",
        _frac("C − D", _root(_UNTIED)),
    ),
    "tau_ap": _math(_sub("τ", "AP"), "=", *_AP),
    "tau_ap_b": _math(
        _sub("τ", "AP , b"), "=", _frac("1", "2"),
        _fenced(_sub("τ", "AP"), "( x , y ) +", _sub("τ", "AP"), "( y , x )"),
    ),
    "tau_gap": _math(_sub("τ", "GAP"), "=", _frac("2", "m − 1"), _sum("i = 2", "m"), _GAP, "− 1"),
    "pearson_rank": _math(
        _sub("ρ", "r"), "=",
        _frac(
            _row(_sum("i > 1"), _sub("w", "i"), _sub("r", "i")),
            _row(_sum("i > 1"), _sub("w", "i")),
        ),
        ",  ", _sub("r", "i"), "=",
        _frac(
            _row(_sum("j < i"), _XGAP, _YGAP),
            _root(_row(_sum("j < i"), _power(_XGAP, "2"), _sum("j < i"), _power(_YGAP, "2"))),
        ),
    ),
    "weighted_tau": _math(
        _sub("τ", "h"), "=",
        _frac(
            _row(_sum("i < j"), _sub("w", "ij"), "sgn", _fenced(_X, "−", _XJ), "sgn", _fenced(_Y, "−", _YJ)),
            _row(_sum("i < j"), _sub("w", "ij")),
        ),
        ",  ", _sub("w", "ij"), "=", _frac("1", _sub("r", "i")), "+", _frac("1", _sub("r", "j")),
    ),
    "rbo": _math(
        "RBO =", "( 1 − p )", _sum("d = 1", "∞"), _power("p", "d − 1"), _frac(_sub("X", "d"), "d"),
    ),
    "fuzzy_kendall": _math(
        _sub("τ", "fuzzy"), "=", _frac("C − D", "C + D + T"), ",  over pairs with", "|", _X, "−", _XJ, "| > f · min",
        _fenced(_X, ",", _XJ),
    ),
    "spearman": _math(_sub("ρ", "s"), "= ρ ( ranks of x , ranks of y )"),
    "pearson": _math(
        "ρ =",
        _frac(
            _row(_sum("i"), _CENTRED_X, _CENTRED_Y),
            _root(_row(_sum("i"), _power(_CENTRED_X, "2"), _sum("i"), _power(_CENTRED_Y, "2"))),
        ),
    ),
}  # fmt: skip
SAME = {"kendall": "tau_b", "tau_ap_a": "tau_ap"}

# What the letters stand for.
LETTERS: dict[str, str] = {
    "tau_a": "C pairs in the same order, D in opposite orders, m systems.",
    "tau_b": "C pairs in the same order, D in opposite orders; n₀ all pairs, nₓ and nᵧ those tied in the truth and "
    "in the "
    "estimate.",
    "tau_ap": "Down the estimate's ranking of m systems, Cᵢ of the i − 1 systems above the i-th are above it in the "
    "truth "
    "too.",
    "tau_ap_b": "x is the truth, y the estimate.",
    "tau_gap": "Down the estimate's ranking, gᵢⱼ is the gap of systems i and j in the truth's scores s.",
    "pearson_rank": "Down the truth's ranking, rᵢ compares the gaps between system i and all above it on both "
    "sides; wᵢ is "
    "its score in the truth, scaled to [0, 1].",
    "weighted_tau": "rᵢ is the rank of system i; the mean of ranking by the truth and by the estimate.",
    "rbo": "X_d systems are in the top d of both; p is the chance to go on to the next rank. Extrapolated to all "
    "ranks.",
    "fuzzy_kendall": "C, D and T pairs are in the same order, in opposite orders, and tied in the estimate; f is the "
    "fuzziness.",
    "spearman": "Tied systems share their mean rank.",
    "pearson": "x and y are the systems' scores in the truth and in the estimate.",
}
