"""The coefficients as their papers define them, in loops: the slow, literal twins that the compiled ones are held to.

`x` is the truth and `y` the estimate, higher is better. Nothing here is clever, and nothing is rounded before it has to
be: scores become exact integers first, so that sums, gaps and squares cannot cancel or overflow. A side that scores all
systems alike ranks nothing, so that every coefficient is then `nan`.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

Scores = Sequence[float]
Exact = Sequence[int]
Coefficient = Callable[..., float]


def exact(scores: Scores) -> list[int]:
    """The scores as integers, on a unit small enough to hold them all.

    A float is a fraction, so this is exact; and no coefficient here changes when a side is measured in another unit.
    """
    fractions = [Fraction(score) for score in scores]
    unit = math.lcm(*(fraction.denominator for fraction in fractions))
    return [int(fraction * unit) for fraction in fractions]


def nan_if_constant(coefficient: Coefficient) -> Coefficient:
    """`nan` where a side is constant; elsewhere the coefficient, on exact integers."""

    @functools.wraps(coefficient)
    def checked(x: Scores, y: Scores, **options: object) -> float:
        if len(x) != len(y) or len(x) < 2:
            raise ValueError("an oracle compares two lists of at least two systems")
        if len(set(x)) == 1 or len(set(y)) == 1:
            return math.nan
        return coefficient(exact(x), exact(y), **options)

    return checked


def sign(number: float) -> int:
    return (number > 0) - (number < 0)


def cosine(product: int, square: int, other_square: int) -> float:
    """product/√(square · other_square); integers of any size, rounded only in the last step."""
    return sign(product) * math.sqrt(product * product / (square * other_square))


# --- moments -----------------------------------------------------------------


@nan_if_constant
def pearson(x: Exact, y: Exact) -> float:
    """Covariance over the product of standard deviations (Pearson 1895; Gao & Oard 2015, Eq. 1)."""
    m = len(x)
    # m² times the covariance and the variances, so as to stay among the integers.
    covariance = m * sum(a * b for a, b in zip(x, y, strict=True)) - sum(x) * sum(y)
    x_variance = m * sum(a * a for a in x) - sum(x) ** 2
    y_variance = m * sum(b * b for b in y) - sum(y) ** 2
    return cosine(covariance, x_variance, y_variance)


def mean_ranks(scores: Scores) -> list[Fraction]:
    """1 for the best; the members of a tie group share the mean of the ranks that they take up."""
    ranks = []
    for score in scores:
        above = sum(other > score for other in scores)
        level = sum(other == score for other in scores)
        ranks.append(above + Fraction(level + 1, 2))
    return ranks


@nan_if_constant
def spearman(x: Scores, y: Scores) -> float:
    """Pearson's coefficient of the mean ranks (Gao & Oard 2015, Section 2)."""
    return pearson(mean_ranks(x), mean_ranks(y))


# --- pairs -------------------------------------------------------------------


def concordance(x: Scores, y: Scores) -> int:
    """C − D: pairs that both sides order alike less those that they order differently; ties on a side count 0."""
    return sum(sign(x[i] - x[j]) * sign(y[i] - y[j]) for i, j in itertools.combinations(range(len(x)), 2))


def tied_pairs(scores: Scores) -> int:
    return sum(a == b for a, b in itertools.combinations(scores, 2))


@nan_if_constant
def tau_a(x: Scores, y: Scores) -> float:
    """(C − D) / (m(m − 1)/2) (Kendall 1938)."""
    return concordance(x, y) / math.comb(len(x), 2)


@nan_if_constant
def tau_b(x: Scores, y: Scores) -> float:
    """(C − D) / √((N − T_x)(N − T_y)), with N all pairs and T the tied ones of a side (Kendall 1945)."""
    pairs = math.comb(len(x), 2)
    return cosine(concordance(x, y), pairs - tied_pairs(x), pairs - tied_pairs(y))


@nan_if_constant
def pairwise_accuracy(x: Scores, y: Scores) -> float:
    """The share of pairs whose differences have the same sign, 0 being one (Deutsch, Foster & Freitag 2023, acc_eq)."""
    pairs = list(itertools.combinations(range(len(x)), 2))
    return sum(sign(x[i] - x[j]) == sign(y[i] - y[j]) for i, j in pairs) / len(pairs)


