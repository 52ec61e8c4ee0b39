"""New topics for the same systems: collections drawn from a fitted model, whose true means are the observed ones."""

from rankscope.simulation.collections import Simulation, simulate
from rankscope.simulation.diagnostics import Diagnostics, diagnose
from rankscope.simulation.models import CollectionModel, fit_collection

__all__ = ["CollectionModel", "Diagnostics", "Simulation", "diagnose", "fit_collection", "simulate"]
