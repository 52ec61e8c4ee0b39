"""Corrected means as docs/correction.md writes them, in plain loops: every topic that is left out is fitted anew."""

import math

import numpy as np


def centred(scores):
    return [[cell - sum(row) / len(row) for cell in row] for row in scores]


def column_means(scores):
    return [sum(column) / len(scores) for column in zip(*scores, strict=True)]


def slope(xs, ys):
    squares = sum(y * y for y in ys)
    return sum(x * y for x, y in zip(xs, ys, strict=True)) / squares if squares > 0 else 0.0


def residuals(scores):
    means = column_means(scores)
    return [cell - mean for row in scores for cell, mean in zip(row, means, strict=True)]


def kept(value, variance):
    """The share of a value that the positive part of James and Stein's estimator keeps."""
    return max(0.0, 1.0 - variance / value**2) if value else 0.0


def kept_slope(x, y):
    """The share kept of the slope of x on y, by its variance over topics that are left out in turn."""
    n = len(x)
    left = [slope(residuals(x[:t] + x[t + 1 :]), residuals(y[:t] + y[t + 1 :])) for t in range(n)]
    variance = (n - 1) / n * sum((each - sum(left) / n) ** 2 for each in left)
    return kept(slope(residuals(x), residuals(y)), variance)


def prediction_powered(human, judge, further):
    """x̄ + λ(r̄ − ȳ), with λ from the residuals of scores centred by topic."""
    x, y = centred(human), centred(judge)
    weight = kept_slope(x, y) * slope(residuals(x), residuals(y)) / (1 + len(human) / len(further))
    return [
        zx + weight * (zr - zy)
        for zx, zy, zr in zip(column_means(human), column_means(judge), column_means(further), strict=True)
    ]


def components(x, y, r, share, topics):
    """K and E of docs/correction.md from scores centred by topic.

    A share is kept of the covariance of errors, and there were so many topics before some were left out.
    """
    n, m, more = len(x), len(x[0]), len(r)
    zx, zy, zr = column_means(x), column_means(y), column_means(r)

    def dot(a, b):
        return sum(p * q for p, q in zip(a, b, strict=True))

    ex, ey, er = residuals(x), residuals(y), residuals(r)
    freedom = (n - 1) * (m - 1)
    exx, exy, eyy = dot(ex, ex) / freedom, dot(ex, ey) / freedom, dot(ey, ey) / freedom
    err = (dot(ey, ey) + dot(er, er)) / ((n + more - 2) * (m - 1))
    sxx = dot(zx, zx) / (m - 1)
    kxx = max(sxx - exx / n, 0.02 * sxx)
    kxy = (dot(zx, zy) / (m - 1) - exy / n + dot(zx, zr) / (m - 1)) / 2
    together = [(n * a + more * b) / (n + more) for a, b in zip(zy, zr, strict=True)]
    syy = dot(together, together) / (m - 1)
    kyy = max(syy - err / (n + more), 0.02 * syy)
    most = (kxx * kyy) ** 0.5
    by_people = topics / (topics - 2) * np.var([dot(row, zr) for row in x], ddof=1) / n
    by_judge = np.var([dot(row, zx) for row in r], ddof=1) / more
    chance = (by_people + by_judge) / (m - 1) ** 2
    kxy = min(max(kxy, -most), most)
    return kxx, kept(kxy, chance) * kxy, kyy, exx, share * exy, eyy, err


def weights(x, y, r, share, topics, most):
    """The best linear prediction, with the judge's own means weighing no more than the angle `most`.

    Where they would weigh more, the angle is `most`, and what is left to choose is the size of both together and the
    weight of the difference between the judge's means.
    """
    n, more = len(x), len(r)
    kxx, kxy, kyy, exx, exy, eyy, err = components(x, y, r, share, topics)
    observed = np.array(
        [
            [kxx + 1.01 * exx / n, kxy + exy / n, kxy],
            [kxy + exy / n, kyy + 1.01 * eyy / n, kyy],
            [kxy, kyy, kyy + 1.01 * err / more],
        ]
    )
    target = np.array([kxx, kxy, kxy])
    free = np.linalg.solve(observed, target)
    angle = math.atan2(free[1] + free[2], max(free[0], 0.0))
    if min(most, 0.0) <= angle <= max(most, 0.0) and free[0] >= 0.0:
        return free
    angle = min(max(angle, min(most, 0.0)), max(most, 0.0))
    people, judge = math.cos(angle), math.sin(angle)
    mixed = np.array([people, judge * n / (n + more), judge * more / (n + more)])
    change = np.array([0.0, -1.0, 1.0])
    left = [[a @ observed @ b for b in (mixed, change)] for a in (mixed, change)]
    size, own = np.linalg.solve(left, [mixed @ target, change @ target])
    return size * mixed + own * change


def angle_of_coefficients(rows):
    """The angle of the two coefficients of a regression without intercept; rows are (weight, first, second, target)."""
    aa = sum(w * a * a for w, a, _, _ in rows)
    bb = sum(w * b * b for w, _, b, _ in rows)
    ab = sum(w * a * b for w, a, b, _ in rows)
    at = sum(w * a * t for w, a, _, t in rows)
    bt = sum(w * b * t for w, _, b, t in rows)
    aa, bb = aa + 1e-9 * (aa + bb), bb + 1e-9 * (aa + bb)
    return math.atan2(aa * bt - ab * at, max(bb * at - ab * bt, 0.0))


