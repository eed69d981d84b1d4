"""Spearman's correlations of columns with gaps, pair by pair, as scipy 1.17 has them: python3 reference.py > spearman.json"""
import json
import random

from scipy.stats import spearmanr

numbers = random.Random(29)
base = [numbers.gauss(0, 1) for _ in range(60)]


def column(share, noise, gaps, tail):
    """Goes with the first by `share`; more gaps where it is large, so that ranks of the whole column are others."""
    values = [round(share * x + noise * numbers.gauss(0, 1) + (tail if i % 13 == 5 else 0), 1) for i, x in enumerate(base)]
    return [None if numbers.random() < gaps * (2 if value > 0.5 else 0.5) else value for value in values]


columns = {
    "a": column(1, 0, 0, 0),
    "b": column(0.8, 0.6, 0.2, 3),
    "c": column(-0.5, 0.9, 0.3, 0),
    "d": column(0.2, 1, 0.4, -4),
    "e": column(0.9, 0.2, 0.25, 0),
}
names = list(columns)
nan = {name: [float("nan") if value is None else value for value in values] for name, values in columns.items()}
pairs = []
for at, first in enumerate(names):
    for second in names[at + 1 :]:
        rho, p = spearmanr(nan[first], nan[second], nan_policy="omit")
        rows = sum(x is not None and y is not None for x, y in zip(columns[first], columns[second]))
        pairs.append({"columns": [first, second], "rho": float(rho), "p": float(p), "rows": rows})
print(json.dumps({"columns": columns, "pairs": pairs}))
