"""Where methods come from, by the short form in which records cite them."""

from __future__ import annotations

import re

REFERENCES: dict[str, str] = {
    "Benjamini & Hochberg 1995": "Y. Benjamini, Y. Hochberg. Controlling the false discovery rate: a practical and "
    "powerful "
    "approach to multiple testing. Journal of the Royal Statistical Society B 57, 1995.",
    "Bland & Altman 1986": "J. M. Bland, D. G. Altman. Statistical methods for assessing agreement between two "
    "methods of "
    "clinical measurement. The Lancet 327, 1986.",
    "Buckley & Voorhees 2000": "C. Buckley, E. M. Voorhees. Evaluating evaluation measure stability. SIGIR 2000.",
    "Carterette 2009": "B. Carterette. On rank correlation and the distance between rankings. SIGIR 2009.",
    "Corsi & Urbano 2024": "M. Corsi, J. Urbano. The treatment of ties in rank-biased overlap. SIGIR 2024.",
    "Gao & Oard 2015": "N. Gao, D. Oard. A head-weighted gap-sensitive correlation coefficient. SIGIR 2015.",
    "Gao, Bagdouri & Oard 2016": "N. Gao, M. Bagdouri, D. W. Oard. Pearson Rank: a head-weighted gap-sensitive "
    "score-based "
    "correlation coefficient. SIGIR 2016.",
    "Holm 1979": "S. Holm. A simple sequentially rejective multiple test procedure. Scandinavian Journal of "
    "Statistics 6, "
    "1979.",
    "Kendall 1938": "M. G. Kendall. A new measure of rank correlation. Biometrika 30, 1938.",
    "Kendall 1945": "M. G. Kendall. The treatment of ties in ranking problems. Biometrika 33, 1945.",
    "Pearson 1895": "K. Pearson. Note on regression and inheritance in the case of two parents. Proceedings of the "
    "Royal "
    "Society of London 58, 1895.",
    "Soboroff et al. 2001": "I. Soboroff, C. Nicholas, P. Cahan. Ranking retrieval systems without relevance "
    "judgments. "
    "SIGIR 2001.",
    "Spearman 1904": "C. Spearman. The proof and measurement of association between two things. American Journal of "
    "Psychology 15, 1904.",
    "Urbano & Marrero 2016": "J. Urbano, M. Marrero. Toward estimating the rank correlation between the test "
    "collection "
    "results and the true system performance. SIGIR 2016.",
    "Urbano & Marrero 2017": "J. Urbano, M. Marrero. The treatment of ties in AP correlation. ICTIR 2017.",
    "Vigna 2015": "S. Vigna. A weighted correlation index for rankings with ties. WWW 2015.",
    "Webber, Moffat & Zobel 2010": "W. Webber, A. Moffat, J. Zobel. A similarity measure for indefinite rankings. ACM "
    "Transactions on Information Systems 28, 2010.",
    "Yilmaz, Aslam & Robertson 2008": "E. Yilmaz, J. A. Aslam, S. Robertson. A new rank correlation coefficient for "
    "information retrieval. SIGIR 2008.",
}


def cited(short: str) -> list[str]:
    """The references of one or more short forms, as records have them: "A 2010; B 2024"; unknown ones as they stand.

    >>> cited("Kendall 1938")
    ['M. G. Kendall. A new measure of rank correlation. Biometrika 30, 1938.']
    """
    parts = [part.strip() for part in re.split(r";", short) if part.strip()]
    return [REFERENCES.get(part, part) for part in parts]
