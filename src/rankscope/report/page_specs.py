"""From an Altair chart to what a page draws: data and specification apart, colours by CSS variable, a highlight."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from rankscope.report.theme import config

# The fields of data rows that name systems.
SYSTEM_FIELDS = ("system", "other")
# Text of charts is larger on a page than in a paper.
_LARGER = 1.2
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

_MATCH = " || ".join(f"(datum[{field!r}] === highlighted)" for field in SYSTEM_FIELDS)
_OTHERS = "highlighted !== ''"
# The looks of the highlighted system's marks, by channel; all other marks fade.
_EMPHASIS: dict[str, dict[str, Any]] = {
    "point": {"stroke": "var(--mark-edge)", "strokeWidth": 2.5},
    "rule": {"strokeWidth": 3, "color": "var(--mark)"},
    "line": {"strokeWidth": 3, "color": "var(--mark)"},
    "tick": {"color": "var(--mark)"},
    "rect": {"stroke": "var(--mark-edge)", "strokeWidth": 1.5},
    "text": {"color": "var(--mark-text)"},
}
_FADED = 0.22
# The value of a channel that neither the mark nor its encoding sets.
_USUAL: dict[str, Any] = {"size": 42, "strokeWidth": 1, "stroke": "transparent", "opacity": 1}
_STYLES: dict[str, float] = {"whisker": 0.5, "faint": 0.6}


@dataclass(frozen=True)
class Drawing:
    """A specification and its data sets, which the specification calls "data-0", "data-1" and so on."""

    spec: dict[str, Any]
    data: list[list[dict[str, Any]]]


def drawing(chart: Any) -> Drawing:
    """The drawing of an Altair chart."""
    spec = chart.to_dict(validate=False)  # validation takes most of the time; the tests do it
    for name in ("config", "$schema"):
        spec.pop(name, None)
    named: dict[str, list[dict[str, Any]]] = spec.pop("datasets", {})
    places: dict[str, int] = {}
    data: list[list[dict[str, Any]]] = []

    def place(rows: list[dict[str, Any]], name: str) -> str:
        if name not in places:
            places[name] = len(data)
            data.append(rows)
        return f"data-{places[name]}"

    def apart(node: Any) -> None:
        if isinstance(node, list):
            for inner in node:
                apart(inner)
        elif isinstance(node, dict):
            for key, inner in node.items():
                if key == "data" and isinstance(inner, dict) and "values" in inner:
                    node[key] = {"name": place(inner["values"], f"inline {id(inner)}")}
                elif key == "data" and isinstance(inner, dict) and inner.get("name") in named:
                    node[key] = {"name": place(named[inner["name"]], inner["name"])}
                else:
                    apart(inner)

    apart(spec)
    return Drawing(with_highlight(_with_height(spec), data), data)


def _with_height(spec: dict[str, Any]) -> dict[str, Any]:
    """A height in steps as a number, since Vega-Lite fits a chart to the page's width only with a numeric height."""
    step = spec.get("height")
    if not isinstance(step, dict) or "step" not in step:
        return spec
    domains = (unit.get("encoding", {}).get("y", {}).get("scale", {}).get("domain") for unit in _flat([spec]))
    rows = next((domain for domain in domains if isinstance(domain, list)), None)
    return spec if rows is None else {**spec, "height": step["step"] * len(rows)}


def with_highlight(spec: dict[str, Any], data: list[list[dict[str, Any]]]) -> dict[str, Any]:
    """The specification with a parameter `highlighted`: the system of that name is emphasised, all others fade."""
    highlighting = copy.deepcopy(spec)
    units = _flat(highlighting.get("layer", [highlighting]))
    named = [unit for unit in units if _names_systems(unit, highlighting, data)]
    for unit in named:
        mark = unit["mark"] if isinstance(unit["mark"], dict) else {"type": unit["mark"]}
        unit["mark"] = {**mark, "cursor": "pointer"}
        encoding = unit["encoding"]
        usual = _USUAL | ({"opacity": _STYLES[mark["style"]]} if mark.get("style") in _STYLES else {})
        for channel, value in _EMPHASIS.get(mark["type"], {}).items():
            _on_match(encoding, channel, value, mark.get(channel, usual.get(channel)))
        if mark["type"] == "point":
            size = mark.get("size", usual["size"])
            _on_match(encoding, "size", max(60, 2.5 * size), size)
        _on_match(encoding, "opacity", 1, mark.get("opacity", usual["opacity"]), otherwise=_FADED)
    if named:
        highlighting["params"] = [*highlighting.get("params", []), {"name": "highlighted", "value": ""}]
    return highlighting


def _on_match(encoding: dict[str, Any], channel: str, value: Any, usual: Any, *, otherwise: Any = None) -> None:
    """Set a channel's value for the highlighted system and, if given, `otherwise` for all others meanwhile."""
    before = encoding.get(channel, {} if usual is None else {"value": usual})
    given = before.get("condition", [])
    conditions = [{"test": _MATCH, "value": value}]
    if otherwise is not None:
        conditions.append({"test": _OTHERS, "value": otherwise})
    conditions += given if isinstance(given, list) else [given]
    encoding[channel] = {**before, "condition": conditions}


def _flat(units: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [inner for unit in units for inner in (_flat(unit["layer"]) if "layer" in unit else [unit])]


def _names_systems(unit: dict[str, Any], spec: dict[str, Any], data: list[list[dict[str, Any]]]) -> bool:
    source = unit.get("data", spec.get("data", {})).get("name", "")
    rows = data[int(source.removeprefix("data-"))] if source else []
    looked_up = any("system" in step.get("as", []) for step in unit.get("transform", []) if "lookup" in step)
    return looked_up or (bool(rows) and "system" in rows[0])


def page_config() -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
    """The charts' configuration with colours as CSS variables, and the values of these variables by theme.

    So the same drawing is shown light, dark and printed.
    """
    variables: dict[str, dict[str, str]] = {"light": {}, "dark": {}}
    names: dict[tuple[str, str], str] = {}

    def paired(light: Any, dark: Any) -> Any:
        if isinstance(light, dict):
            return {key: paired(light[key], dark[key]) for key in light}
        if isinstance(light, str) and light != dark:
            name = names.setdefault((light, dark), f"chart-{len(names)}")
            variables["light"][name], variables["dark"][name] = light, dark
            return f"var(--{name})"
        return light  # of a ramp of colours too, since Vega cannot interpolate between CSS variables

    configuration = paired(config("light"), config("dark"))
    configuration |= {"background": None, "font": _FONT, "padding": 2}
    return _larger(configuration), variables


def _larger(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    return {
        key: round(value * _LARGER) if key.lower().endswith("fontsize") else _larger(value)
        for key, value in node.items()
    }
