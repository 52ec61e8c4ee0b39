"""Groups of systems by their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from rankscope.errors import BadParameter, some

# The group of each system, or "names", which takes it from the names of systems.
Groups: TypeAlias = "Mapping[str, str] | str"
OTHER = "other"
# Words for families of models, wherever they are in a name.
_MODELS = re.compile(
    r"(gpt|claude|gemini|palm|llama|vicuna|alpaca|mistral|mixtral|qwen|deepseek|gemma|phi|yi|falcon|command|cohere|grok|"
    r"nova|olmo|granite|glm|internlm)(?![a-z])"
)


def to_groups(groups: Groups, systems: Sequence[str]) -> Mapping[str, str]:
    """The groups as they are, or families by the names of systems."""
    if not isinstance(groups, str):
        return groups
    if groups != "names":
        raise BadParameter(f"groups={groups!r}: a mapping from system to group, or 'names'")
    return name_families(systems)


def name_families(systems: Sequence[str]) -> dict[str, str]:
    """Groups of systems by their names: the family of each.

    A family is a word for models that are known (gpt, claude, llama, …), where a part of the name begins with it;
    otherwise the name's first part without digits at its end. Parts end at `-`, `_`, `.`, `:`, `@` and white space;
    what is before the last `/` does not count. Case does not matter. Families of one system are `other`.

    Parameters
    ----------
    systems : sequence of str
        The names.

    Returns
    -------
    dict of str to str
        The family of each system.

    Raises
    ------
    BadParameter
        If no two systems have the same family.

    Examples
    --------
    >>> name_families(["TUW19-p1", "TUW19-p2", "openai/gpt-4o", "my_gpt4_rerank", "bm25"])
    {'TUW19-p1': 'TUW', 'TUW19-p2': 'TUW', 'openai/gpt-4o': 'gpt', 'my_gpt4_rerank': 'gpt', 'bm25': 'other'}
    """
    families = [_family(system) for system in systems]
    counts = Counter(family.lower() for family in families)
    shown: dict[str, str] = {}
    for family in families:
        shown.setdefault(family.lower(), family)
    if not any(count > 1 for count in counts.values()):
        raise BadParameter(
            f"no two systems share a family by their names: {some(list(systems))}; name groups in a file"
        )
    return {
        system: shown[family.lower()] if counts[family.lower()] > 1 else OTHER
        for system, family in zip(systems, families, strict=True)
    }


def _family(system: str) -> str:
    parts = [part for part in re.split(r"[-_.:@\s]+", system.rpartition("/")[2] or system) if part]
    for part in parts:
        model = _MODELS.match(part.lower())
        if model is not None:
            return model[1]
    return re.sub(r"\d+$", "", parts[0]) or parts[0] if parts else system
