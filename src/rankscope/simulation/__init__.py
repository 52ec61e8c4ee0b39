"""Data whose truth is known: new topics for the same systems, drawn from a fitted model, and whole simulated tracks."""

from rankscope.simulation.collections import Simulation, simulate
from rankscope.simulation.diagnostics import Diagnostics, diagnose
from rankscope.simulation.models import CollectionModel, fit_collection
from rankscope.simulation.track_judges import JudgeModel
from rankscope.simulation.track_systems import FamilyModel
from rankscope.simulation.tracks import Track, simulate_track

__all__ = [
    "CollectionModel",
    "Diagnostics",
    "FamilyModel",
    "JudgeModel",
    "Simulation",
    "Track",
    "diagnose",
    "fit_collection",
    "simulate",
    "simulate_track",
]