def confirmed(x, y, r):
    """The angle up to which left-out topics confirm the judge's means, and the same without each topic."""
    n, m, more = len(x), len(x[0]), len(r)
    weight = kept_slope(x, y) * slope(residuals(x), residuals(y)) / (1 + n / more)
    own = [[a - weight * b for a, b in zip(p, q, strict=True)] for p, q in zip(x, y, strict=True)]
    noise = sum(e * e for e in residuals(own)) / (n - 1) / n
    noise = (noise + weight**2 * sum(e * e for e in residuals(r)) / (more - 1) / more) / (m - 1)
    by_topic = []
    for t in range(n):
        few, judged = x[:t] + x[t + 1 :], y[:t] + y[t + 1 :]
        changes = [zr - zy for zr, zy in zip(column_means(r), column_means(judged), strict=True)]
        corrected = [a + weight * b for a, b in zip(column_means(few), changes, strict=True)]
        alone = column_means(judged + r)
        rows = []
        for i in range(m):
            for j in range(i):
                gap = corrected[i] - corrected[j]
                close = math.exp(-(gap**2) / (2.0 * noise) / 2.0) if noise > 0 else 1.0
                rows.append((close, gap, alone[i] - alone[j], x[t][i] - x[t][j]))
        total = sum(row[0] for row in rows)
        by_topic.append([(close / total, *rest) for close, *rest in rows] if total > 0 else [])
    angle = angle_of_coefficients([row for rows in by_topic for row in rows])
    left = [angle_of_coefficients([r for s, rows in enumerate(by_topic) if s != t for r in rows]) for t in range(n)]
    variance = n / (n - 2) * (n - 1) / n * sum((each - sum(left) / n) ** 2 for each in left)
    share = kept(angle, variance)
    return share * angle, [share * each for each in left]


def best_linear(human, judge, further):
    """Predictions, and the covariance of their errors, with a fit for every topic that is left out."""
    x, y, r = centred(human), centred(judge), centred(further)
    y, r = on_scale(x, y, r)
    n, m, more = len(x), len(x[0]), len(r)
    share = kept_slope(x, y)
    most, each = confirmed(x, y, r)

    def predict(x, y, most):
        w = weights(x, y, r, share, n, most)
        return w @ np.array([column_means(x), column_means(y), column_means(r)])

    w = weights(x, y, r, share, n, most)
    left = np.array([predict(x[:t] + x[t + 1 :], y[:t] + y[t + 1 :], each[t]) for t in range(n)])
    covariance = np.zeros((m, m))
    for row in left - left.mean(axis=0):
        covariance += (n - 1) / n * np.outer(row, row)
    covariance += w[2] ** 2 * np.cov(np.array(r), rowvar=False) / more
    own = np.diag(covariance).copy()
    factor = ((9 * own.mean() + (n - 1) * own) / (n + 8) / own) ** 0.5
    covariance = covariance * np.outer(factor, factor)
    kxx, kxy, kyy, *_ = components(x, y, r, share, n)
    beta = kxy / kxx
    judged = w[1] + w[2]
    remaining = (1 - w[0] - judged * beta) ** 2 * kxx + judged**2 * max(kyy - beta * kxy, 0)
    variances = [true_variance(x[:t] + x[t + 1 :]) for t in range(n)]
    uncertain = ((n - 1) / n * sum((each - sum(variances) / n) ** 2 for each in variances)) ** 0.5
    remaining += (1 - w[0] - judged * beta) ** 2 * uncertain
    return predict(x, y, most), covariance + remaining * (np.eye(m) - 1 / m), freedom(left)


def true_variance(x):
    """The variance of true values, which is not kept from being negative."""
    n, m = len(x), len(x[0])
    means, errors = column_means(x), residuals(x)
    return sum(z * z for z in means) / (m - 1) - sum(e * e for e in errors) / ((n - 1) * (m - 1)) / n


def freedom(left):
    """Those of nine topics of average variance and the human ones, or of the average variance, if that has fewer."""
    n = len(left)
    between = np.cov(left, rowvar=False)
    own = (n - 1) * np.trace(between) ** 2 / np.trace(between @ between)
    return min(9.0 + n - 1, own)


def on_scale(x, y, r):
    """The judge's scores on the scale of the human ones."""
    squares = sum(cell * cell for row in y for cell in row)
    unit = (sum(cell * cell for row in x for cell in row) / squares) ** 0.5
    return tuple([[unit * cell for cell in row] for row in side] for side in (y, r))


def unseen_errors(human, judge, further):
    """One standard error of the judge's own errors, as they enter the variance of a prediction."""
    x, y, r = centred(human), centred(judge), centred(further)
    n, m, more = len(x), len(x[0]), len(r)
    y, r = on_scale(x, y, r)
    share = kept_slope(x, y)
    kxx, kxy, kyy, exx, exy, _, err = components(x, y, r, share, n)
    slope_of_truth = kxy / kxx
    seen = max(kyy - slope_of_truth * kxy, 0.0) + slope_of_truth**2 * exx / n
    seen += (err - 2.0 * slope_of_truth * exy) / (n + more)
    _, own, others = weights(x, y, r, share, n, confirmed(x, y, r)[0])
    return (own + others) ** 2 * seen * (2.0 / (m - 2)) ** 0.5
