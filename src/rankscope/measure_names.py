"""The vocabulary of measures: `map`, `MAP` and `AP` are one; so are `ndcg_cut_10` and `nDCG@10`, `P_10` and `p@10`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from rankscope.errors import UnknownName
from rankscope.names import parse

# Measures that tables label as shown here, whatever the file calls them, with their other spellings in lower case.
_LABELLED: dict[str, tuple[str, ...]] = {
    "AP": ("map", "map_cut", "mean_average_precision"),
    "ERR": (),
    "GMAP": ("gm_map", "gm_ap"),
    "GMbpref": ("gm_bpref",),
    "Judged": (),
    "P": ("precision",),
    "R": ("recall",),
    "RBP": (),
    "RR": ("recip_rank", "recip_rank_cut", "mrr"),
    "Rprec": (),
    "Success": ("hit", "hits"),
    "bpref": (),
    "infAP": (),
    "nDCG": ("ndcg_cut",),
}
# Measures that keep the label which the file gives them.
_OTHERS: dict[str, tuple[str, ...]] = {
    "accuracy": (),
    "alpha_dcg": ("α_dcg",),
    "alpha_ndcg": ("α_ndcg",),
    "ap_ia": (),
    "bing": (),
    "bpm": (),
    "compat": (),
    "dcg": (),
    "err_ia": (),
    "g": (),
    "insq": (),
    "inst": (),
    "iprec": ("iprec_at_recall",),
    "iprecmean": ("11pt_avg",),
    "map_ia": (),
    "ndcg_rel": (),
    "nerr10": (),
    "nerr11": (),
    "nerr8": (),
    "nerr9": (),
    "nerr_ia": (),
    "nnrbp": (),
    "nrbp": (),
    "p_ia": (),
    "q_measure": (),
    "qrels_jg": (),
    "relative_p": (),
    "rndcg": (),
    "rprec_mult": (),
    "sdcg": (),
    "setap": ("set_map",),
    "setf": ("set_f",),
    "setp": ("set_p",),
    "setr": ("set_recall",),
    "setrelp": ("set_relative_p",),
    "strecall": (),
}
# Rows of trec_eval's output that count things or name the run.
_NOT_SCORES: dict[str, tuple[str, ...]] = {
    "num_nonrel_judged_ret": (),
    "numq": ("num_q",),
    "numrel": ("num_rel",),
    "numrelret": ("num_rel_ret",),
    "numret": ("num_ret",),
    "relstring": (),
    "runid": (),
    "utility": (),
}
_LABELS = {label.casefold(): label for label in _LABELLED}
_BASE_OF = {
    spelling: base.casefold()
    for base, others in (_LABELLED | _OTHERS | _NOT_SCORES).items()
    for spelling in (base.casefold(), *others)
}

# Bases whose cutoff may stand behind an underscore, as trec_eval writes it (P_10), or directly behind (ndcg20). Others
# may not: rbp_95 is not a cutoff.
_CUTTABLE = "map|ap|ndcg|precision|p|recall|r|err|rr|mrr|success"
_CUT = re.compile(
    rf"({_CUTTABLE}|map_cut|ndcg_cut|recip_rank_cut|iprec_at_recall|rprec_mult)_(\d+(?:\.\d+)?)", re.IGNORECASE
)
_GLUED = re.compile(rf"({_CUTTABLE})(\d+)", re.IGNORECASE)
_AT = re.compile(r"(.+)@\s*(\d+(?:\.\d+)?)")
# RBP's persistence as columns write it: rbp_95 is p = 0.95; and as one published set of tables misspells it, rdp_95.
_PERSISTENCE = re.compile(r"r[bd]p_(\d+)", re.IGNORECASE)
_JUDGING_DEPTH = re.compile(r"(\d+)[_:](?=[A-Za-z])(.+)")


def canonical(name: str) -> str:
    """One spelling for all the spellings of a measure: lower case, ir_measures' base, parameters sorted.

    >>> canonical("ndcg_cut_10"), canonical("nDCG@10"), canonical("MAP"), canonical("RBP(p=.5)")
    ('ndcg@10', 'ndcg@10', 'ap', 'rbp(p=0.5)')
    """
    text = name.strip()
    cut = _CUT.fullmatch(text) or _AT.fullmatch(text)
    base, cutoff = (cut[1], f"@{float(cut[2]):.15g}") if cut else (text, "")
    try:
        parsed = parse(base)
    except UnknownName:
        return _BASE_OF.get(base.casefold(), base.casefold()) + cutoff
    lower = parsed.base.casefold()
    # A relevance level of 1 is every measure's default.
    given = sorted(f"{key}={value}".casefold() for key, value in parsed.parameters if (key, value) != ("rel", 1))
    return _BASE_OF.get(lower, lower) + (f"({','.join(given)})" if given else "") + cutoff


def is_known(name: str) -> bool:
    """Whether this is a measure of ir_measures or trec_eval, in any spelling.

    >>> is_known("Rprec"), is_known("bm25")
    (True, False)
    """
    base = re.split(r"[(@]", canonical(name), maxsplit=1)[0]
    return base in _BASE_OF or base.startswith(("prefs_", "set_f_"))


def is_score(name: str) -> bool:
    """Whether rows of this name may hold scores, and not counts or names of runs.

    >>> is_score("map"), is_score("num_ret"), is_score("mine")
    (True, False, True)
    """
    return canonical(name) not in _NOT_SCORES


def measure_label(name: str) -> str:
    """A measure's name as ir_measures would write it, where it is a known one; with the judging depth before a colon.

    >>> measure_label("map_cut_1000all"), measure_label("rdp_95all"), measure_label("30_ndcgall"), measure_label("mine")
    ('AP@1000', 'RBP(p=0.95)', '30:nDCG', 'mine')
    """
    text = name.strip()
    depth = _JUDGING_DEPTH.fullmatch(text)
    if depth:
        inner = measure_label(depth[2])
        return f"{int(depth[1])}:{inner}" if inner != depth[2] or is_known(inner) else text
    for candidate in (text, text.removesuffix("all").rstrip("_")):
        persistence = _PERSISTENCE.fullmatch(candidate)
        if persistence:
            return f"RBP(p=0.{persistence[1]})"
        if is_known(candidate):
            base, at, cutoff = canonical(candidate).partition("@")
            return _LABELS[base] + at + cutoff if base in _LABELS else candidate
    return text


def label_of_file(stem: str) -> str:
    """The measure that a file's name tells, where the cutoff may have no sign before it.

    >>> label_of_file("ndcg20"), label_of_file("trec5")
    ('nDCG@20', 'trec5')
    """
    glued = _GLUED.fullmatch(stem)
    return measure_label(f"{glued[1]}@{glued[2]}" if glued else stem)


def is_measure(header: str) -> bool:
    """Whether a column header is a measure's name, with or without a judging depth or a trailing `all`."""
    return measure_label(header) != header.strip() or is_known(header)


def matching(wanted: str, offered: Sequence[str]) -> list[str]:
    """The offered names that mean `wanted`: itself if it is there, otherwise its other spellings."""
    if wanted in offered:
        return [wanted]
    return [name for name in offered if canonical(name) == canonical(wanted)]


def closest_first(wanted: str, offered: Sequence[str]) -> list[str]:
    """All offered names, the one most like `wanted` first.

    >>> closest_first("ndgc", ["AP", "P@10", "nDCG"])
    ['nDCG', 'AP', 'P@10']
    """
    near = difflib.get_close_matches(canonical(wanted), [canonical(name) for name in offered], n=1, cutoff=0.0)
    return sorted(offered, key=lambda name: canonical(name) not in near)