@nan_if_constant
def fuzzy_kendall(x: Scores, y: Scores, *, fuzziness: float = 0.05) -> float:
    """C − D over the pairs whose truth scores differ by more than `fuzziness` of the smaller one, over their number
    (Buckley & Voorhees 2000, as told in Gao & Oard 2015, Section 1).

    A pair tied in the estimate counts 0. Without a pair beyond the fuzziness there is nothing to compare: `nan`.
    """
    share = Fraction(str(fuzziness))  # 0.05 means a twentieth, not the nearest binary fraction
    agreement = counted = 0
    for i, j in itertools.combinations(range(len(x)), 2):
        gap = abs(x[i] - x[j])
        if gap > 0 and gap * share.denominator > share.numerator * min(abs(x[i]), abs(x[j])):
            agreement += sign(x[i] - x[j]) * sign(y[i] - y[j])
            counted += 1
    return agreement / counted if counted else math.nan


@nan_if_constant
def weighted_tau(x: Scores, y: Scores) -> float:
    """Vigna's additive hyperbolic τ (Vigna 2015), as scipy.stats.weightedtau has it by default.

    The mean over two rankings to take the weights from: by truth and then estimate, and by estimate and then truth.
    """
    by_truth = sorted(range(len(x)), key=lambda i: (-x[i], -y[i]))
    by_estimate = sorted(range(len(x)), key=lambda i: (-y[i], -x[i]))
    return (tau_weighted_by(by_truth, x, y) + tau_weighted_by(by_estimate, x, y)) / 2


def tau_weighted_by(ranking: Sequence[int], x: Scores, y: Scores) -> float:
    weight = {item: 1 / (rank + 1) for rank, item in enumerate(ranking)}
    agreements, x_untied, y_untied = [], [], []
    for i, j in itertools.combinations(range(len(x)), 2):
        pair_weight = weight[i] + weight[j]
        agreements.append(pair_weight * sign(x[i] - x[j]) * sign(y[i] - y[j]))
        x_untied.append(pair_weight * (x[i] != x[j]))
        y_untied.append(pair_weight * (y[i] != y[j]))
    return math.fsum(agreements) / math.sqrt(math.fsum(x_untied) * math.fsum(y_untied))


# --- τ_AP --------------------------------------------------------------------


def tau_ap_untied(x: Scores, y: Scores) -> Fraction:
    """2/(N − 1) · Σ_{i=2..N} C_i/(i − 1) − 1 (Yilmaz et al. 2008; Gao & Oard 2015, Eq. 2), with no ties at all.

    i runs down the estimate; C_i is the number of items above i in the estimate that the truth puts above i too.
    """
    order = sorted(range(len(y)), key=lambda i: -y[i])
    total = Fraction(0)
    for place in range(1, len(order)):
        correct = sum(x[above] > x[order[place]] for above in order[:place])
        total += Fraction(correct, place)
    return 2 * total / (len(order) - 1) - 1


@nan_if_constant
def tau_ap_enumerated(x: Scores, y: Scores) -> float:
    """The mean of τ_AP over all ways to break all ties on both sides, one way after the other (small inputs only)."""
    values = [tau_ap_untied(u, v) for u in tie_breaks(x) for v in tie_breaks(y)]
    return float(sum(values) / len(values))


@nan_if_constant
def tau_ap(x: Scores, y: Scores) -> float:
    """The mean of τ_AP over all ways to break all ties on both sides, pivot by pivot.

    A pair tied in the truth is in the right order half of the time. A pivot of an estimate tie group of size g with
    u items above the group stands at each of its g places equally often; with K members above it, each other
    member is among them with probability K/(g − 1). (Urbano & Marrero 2017 do this for an untied truth.)
    """
    m = len(x)
    terms = []
    for i in range(m):
        above = [j for j in range(m) if y[j] > y[i]]
        level = [j for j in range(m) if y[j] == y[i] and j != i]
        right_above = sum(probability_above(x[j], x[i]) for j in above)
        right_level = sum(probability_above(x[j], x[i]) for j in level)
        u, g = len(above), len(level) + 1
        for k in range(g):
            if u + k == 0:
                continue  # the top place has no term
            expected = right_above + (right_level * k / (g - 1) if k else 0)
            terms.append(expected / (u + k) / g)
    return 2 * math.fsum(terms) / (m - 1) - 1


