r"""Our own words with symbols in them, and names of the user's, as LaTeX, Markdown and HTML.

In our own words $…$ is math in Unicode, such as $τ_b$, and so is what looks like a symbol: τ, d_rank, τ_AP,b.
"""

from __future__ import annotations

import html
import itertools
import re
import unicodedata
from collections.abc import Callable

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # In the old encoding of fonts, the default, these three print other signs.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma",
    "ς": "varsigma", "τ": "tau", "υ": "upsilon", "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma",
    "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
_SIGNS = {
    "−": "-", "±": r"\pm", "×": r"\times", "·": r"\cdot", "∞": r"\infty", "≤": r"\le", "≥": r"\ge", "≠": r"\ne",
    "≈": r"\approx", "→": r"\to", "²": "^2", "³": "^3",
}  # fmt: skip
_MATH = {letter: f"\\{name}" for letter, name in _GREEK.items()} | _SIGNS
_DASHES = {"–": "--", "—": "---", "…": r"\dots{}", "\u00a0": "~", "\u202f": r"\,"}
# Math marked as such, or a symbol by its looks.
_SYMBOL = re.compile(
    r"\$([^$]+)\$|((?:(?<![A-Za-z])(?:[A-Za-z]|acc\*?)|[Α-Ωα-ω])_[A-Za-z]+(?:,[a-z])?²?|[Α-Ωα-ω]²?)(?![A-Za-z])"
)
_BEFORE_PERCENT = re.compile(r"(?<=\d) (?=%)")
_P_VALUE = re.compile(r"\bp (=|≤|<|&lt;) (?=\.?\d)")
_INDEX = re.compile(r"_([A-Za-z]+(?:,[a-z])?)")
# What a LaTeX of today sets without another package or engine, letters with accents among it.
_SET_BY_LATEX = 0x180


def tex_name(text: str) -> str:
    r"""A name of the user's as LaTeX: each sign stands for itself.

    >>> print(tex_name("a_b & 50% <x> τ--2"))
    a\_b \& 50\% \textless{}x\textgreater{} $\tau$-{}-2
    """
    text = "".join(c if c.isprintable() else " " for c in unicodedata.normalize("NFC", text))
    parts = []
    for c, following in itertools.zip_longest(text, text[1:], fillvalue=""):
        parts.append(_tex_sign(c))
        if (c == following and c in "-'`,") or (c in "?!" and following == "`"):
            parts.append("{}")  # LaTeX would take the two together: -- is a dash
    return "".join(parts)


def needs_unicode(text: str) -> list[str]:
    """The signs of LaTeX text that pdfLaTeX does not know; XeLaTeX and LuaLaTeX set them in fonts that have them.

    >>> needs_unicode("système 系统")
    ['系', '统']
    """
    return sorted({c for c in text if ord(c) >= _SET_BY_LATEX})


def tex_words(text: str) -> str:
    r"""Our own words as LaTeX.

    >>> print(tex_words("Kendall's τ_b, τ_AP,b and $p$ < 5 %"))
    Kendall's $\tau_b$, $\tau_{\mathrm{AP},b}$ and $p$ $<$ 5\,\%
    """
    words = _worded(text, lambda part: "".join(map(_tex_own, part)), lambda math: f"${_tex_math(math)}$")
    return words.replace(r" \%", r"\,\%")


def markdown_words(text: str) -> str:
    r"""Our own words as Markdown, whose math is LaTeX's.

    >>> print(markdown_words("Expected τ"))
    Expected $\tau$
    """
    return _worded(text, markdown_name, lambda math: f"${_tex_math(math)}$")


def html_words(text: str) -> str:
    """Our own words as HTML.

    >>> html_words("Kendall's τ_b and $p$")
    'Kendall&#x27;s <i>τ</i><sub>b</sub> and <i>p</i>'
    """
    return _worded(text, html.escape, _html_math)


def unbroken(text: str) -> str:
    r"""Text or HTML in which no line ends between a number and its per cent sign, or within p = 0.05.

    >>> unbroken("95 % interval, p = 0.05").split(" ") == ["95\u00a0%", "interval,", "p\u00a0=\u00a00.05"]
    True
    >>> unbroken("topic %, top = 5, p = x")
    'topic %, top = 5, p = x'
    """
    text = _BEFORE_PERCENT.sub("\u00a0", text)
    return _P_VALUE.sub("p\u00a0\\1\u00a0", text)


def markdown_name(text: str) -> str:
    r"""A name of the user's as Markdown, on one line.

    >>> print(markdown_name("a_b|<c>*"))
    a\_b\|&lt;c&gt;\*
    """
    text = "".join(c if c.isprintable() else " " for c in text)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]#|~$])", r"\\\1", text)


def _tex_sign(c: str) -> str:
    if c in _LATEX:
        return _LATEX[c]
    return f"${_MATH[c]}$" if c in _MATH else _DASHES.get(c, c)


def _tex_own(c: str) -> str:
    return f"${c}$" if c in "<>" else _tex_sign(c)


def _worded(text: str, words: Callable[[str], str], math: Callable[[str], str]) -> str:
    """The text with math set as math."""
    parts, end = [], 0
    for symbol in _SYMBOL.finditer(text):
        parts += [words(text[end : symbol.start()]), math(symbol[1] or symbol[2])]
        end = symbol.end()
    return "".join([*parts, words(text[end:])])


def _tex_math(math: str) -> str:
    def index(match: re.Match[str]) -> str:
        inner = ",".join(part if len(part) == 1 else rf"\mathrm{{{part}}}" for part in match[1].split(","))
        return f"_{inner}" if len(inner) == 1 else f"_{{{inner}}}"

    if math.startswith("acc"):
        math = rf"\mathrm{{acc}}{'^*' if '*' in math else ''}_{math.partition('_')[2]}"
    written = "".join(f"{_MATH[c]} " if c in _MATH else c for c in math)
    return _INDEX.sub(index, re.sub(r" (?![A-Za-z])|(?<=\^\d) ", "", written))


def _html_math(math: str) -> str:
    base, _, index = math.partition("_")
    below = f"<sub>{html.escape(index)}</sub>" if index else ""
    return f"<i>{html.escape(base)}</i>{below}"
