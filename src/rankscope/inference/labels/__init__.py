"""Agreement of two sets of judgments, label by label.

`label_agreement` (agreement.py) matches judgments (matching.py), turns grades into labels (categories.py), counts them
by topic (counts.py), computes every statistic (statistics.py) and wraps them (results.py).
"""

from rankscope.inference.labels.agreement import label_agreement
from rankscope.inference.labels.results import (
    BinaryAgreement,
    LabelAgreement,
    LabelCoverage,
    LabelValue,
    TopicAgreement,
)

__all__ = ["BinaryAgreement", "LabelAgreement", "LabelCoverage", "LabelValue", "TopicAgreement", "label_agreement"]
