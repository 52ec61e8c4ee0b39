"""Literal forms of scores as functions of documents' gains, and of their estimates from a sample."""

from __future__ import annotations

import math


def additive(ranking, gains, weights):
    """Σ gain × weight of the rank."""
    return sum(gains.get(d, 0.0) * w for d, w in zip(ranking, weights, strict=False))


def average_precision(ranking, gains, depth=None):
    """AP of gains between 0 and 1: Σ gain / rank × (1 + the gains above), over the sum of all gains."""
    total = sum(gains.values())
    top = ranking[:depth]
    parts = [
        gains.get(d, 0.0) / (i + 1) * (1.0 + sum(gains.get(above, 0.0) for above in top[:i])) for i, d in enumerate(top)
    ]
    return sum(parts) / total if total else 0.0


def discounts(depth):
    """The weights of ranks in DCG."""
    return [1.0 / math.log2(rank + 1) for rank in range(1, depth + 1)]


def influence(runs, gains, score, step=1e-6):
    """√Σ_s (w_sd − w̄_d)² by small changes of one gain after the other; scores are means over topics."""
    out = []
    for topic, documents in gains.items():
        for document in documents:
            more = {**documents, document: documents[document] + step}
            weights = [
                (score(run.get(topic, []), more) - score(run.get(topic, []), documents)) / step for run in runs.values()
            ]
            mean = sum(weights) / len(weights)
            out.append(math.sqrt(sum((w - mean) ** 2 for w in weights)) / len(gains))
    return out


def left_out_ridge(table, penalties, rows, values):
    """Predictions of ridge regressions, each fitted anew without the document itself; nothing below 0."""
    import numpy as np

    table, values, out = np.array(table), np.array(values), []
    for document in range(len(table)):
        kept = [i for i, row in enumerate(rows) if row != document]
        x, y = table[[rows[i] for i in kept]], values[kept]
        coefficients = np.linalg.inv(x.T @ x + np.diag(penalties)) @ x.T @ y
        out.append(np.maximum(table[document] @ coefficients, 0.0))
    return np.array(out)


def shared_out(filled, corrected, covariance, spreads, sizes, curve_spread):
    """Combined means: a rising curve of the filled-in means, and the believed shares of what is left, loop by loop."""
    import numpy as np
    from scipy.linalg import null_space

    m = len(filled)
    x, y = np.array(filled) - np.mean(filled), np.array(corrected) - np.mean(corrected)
    z = x / x.std()
    powers = np.array([z, z**2 - np.mean(z**2)]).T

    def drawn_to_x(powers, start, spread):
        """Coefficients of least squares with the error that the noise makes, and N(start, spread²) before (Bayes)."""
        inverse = np.linalg.inv(powers.T @ powers)
        fitted, error = inverse @ powers.T @ y, inverse @ powers.T @ centred @ powers @ inverse
        before = np.diag(np.square(spread))
        return start + before @ np.linalg.inv(before + error) @ (fitted - start)

    centre = np.eye(m) - np.ones((m, m)) / m
    centred = centre @ np.array(covariance) @ centre
    scale = x.std()
    line, bend = drawn_to_x(powers, np.array([scale, 0.0]), scale * np.array(curve_spread))
    if all(line + 2.0 * bend * value > 1e-6 * scale for value in z):
        curve = line * powers[:, 0] + bend * powers[:, 1]
    else:
        (line,) = drawn_to_x(powers[:, :1], np.array([scale]), scale * np.array(curve_spread[:1]))
        curve = max(line, 0.0) * z
    differences = null_space(np.ones((1, m)))
    variances, directions = np.linalg.eigh(differences.T @ np.array(covariance) @ differences)
    directions, variances = differences @ directions, np.maximum(variances, 1e-9 * variances[-1])
    total, belief = np.zeros(m - 1), 0.0
    rest = y - curve
    terms = []
    for spread in spreads:
        shape = (variances / variances.mean()) ** spread
        for size in sizes:
            bias = size * variances.mean() * shape / shape.mean()
            log = sum(
                -0.5 * (np.log(b + v) + (d @ rest) ** 2 / (b + v))
                for b, v, d in zip(bias, variances, directions.T, strict=True)
            )
            terms.append((log, bias / (bias + variances)))
    top = max(log for log, _ in terms)
    for log, shares in terms:
        total = total + np.exp(log - top) * shares
        belief += np.exp(log - top)
    return curve + sum(share * (d @ rest) * d for share, d in zip(list(total / belief), directions.T, strict=True))


