"""Runs and judgments that Hypothesis makes: unjudged documents, missing topics, hostile names, empty lists."""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

DOCUMENTS = ["d1", "d2", "d10", "δ", "a b", "'q'", "[x]", "d,e", "D1", "zz", "0", "d3", "d4", "d5"]
TOPICS = ["1", "10", "ü", "t 2"]
SYSTEMS = ["bm25", "ßys", "[red]x", "a,b"]


GRADES = st.integers(-2, 4)


@st.composite
def tracks(draw, grades=GRADES, systems=SYSTEMS, topics=TOPICS):
    """System → topic → documents, and topic → document → grade."""
    rankings = {}
    for system in draw(st.lists(st.sampled_from(systems), min_size=1, max_size=3, unique=True)):
        rankings[system] = {
            topic: draw(st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=len(DOCUMENTS)))
            for topic in draw(st.lists(st.sampled_from(topics), unique=True))
        }
    judged = draw(st.lists(st.sampled_from(topics), min_size=1, unique=True))
    ran = {topic for run in rankings.values() for topic in run}
    assume(not ran or not ran.isdisjoint(judged))  # otherwise they cannot be joined
    judgments = {
        topic: draw(st.dictionaries(st.sampled_from(DOCUMENTS), grades, min_size=1, max_size=len(DOCUMENTS)))
        for topic in judged
    }
    return rankings, judgments


def table(judgments, rankings, literal):
    """Topics × systems by a literal definition."""
    return np.array([[literal(run.get(t, []), grades) for run in rankings.values()] for t, grades in judgments.items()])