def probability_above(score: float, pivot: float) -> float:
    """How often the truth puts `score` above `pivot` when its ties are broken at random."""
    return (sign(score - pivot) + 1) / 2


#: τ_AP,a is the same mean over tie breaks; Urbano & Marrero (2017) define it for an untied truth.
tau_ap_a = tau_ap


@nan_if_constant
def tau_ap_b(x: Scores, y: Scores) -> float:
    """τ_AP where both sides may be tied, the mean of both directions (Urbano & Marrero 2017)."""
    return (tau_ap_b_one_way(x, y) + tau_ap_b_one_way(y, x)) / 2


def tau_ap_b_one_way(x: Scores, y: Scores) -> float:
    # A pair tied in the truth but not in the estimate counts 0, "not correctly ordered". Of 0, ½ and 1 only 0 gives
    # FACTS' .7321 (they give .7321, .8661 and 1.0000), and ircor's tauAP_b counts it so (equal signs are asked for, and
    # the estimate's is never 0). x against itself is 1 under each: what x ties is never compared.
    m = len(x)
    shares = []
    for i in range(m):
        above = [j for j in range(m) if y[j] > y[i]]  # the first rank of i's group, less one, is their number
        if above:
            shares.append(sum(x[j] > x[i] for j in above) / len(above))
    return 2 * math.fsum(shares) / len(shares) - 1


# --- gaps --------------------------------------------------------------------


@nan_if_constant
def tau_gap(x: Exact, y: Exact, *, gap: Callable[[int, int], int] = lambda a, b: abs(a - b)) -> float:
    """τ_GAP (Gao & Oard 2015, Eq. 3), with our rules for ties.

    1. A pair tied in the estimate is met at either member half of the time, and is as often right as wrong: ½ of its
       gap in the denominator, ¼ in the numerator.
    2. A pivot with no gap above or level says nothing and is left out.
    3. The top item has no term: each of the g members of the top tie group is not the top one (g − 1)/g of the time.

    `gap` takes two truth scores; only the test of the paper's Theorem 2 gives another than their distance.
    """
    m = len(x)
    weights, weighted_ratios = [], []
    for i in range(m):
        right = all_above = level = 0
        top, group = True, 1
        for j in range(m):
            if y[j] > y[i]:
                top = False
                all_above += gap(x[j], x[i])
                right += gap(x[j], x[i]) if x[j] > x[i] else 0
            elif y[j] == y[i] and j != i:
                group += 1
                level += gap(x[j], x[i])
        if all_above == 0 and level == 0:
            continue
        ratio = (4 * right + level) / (4 * all_above + 2 * level)  # (right + ¼ level) / (above + ½ level)
        weight = (group - 1) / group if top else 1.0
        weights.append(weight)
        weighted_ratios.append(weight * ratio)
    return 2 * math.fsum(weighted_ratios) / math.fsum(weights) - 1


@nan_if_constant
def pearson_rank(x: Exact, y: Exact, *, scale: bool = True) -> float:
    """Pearson Rank (Gao, Bagdouri & Oard 2016, Eq. 1), with our rules for ties.

    1. A pair tied in the truth is met at either member half of the time: ½ of (y_j − y_i)² in the estimate's sum.
    2. A pivot with no truth gap above (the truth's top tie group) is left out.
    3. A pivot that the estimate ties with everything above and level has term 0.
    4. If the remaining weights are all zero, they are taken to be equal.
    """
    return pearson_rank_where(x, y, lambda j, i: 1 + sign(x[j] - x[i]), scale=scale)


def pearson_rank_where(x: Exact, y: Exact, halves_above: Callable[[int, int], int], *, scale: bool) -> float:
    """Eq. 1, where item j is met above the pivot i `halves_above(j, i)` halves of the time: 0, 1 or 2."""
    m = len(x)
    if not scale and min(x) < 0:
        raise ValueError("raw truth scores are weights, and a weight is not negative")
    weights, terms = [], []
    for i in range(m):
        product = x_square = y_square = 0
        for j in range(m):
            if j != i:
                halves = halves_above(j, i)  # all three sums are doubled by counting halves, which cancels
                product += halves * (x[j] - x[i]) * (y[j] - y[i])
                x_square += halves * (x[j] - x[i]) ** 2
                y_square += halves * (y[j] - y[i]) ** 2
        if x_square == 0:
            continue
        weights.append(x[i] - min(x) if scale else x[i])
        terms.append(cosine(product, x_square, y_square) if y_square else 0.0)
    total = sum(weights)
    if total == 0:
        return math.fsum(terms) / len(terms)
    return math.fsum(weight / total * term for weight, term in zip(weights, terms, strict=True))