def believed(topics, chances, drawn, expected, values):
    """The share of surprising numbers that is believed: 1 − variance/square of what a factor leaves unexplained.

    With it comes the share relative to the factor that makes the total right.
    """
    names = sorted(set(topics))
    before, surprise, variance = (dict.fromkeys(names, 0.0) for _ in range(3))
    for topic, p, taken, m, y in zip(topics, chances, drawn, expected, values, strict=True):
        if taken:
            surprise[topic] += (1.0 / p - 1.0) * (y - m)
            variance[topic] += ((1.0 / p - 1.0) * (y - m)) ** 2
        else:
            before[topic] += m
    total = max(sum(before.values()) + sum(surprise.values()), 0.0)
    factor = total / sum(before.values()) if sum(before.values()) > 0.0 else 1.0
    squares = sum((before[topic] + surprise[topic] - factor * before[topic]) ** 2 for topic in names)
    share = max(1.0 - sum(variance.values()) / squares, 0.0) if squares > 0.0 else 0.0
    return share, share / (share + (1.0 - share) * factor) if share > 0.0 else 0.0


def topic_numbers(topics, chances, drawn, expected, values, cap):
    """The number of documents in each topic: those found, and the factor times those that others stand for.

    One entry for each document: its topic, probability, whether it was drawn, what was expected, and its value. Without
    a cap, what documents stand for is believed in part.
    """
    share = believed(topics, chances, drawn, expected, values)[1] if cap is None else 1.0
    cap = math.inf if cap is None else cap
    names = sorted(set(topics))
    found, others, total = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0), 0.0
    for topic, p, taken, m, y in zip(topics, chances, drawn, expected, values, strict=True):
        if taken:
            found[topic] += y
            others[topic] += share * (min(1.0 / p, cap) - 1.0) * (y - m)
            total += (1.0 / p - 1.0) * (y - m)
        else:
            others[topic] += m
            total += m
    others = {topic: max(number, 0.0) for topic, number in others.items()}
    seen = sum(others.values())
    factor = max(total, 0.0) / seen if seen > 0.0 else 1.0
    added = [
        y + factor * (share * (min(1.0 / p, cap) - 1.0) * (y - m) - m) if taken else 0.0
        for p, taken, m, y in zip(chances, drawn, expected, values, strict=True)
    ]
    return {topic: found[topic] + factor * others[topic] for topic in names}, added


def bias_of_cap(topics, chances, drawn, expected, values, cap, scores):
    """How far off mean AP is: by the change of each topic's score, bounded by it, if its number were the unbiased one.

    `scores` are those of one system by topic.
    """
    numbers, _ = topic_numbers(topics, chances, drawn, expected, values, cap)
    total = 0.0
    for topic, number in numbers.items():
        documents = zip(topics, chances, drawn, expected, values, strict=True)
        unbiased = sum(m + (y - m) / p * taken for own, p, taken, m, y in documents if own == topic)
        unbiased = max(unbiased, 0.0)
        total += scores[topic] * (unbiased - number) / max(unbiased, number, 1.0)
    return total / len(numbers)


def ideal_score(levels, numbers, variances, weights):
    """The ideal score of numbers of documents of at least each level, with what the noise of the numbers takes."""
    score, before = 0.0, 0.0
    for level, number, variance in zip(levels, numbers, variances, strict=True):
        number_inside = min(max(number, 0.0), len(weights))
        whole = int(number_inside)
        end, after = ([*weights, 0.0, 0.0][whole + i] for i in (0, 1))
        step, before = level - before, level
        score += step * (sum(weights[:whole]) + (number_inside - whole) * end)
        score += step * 0.5 * (end - after) * min(variance, number + 1.0)
    return min(max(score, levels[0] * weights[0]), levels[-1] * sum(weights))


