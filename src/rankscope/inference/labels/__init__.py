"""Agreement of two sets of judgments, label by label: `label_agreement` and what it is made of."""

from rankscope.inference.labels.agreement import label_agreement
from rankscope.inference.labels.parts import BinaryAgreement, LabelAgreement, LabelCoverage, LabelValue, TopicAgreement

__all__ = ["BinaryAgreement", "LabelAgreement", "LabelCoverage", "LabelValue", "TopicAgreement", "label_agreement"]
