"""One measure, many spellings: `map`, `MAP` and `AP`; `ndcg_cut_10` and `nDCG@10`; `P_10` and `p@10`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from rankscope.errors import UnknownName
from rankscope.names import parse

# Other spellings of a base, all in lower case, and the one that stands for them (ir_measures', in lower case).
_SAME = {
    "map": "ap",
    "mean_average_precision": "ap",
    "map_cut": "ap",
    "ndcg_cut": "ndcg",
    "precision": "p",
    "recall": "r",
    "recip_rank": "rr",
    "recip_rank_cut": "rr",
    "mrr": "rr",
    "hit": "success",
    "hits": "success",
    "set_p": "setp",
    "set_recall": "setr",
    "set_f": "setf",
    "set_map": "setap",
    "set_relative_p": "setrelp",
    "num_q": "numq",
    "num_ret": "numret",
    "num_rel": "numrel",
    "num_rel_ret": "numrelret",
    "iprec_at_recall": "iprec",
    "11pt_avg": "iprecmean",
    "gm_map": "gmap",
    "gm_ap": "gmap",
    "α_ndcg": "alpha_ndcg",
    "α_dcg": "alpha_dcg",
}
_BASES = frozenset(_SAME) | frozenset(_SAME.values())
_BASES |= {
    "ndcg", "dcg", "rprec", "bpref", "infap", "err", "rbp", "judged", "compat", "inst", "insq", "bpm", "sdcg", "nrbp",
    "nnrbp", "strecall", "accuracy", "ap_ia", "p_ia", "map_ia", "err_ia", "nerr_ia", "nerr8", "nerr9", "nerr10",
    "nerr11", "runid", "relstring", "gm_bpref", "g", "bing", "rndcg", "ndcg_rel", "rprec_mult",
    "relative_p", "utility", "num_nonrel_judged_ret", "qrels_jg", "q_measure",
}  # fmt: skip

# trec_eval sets a cutoff apart by an underscore; only these bases, since rbp_95 is no cutoff.
_CUT = re.compile(
    r"(map_cut|ndcg_cut|recip_rank_cut|p|recall|success|iprec_at_recall|map|ap|ndcg|rr|mrr|r|err|rprec_mult)_(\d+(?:\.\d+)?)",
    re.IGNORECASE,
)
_AT = re.compile(r"(.+)@\s*(\d+(?:\.\d+)?)")


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
        return _SAME.get(base.casefold(), base.casefold()) + cutoff
    lower = parsed.base.casefold()
    # A relevance level of 1 is every measure's default.
    given = sorted(f"{key}={value}".casefold() for key, value in parsed.parameters if (key, value) != ("rel", 1))
    return _SAME.get(lower, lower) + (f"({','.join(given)})" if given else "") + cutoff


def is_known(name: str) -> bool:
    """Whether this is a measure of ir_measures or trec_eval, in any spelling.

    >>> is_known("Rprec"), is_known("bm25")
    (True, False)
    """
    base = re.split(r"[(@]", canonical(name), maxsplit=1)[0]
    return base in _BASES or base.startswith(("prefs_", "set_f_"))


def matching(wanted: str, offered: Sequence[str]) -> list[str]:
    """The offered names that mean `wanted`: itself if it is there, else its other spellings."""
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
