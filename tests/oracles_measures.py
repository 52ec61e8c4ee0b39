"""Every measure as its definition says it, for one ranking of one topic: slow, plain, and held against the kernels.

`ranking` is a list of document names, best first; `grades` gives the grade of each judged document. A negative grade
means in the pool and not judged, as in trec_eval.
"""

import math


def _judged(grades):
    return {document: grade for document, grade in grades.items() if grade >= 0}


def _relevant(grades, rel):
    return {document for document, grade in _judged(grades).items() if grade >= rel}


def _shown(ranking, grades, judged_only):
    return [d for d in ranking if d in _judged(grades)] if judged_only else ranking


def p(ranking, grades, k, rel=1, judged_only=False):
    return sum(d in _relevant(grades, rel) for d in _shown(ranking, grades, judged_only)[:k]) / k


def r(ranking, grades, k, rel=1, judged_only=False):
    relevant = _relevant(grades, rel)
    return len(relevant.intersection(_shown(ranking, grades, judged_only)[:k])) / len(relevant) if relevant else 0.0


def rprec(ranking, grades, rel=1, judged_only=False):
    many = len(_relevant(grades, rel))
    return p(ranking, grades, many, rel, judged_only) if many else 0.0


def success(ranking, grades, k, rel=1, judged_only=False):
    return float(any(d in _relevant(grades, rel) for d in _shown(ranking, grades, judged_only)[:k]))


def rr(ranking, grades, k=None, rel=1, judged_only=False):
    for rank, document in enumerate(_shown(ranking, grades, judged_only)[:k], 1):
        if document in _relevant(grades, rel):
            return 1 / rank
    return 0.0


def ap(ranking, grades, k=None, rel=1, judged_only=False):
    relevant = _relevant(grades, rel)
    shown = _shown(ranking, grades, judged_only)
    hits = [rank for rank, d in enumerate(shown[:k], 1) if d in relevant]
    return sum(p(shown, grades, rank, rel) for rank in hits) / len(relevant) if relevant else 0.0


def gmap(ranking, grades, rel=1):
    return math.log(max(ap(ranking, grades, rel=rel), 1e-5))


def infap(ranking, grades, rel=1):
    """Yilmaz & Aslam 2006: 1/k + (k−1)/k · |pool above| / (k−1) · (|relevant above| + ε) / (|judged above| + 2ε)."""
    epsilon, relevant, judged = 1e-5, _relevant(grades, rel), _judged(grades)
    total = 0.0
    for k, document in enumerate(ranking, 1):
        if document not in relevant:
            continue
        above = ranking[: k - 1]
        total += 1 / k
        if above:
            pool = sum(d in grades for d in above) / (k - 1)
            share = (sum(d in relevant for d in above) + epsilon) / (sum(d in judged for d in above) + 2 * epsilon)
            total += (k - 1) / k * pool * share
    return total / len(relevant) if relevant else 0.0


def bpref(ranking, grades, rel=1):
    """Buckley & Voorhees 2004, as corrected in trec_eval: the first R judged non-relevant documents count."""
    relevant = _relevant(grades, rel)
    wrong = set(_judged(grades)) - relevant
    if not relevant:
        return 0.0
    total = 0.0
    for place, document in enumerate(ranking):
        if document in relevant:
            above = sum(d in wrong for d in ranking[:place])
            total += 1 - min(above, len(relevant)) / min(len(wrong), len(relevant)) if above else 1.0
    return total / len(relevant)


def _gain(grade, dcg, gains):
    grade = gains.get(grade, grade)
    return 0.0 if grade <= 0 else grade if dcg == "log2" else 2.0**grade - 1.0


def dcg(ranking, grades, k=None, dcg="log2", gains=None, judged_only=False):
    shown = _shown(ranking, grades, judged_only)[:k]
    gained = [_gain(grades[d], dcg, gains or {}) if d in grades else 0.0 for d in shown]
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gained, 1))


def ndcg(ranking, grades, k=None, dcg="log2", gains=None, judged_only=False):
    value = globals()["dcg"](ranking, grades, k, dcg, gains, judged_only)
    ideal = sorted((_gain(g, dcg, gains or {}) for g in grades.values()), reverse=True)[:k]
    best = sum(g / math.log2(rank + 1) for rank, g in enumerate(ideal, 1))
    return value / best if best else 0.0


def err(ranking, grades, k=None, max_rel=4):
    """Chapelle et al. 2009, Algorithm 2."""
    total, reading = 0.0, 1.0
    for rank, document in enumerate(ranking[:k], 1):
        stop = (2.0 ** max(grades.get(document, 0), 0) - 1) / 2**max_rel
        total += reading * stop / rank
        reading *= 1 - stop
    return total


def _share(grade, rel, max_rel):
    return float(grade >= rel and grade >= 0) if max_rel == 0 else max(grade, 0) / max_rel