# --- overlap -----------------------------------------------------------------


@nan_if_constant
def rbo(x: Scores, y: Scores, *, p: float = 0.9, ties: str = "a") -> float:
    """Extrapolated rank-biased overlap (Webber et al. 2010) of two rankings of the same m systems, with the tie rules
    a, b and w of Corsi & Urbano (2024): (1 − p) Σ_{d=1..m} p^(d−1) A_d + p^m A_m."""
    m = len(x)
    x_first, x_last = zip(*(places(x, i) for i in range(m)), strict=True)
    y_first, y_last = zip(*(places(y, i) for i in range(m)), strict=True)
    terms = []
    for d in range(1, m + 1):
        agreement = rbo_agreement(d, x_first, x_last, y_first, y_last, ties)
        terms.append((1 - p) * p ** (d - 1) * agreement)
    return math.fsum([*terms, p**m * agreement])


def places(scores: Scores, i: int) -> tuple[int, int]:
    """The first and the last rank that the tie group of i takes up."""
    first = 1 + sum(other > scores[i] for other in scores)
    return first, first - 1 + sum(other == scores[i] for other in scores)


def rbo_contribution(d: int, first: float, last: float) -> float:
    """The share of the ways to break ties in which an item of the group is among the first d."""
    if d < first:
        return 0.0
    if d >= last:
        return 1.0
    return (d - first + 1) / (last - first + 1)


def rbo_agreement(
    d: int,
    x_first: Sequence[float],
    x_last: Sequence[float],
    y_first: Sequence[float],
    y_last: Sequence[float],
    ties: str,
) -> float:
    m = len(x_first)
    if ties == "w":  # a tie says "equally good": all of a group is in as soon as its first place is
        c = [float(d >= x_first[i]) for i in range(m)]
        c_other = [float(d >= y_first[i]) for i in range(m)]
        both = math.fsum(a * b for a, b in zip(c, c_other, strict=True))
        return 2 * both / (math.fsum(c) + math.fsum(c_other))
    c = [rbo_contribution(d, x_first[i], x_last[i]) for i in range(m)]
    c_other = [rbo_contribution(d, y_first[i], y_last[i]) for i in range(m)]
    both = math.fsum(a * b for a, b in zip(c, c_other, strict=True))
    if ties == "a":
        return both / d
    if ties == "b":
        return both / math.sqrt(math.fsum(a * a for a in c) * math.fsum(b * b for b in c_other))
    raise ValueError(f"no rule {ties!r}: RBO has the tie rules a, b and w")


@nan_if_constant
def rbo_enumerated(x: Scores, y: Scores, *, p: float = 0.9) -> float:
    """The mean of RBO over all ways to break all ties on both sides, by sets of items (small inputs only)."""
    values = [rbo_untied(u, v, p) for u in tie_breaks(x) for v in tie_breaks(y)]
    return math.fsum(values) / len(values)


def rbo_untied(x: Scores, y: Scores, p: float) -> float:
    by_truth = sorted(range(len(x)), key=lambda i: -x[i])
    by_estimate = sorted(range(len(y)), key=lambda i: -y[i])
    terms = []
    for d in range(1, len(x) + 1):
        agreement = len(set(by_truth[:d]) & set(by_estimate[:d])) / d
        terms.append((1 - p) * p ** (d - 1) * agreement)
    return math.fsum([*terms, p ** len(x) * agreement])


Groups = Sequence[Sequence[Any]]


