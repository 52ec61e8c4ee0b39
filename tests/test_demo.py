"""The embedded example is what its words say."""

import rankscope as rs
from rankscope.demo import demo_scores


def test_seeded_and_different_by_seed():
    assert demo_scores()["human"] == demo_scores()["human"]
    assert demo_scores(rng=1)["human"] != demo_scores(rng=2)["human"]


def test_the_judges_are_as_described():
    tables = demo_scores()
    by_judge = {e.name: e for e in rs.compare(*tables.values()).estimates}
    assert by_judge["careful"].value("tau_ap") > by_judge["partial"].value("tau_ap")
    assert tables["lenient"].values.mean() > tables["human"].values.mean()
    gain = tables["partial"].means - tables["human"].means
    own = [name.startswith("llm") for name in tables["human"].systems]
    assert gain[own].min() > gain[[not o for o in own]].max()