def rbp(ranking, grades, k=None, p=0.8, rel=1, max_rel=0, part="base"):
    """Moffat & Zobel 2008: Σ (1 − p) p^(r−1) gain(r); the residual is what it would add if all others had gain 1."""
    base = sum(
        (1 - p) * p ** (rank - 1) * _share(grades.get(d, -1), rel, max_rel) for rank, d in enumerate(ranking[:k], 1)
    )
    known = sum((1 - p) * p ** (rank - 1) for rank, d in enumerate(ranking[:k], 1) if d in _judged(grades))
    return {"base": base, "residual": 1 - known, "upper": base + 1 - known}[part]


def _expected_gain(ranking, grades, going_on, rel, max_rel, depth=1000):
    """The C/W/L framework: gain at each of `depth` ranks, weighted by how often the reader gets there."""
    gains = [_share(grades.get(d, -1), rel, max_rel) for d in ranking[:depth]]
    gains += [0.0] * (depth - len(gains))
    viewed, gained = [1.0], 0.0
    for rank, gain in enumerate(gains, 1):
        gained += gain
        viewed.append(viewed[-1] * going_on(rank, gained))
    return sum(v * g for v, g in zip(viewed, gains, strict=False)) / sum(viewed[:-1])


def insq(ranking, grades, T=1.0, rel=1, max_rel=0):  # noqa: N803 (the measure's own name for it)
    return _expected_gain(ranking, grades, lambda i, _: ((i + 2 * T - 1) / (i + 2 * T)) ** 2, rel, max_rel)


def inst(ranking, grades, T=1.0, rel=1, max_rel=0):  # noqa: N803
    def going_on(i, gained):
        return ((i + T + (T - gained) - 1) / (i + T + (T - gained))) ** 2

    return _expected_gain(ranking, grades, going_on, rel, max_rel)


def compat(ranking, grades, p=0.95, normalize=True):
    """Clarke, Vtyurina & Smucker 2021: truncated rank-biased overlap with the nearest ideal ranking."""
    place = {d: i for i, d in enumerate(ranking)}
    ideal = sorted((d for d, g in grades.items() if g > 0), key=lambda d: (-grades[d], place.get(d, math.inf)))
    depth = max(len(ranking), len(ideal))
    if not ranking or not ideal:
        return 0.0

    def overlap(first, second):
        weights = [p ** (d - 1) for d in range(1, depth + 1)]
        shared = [len(set(first[:d]) & set(second[:d])) / d for d in range(1, depth + 1)]
        return sum(w * s for w, s in zip(weights, shared, strict=True)) / sum(weights)

    return overlap(ranking, ideal) / (overlap(ideal, ideal) if normalize else 1.0)


def iprec(ranking, grades, recall, rel=1, judged_only=False):
    """The greatest precision at any rank with at least the number of relevant documents that the recall asks for."""
    relevant = _relevant(grades, rel)
    shown = _shown(ranking, grades, judged_only)
    needed = int(recall * len(relevant) + 0.9)
    precisions = [p(shown, grades, k, rel) for k in range(1, len(shown) + 1)]
    enough = [v for k, v in enumerate(precisions, 1) if sum(d in relevant for d in shown[:k]) >= needed]
    return max(enough, default=0.0)


def iprecmean(ranking, grades, rel=1, judged_only=False):
    return sum(iprec(ranking, grades, level / 10, rel, judged_only) for level in range(11)) / 11


def setp(ranking, grades, rel=1, relative=False, judged_only=False):
    shown, relevant = _shown(ranking, grades, judged_only), _relevant(grades, rel)
    whole = min(len(shown), len(relevant)) if relative else len(shown)
    return len(relevant.intersection(shown)) / whole if whole else 0.0


def setr(ranking, grades, rel=1):
    relevant = _relevant(grades, rel)
    return len(relevant.intersection(ranking)) / len(relevant) if relevant else 0.0


def setf(ranking, grades, rel=1, beta=1.0, judged_only=False):
    precision, recall = setp(ranking, grades, rel, judged_only=judged_only), setr(ranking, grades, rel)
    return (beta + 1) * precision * recall / (recall + beta * precision) if precision and recall else 0.0


def setap(ranking, grades, rel=1, judged_only=False):
    return setp(ranking, grades, rel, judged_only=judged_only) * setr(ranking, grades, rel)


def utility(ranking, grades, rel=1):
    good = len(_relevant(grades, rel).intersection(ranking))
    return float(good - (len(ranking) - good))


def judged(ranking, grades, k=None):
    return sum(d in grades for d in ranking[:k]) / len(ranking[:k]) if ranking else 0.0


def numq(ranking, grades):
    return 1.0


def numret(ranking, grades, rel=None):
    return float(len(ranking) if rel is None else numrelret(ranking, grades, rel))


def numrel(ranking, grades, rel=1):
    return float(len(_relevant(grades, rel)))


def numrelret(ranking, grades, rel=1):
    return float(len(_relevant(grades, rel).intersection(ranking)))