def rbo_lists(first: Groups, second: Groups, p: float, ties: str) -> tuple[float, float, float]:
    """Extrapolated, least and greatest RBO of two lists of tie groups, by definition (tiny lists only).

    The bounds are those over all ways to go on without ties up to depth l + 1, where l is the longer list's length. At
    each depth d beyond, the lists share no further items at least, and two more, up to all d, at most.
    """
    shorter, longer = sorted((list(map(list, first)), list(map(list, second))), key=lambda side: sum(map(len, side)))
    depth = sum(map(len, longer)) + 1
    ends = [
        rbo_continued(x, y, depth, p, ties)
        for x in continuations(shorter, longer, depth, "x")
        for y in continuations(longer, x, depth, "y")
    ]
    return rbo_lists_ext(shorter, longer, p, ties), min(least for least, _ in ends), max(most for _, most in ends)


def continuations(groups: Groups, others: Groups, depth: int, fresh: str) -> Iterator[Groups]:
    """All ways to go on to this depth with items of the other list or items that neither has, which are alike."""
    known = set(itertools.chain(*groups))
    length = depth - len(known)
    offered = [item for item in itertools.chain(*others) if item not in known]
    for taken in range(min(length, len(offered)) + 1):
        for items in itertools.permutations(offered, taken):
            for at in itertools.combinations(range(length), taken):
                tail: list[Any] = [(fresh, i) for i in range(length)]
                for place, item in zip(at, items, strict=True):
                    tail[place] = item
                yield [*groups, *([item] for item in tail)]


def group_places(groups: Groups, items: Sequence[Any]) -> tuple[list[float], list[float]]:
    """The first and the last rank of the group of each item; infinite for items that are not in the list."""
    at, start = {}, 0
    for group in groups:
        at.update(dict.fromkeys(group, (start + 1, start + len(group))))
        start += len(group)
    found = [at.get(item, (math.inf, math.inf)) for item in items]
    return [first for first, _ in found], [last for _, last in found]


def rbo_continued(x: Groups, y: Groups, depth: int, p: float, ties: str) -> tuple[float, float]:
    """The least and the greatest RBO of lists that are known to this depth."""
    items = list({*itertools.chain(*x), *itertools.chain(*y)})
    places = (*group_places(x, items), *group_places(y, items))
    terms = [p ** (d - 1) * rbo_agreement(d, *places, ties) for d in range(1, depth + 1)]
    common = len(set(itertools.chain(*x)) & set(itertools.chain(*y)))
    beyond = range(depth + 1, depth + 1 + math.ceil(-40 / math.log(p)))
    least = math.fsum([*terms, *(p ** (d - 1) * common / d for d in beyond)])
    most = math.fsum([*terms, *(p ** (d - 1) * min(1.0, (common + 2 * (d - depth)) / d) for d in beyond)])
    return (1 - p) * least, (1 - p) * most


def rbo_lists_ext(shorter: Groups, longer: Groups, p: float, ties: str) -> float:
    """Extrapolated RBO: items that follow the shorter list are in the longer one's top as often as its own at its end,
    with the mean contribution of the items there that it lacks (Corsi & Urbano 2024)."""
    items = list({*itertools.chain(*shorter), *itertools.chain(*longer)})
    s, l = sum(map(len, shorter)), sum(map(len, longer))  # noqa: E741  the papers' names
    x_first, x_last = group_places(shorter, items)
    y_first, y_last = group_places(longer, items)
    terms = []
    for d in range(1, s + 1):
        agreement = rbo_agreement(d, x_first, x_last, y_first, y_last, ties)
        terms.append(p ** (d - 1) * agreement)
    for d in range(s + 1, l + 1):
        c = [float(d >= a) if ties == "w" else rbo_contribution(d, a, b) for a, b in zip(y_first, y_last, strict=True)]
        shared = [share for share, rank in zip(c, x_first, strict=True) if rank < math.inf]
        others = [share for share, rank in zip(c, x_first, strict=True) if rank == math.inf and share > 0]
        overlap = math.fsum(shared) + (d - s) * agreement * math.fsum(others) / len(others)
        norm = {"a": d, "b": math.sqrt(d * math.fsum(a * a for a in c)), "w": (d + math.fsum(c)) / 2}[ties]
        terms.append(p ** (d - 1) * overlap / norm)
    common = len(set(itertools.chain(*shorter)) & set(itertools.chain(*longer)))
    return (1 - p) * math.fsum(terms) + p**l * (common + (l - s) * agreement) / l


# --- what may be done to any of them -----------------------------------------

