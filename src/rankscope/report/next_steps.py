"""What to do with a judge that alone will not do: people on part of the topics, and the command for one's own files."""

from __future__ import annotations

import shlex

from rankscope.files.fingerprints import as_given
from rankscope.report.blocks import Sentence
from rankscope.report.numbers import two
from rankscope.report.terminal_correction import NOTABLE, sentences
from rankscope.report.theme import label
from rankscope.studies.correction_result import Correction
from rankscope.studies.judging.answers import JudgeAnswer, JudgeReport

TITLE = "What to do next"


def next_sentences(report: JudgeReport, answer: JudgeAnswer) -> list[Sentence]:
    """What people and the judge together would give, and how to get it; nothing where the judge needs no people."""
    remedy = answer.correction
    if remedy is None:
        return []
    judge, truth = label(answer.judge), label(report.truth)
    board, halves = remedy.leaderboard, remedy.halves
    if halves is None:
        said = sentences(correction_of(report, answer), board)
        return [*said, Sentence("next", f"The corrected leaderboard: {command(report, answer)}.")]
    n, total = board.human_topics, board.judged_topics
    as_many, tau = halves.predicted_topics, halves.tau_predicted
    if as_many < NOTABLE * n:
        text = f"{judge} adds nothing to the ranking by {truth} on {n} topics: let people label more of them."
        return [Sentence("next", text, {"topics": n})]
    text = (
        f"{n} topics labelled by {truth} and all {total} by {judge} rank about as well as {as_many:.0f} labelled by "
        f"{truth} would."
    )
    said = [Sentence("next", text, {"human_topics": n, "topics": total, "as_many": as_many})]
    text = (
        f"τ_b with the ranking by {truth} on all {total} is then {two(tau)} on average over "
        f"{halves.draws} random halves; by {truth} on {n} alone it is {two(halves.tau_people)}, by {judge} alone "
        f"{two(halves.tau_judge)}."
    )
    numbers = {"both": tau, "people": halves.tau_people, "judge": halves.tau_judge}
    said.append(Sentence("next", text, {**numbers, "draws": halves.draws}))
    text = f"So let {judge} label more topics than {truth}, and combine the two: {command(report, answer)}."
    return [*said, Sentence("next", text)]


def command(report: JudgeReport, answer: JudgeAnswer) -> str:
    """`rankscope correct` for the files that were read, where they are known."""
    paths: dict[str, list[str]] = {"runs": [], "truth": [], "judge": []}
    for given in report.settings.get("inputs", []):
        paths.get(given["role"].split(" ")[0], []).extend(given.get("paths") or [as_given(given)])
    known = len(paths["judge"]) == len(report.judges)
    judge = paths["judge"][report.judges.index(answer.judge)] if known else "JUDGE"
    truth = paths["truth"][0] if len(paths["truth"]) == 1 else "TRUTH"
    runs = paths["runs"] or ["RUNS"]
    said = ["rankscope", "correct", *runs, "--truth", truth, "--judge", judge, "-m", answer.measure]
    return " ".join(map(shlex.quote, said))


def correction_of(report: JudgeReport, answer: JudgeAnswer) -> Correction:
    """The result of `rs.correct` that an answer has."""
    boards = () if answer.correction is None else (answer.correction.leaderboard,)
    settings = {"level": report.settings["level"]}
    return Correction(human=report.truth, measure=answer.measure, leaderboards=boards, settings=settings)