def smoothed(changes, weights, freedom, prior):
    """The covariance of changes, drawn to that of weights with the same total variance around the average system."""
    import numpy as np

    own, even = np.array(changes) @ np.array(changes).T, np.array(weights) @ np.array(weights).T
    centre = np.eye(len(own)) - 1.0 / len(own)
    share = prior / (prior + freedom)
    return (1.0 - share) * own + share * even * np.trace(centre @ own) / np.trace(centre @ even)


def implied_covariance(slopes, chances, least):
    """The covariance of means if each document's gain were as likely to reach each level as was expected.

    `slopes` are levels × systems × documents, and `chances` documents × levels: Σ over documents of the covariance of
    nested events, each of which changes a mean by its slope.
    """
    systems = len(slopes[0])
    out = [[0.0] * systems for _ in range(systems)]
    for document, expected in enumerate(chances):
        reached: list[float] = []
        for chance in expected:
            reached.append(min([max(min(chance, 1.0 - least), least), *reached[-1:]]))
        for a in range(systems):
            for b in range(systems):
                for i, first in enumerate(reached):
                    for j, second in enumerate(reached):
                        both = min(first, second)
                        out[a][b] += slopes[i][a][document] * slopes[j][b][document] * (both - first * second)
    return out


def as_many_alone(ranked, drawn, chances, gains, expected):
    """The labels without expectations by which sums are known as well: (1 − f)/f × what is left of gains is the same.

    `ranked` are the documents that count in a ranking; the others have no part in it.
    """
    known = [document for document in drawn if document in ranked]
    alone = sum((1.0 - chances[document]) * gains[document] ** 2 for document in known)
    left = sum((1.0 - chances[document]) * (gains[document] - expected[document]) ** 2 for document in known)
    if not known or (not alone and (not left or len(known) == len(ranked))):
        return float(len(drawn))
    share = len(known) / len(ranked)
    if not alone:
        return 0.0
    wanted = 1.0 / (1.0 + (1.0 - share) / share * left / alone)
    return len(drawn) * wanted / share


def degrees(changes):
    """The degrees of freedom of each row's sum of squares (Satterthwaite)."""
    squares = [[change * change for change in row] for row in changes]
    return [sum(row) ** 2 / sum(value * value for value in row) if any(row) else 0.0 for row in squares]


def sampling_covariance(changes, implied, prior, bias):
    """The covariance of changes and the implied one, by degrees of freedom, moderated over systems, and the degrees.

    The products of the biases are added.
    """
    freedom = degrees(changes)
    kept = [f / (f + prior) for f in freedom]
    out = [
        [
            math.sqrt(kept[a] * kept[b]) * sum(x * y for x, y in zip(changes[a], changes[b], strict=True))
            + math.sqrt((1.0 - kept[a]) * (1.0 - kept[b])) * implied[a][b]
            for b in range(len(changes))
        ]
        for a in range(len(changes))
    ]
    out = moderated(out, freedom)
    return [[out[a][b] + bias[a] * bias[b] for b in range(len(out))] for a in range(len(out))], freedom


def moderated(covariance, freedom):
    """Each variance drawn to the mean one, which counts as nine degrees of freedom; the correlations stay."""
    out = [list(row) for row in covariance]
    own = [out[a][a] for a in range(len(out))]
    wanted = [(9 * sum(own) / len(own) + f * v) / (9 + f) for f, v in zip(freedom, own, strict=True)]
    for a in range(len(out)):
        for b in range(len(out)):
            if a != b:
                out[a][b] *= math.sqrt(wanted[a] / own[a] * wanted[b] / own[b]) if own[a] and own[b] else 0.0
    for a, value in enumerate(wanted):
        out[a][a] = value
    return out