COEFFICIENTS: dict[str, Coefficient] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": tau_b,
    "tau_a": tau_a,
    "tau_b": tau_b,
    "tau_ap": tau_ap,
    "tau_ap_a": tau_ap_a,
    "tau_ap_b": tau_ap_b,
    "tau_gap": tau_gap,
    "pearson_rank": pearson_rank,
    "rbo": rbo,
    "weighted_tau": weighted_tau,
    "fuzzy_kendall": fuzzy_kendall,
    "pairwise_accuracy": pairwise_accuracy,
}


def symmetric(coefficient: Coefficient) -> Coefficient:
    """The mean of both directions (Gao, Bagdouri & Oard 2016, Section 2.3)."""

    def both_ways(x: Scores, y: Scores, **options: object) -> float:
        return (coefficient(x, y, **options) + coefficient(y, x, **options)) / 2

    return both_ways


def top(x: Scores, y: Scores, k: int) -> tuple[list[float], list[float]]:
    """The systems whose truth score is at least the k-th greatest: ties at the cut are all in."""
    cut = sorted(x, reverse=True)[min(k, len(x)) - 1]
    kept = [i for i in range(len(x)) if x[i] >= cut]
    return [x[i] for i in kept], [y[i] for i in kept]


# --- bounds over tie breaks --------------------------------------------------


def tie_groups(scores: Scores) -> list[list[int]]:
    """The items of each tie group, best group first."""
    return [[i for i, score in enumerate(scores) if score == level] for level in sorted(set(scores), reverse=True)]


def tie_breaks(scores: Scores) -> Iterator[list[int]]:
    """All strict orders that agree with the scores where these differ, each as scores m − 1 (best) to 0."""
    m = len(scores)
    for arrangement in itertools.product(*(itertools.permutations(group) for group in tie_groups(scores))):
        strict = [0] * m
        for place, item in enumerate(itertools.chain(*arrangement)):
            strict[item] = m - 1 - place
        yield strict


def ways_to_break(scores: Scores) -> int:
    return math.prod(math.factorial(len(group)) for group in tie_groups(scores))


def pearson_rank_in_order(x: Scores, y: Scores, order: Sequence[int], *, scale: bool = True) -> float:
    """Eq. 1 where `order` (a tie break of x) says which items are above; the scores, and so the gaps, stay tied."""
    return pearson_rank_where(exact(x), exact(y), lambda j, i: 2 * (order[j] > order[i]), scale=scale)


def tie_bounds(
    name: str, x: Scores, y: Scores, *, symmetric: bool = False, k: int | None = None, **options: Any
) -> tuple[float, float, float]:
    """The least, mean and greatest value over all ways to break the ties that the coefficient looks at."""
    if len(set(x)) == 1 or len(set(y)) == 1:
        return math.nan, math.nan, math.nan
    values = [_broken(name, x, y, u, v, k, **options) for u, v in _ways(name, x, y, symmetric)]
    if symmetric:
        back = [_broken(name, y, x, v, u, None, **options) for u, v in _ways(name, x, y, symmetric)]
        values = [(one + other) / 2 for one, other in zip(values, back, strict=True)]
    return min(values), math.fsum(values) / len(values), max(values)


def _ways(name: str, x: Scores, y: Scores, symmetric: bool) -> Iterator[tuple[Any, Any]]:
    """Both sides with those ties broken that the coefficient looks at."""
    sides = {"pearson": "", "tau_gap": "y", "fuzzy_kendall": "y", "pearson_rank": "x"}.get(name, "xy")
    if symmetric:
        sides = "xy"
    return itertools.product(tie_breaks(x) if "x" in sides else [x], tie_breaks(y) if "y" in sides else [y])


def _broken(name: str, x: Scores, y: Scores, u: Any, v: Any, k: int | None, **options: Any) -> float:
    """The value with the scores x and y in the strict orders u and v."""
    if name == "pearson_rank":  # the truth's order decides who is above; the gaps of both sides stay
        return pearson_rank_in_order(x, y, u, **options)
    if name in ("tau_gap", "fuzzy_kendall"):  # the truth enters by its gaps, which stay
        u = x
    if k is not None:
        u, v = top(u, v, k)
    return COEFFICIENTS[name](u, v, **options)
