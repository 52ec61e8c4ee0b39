"""LaTeX of hostile names, compiled by a real TeX where there is one."""

import shutil
import string
import subprocess

import pytest

from rankscope.results import Table

TEX = next((name for name in ("pdflatex", "lualatex", "tectonic") if shutil.which(name)), None)
SIGNS = string.punctuation
CONTROLS = "".join(map(chr, [*range(1, 32), 127]))
NAMES = (
    *SIGNS,
    *(f"{sign}{sign}{sign}x" for sign in SIGNS),
    *(f"{first}{second}" for first in "\\{}[*%&~^-`'?!" for second in "\\{}[]*%&~^-`'$"),
    SIGNS,
    SIGNS[::-1],
    f"a{CONTROLS}b",
    "\\input{/etc/passwd}",
    "\\write18{touch x}",
    "\\end{tabular}\\end{document}",
    "\\\\[2pt]",
    "%comment",
    "a\n\nb",
    "^^41",
    "",
    " ",
    "système Ü ß ñ",
)


@pytest.mark.skipif(TEX is None, reason="there is no pdflatex, lualatex or tectonic here")
def test_tables_of_hostile_names_compile(tmp_path):
    table = Table(("[name", "*other", "value & co"), tuple((name, name, i / 7) for i, name in enumerate(NAMES)))
    rows = [Table(table.columns, table.rows[start : start + 30]).to_latex() for start in range(0, len(NAMES), 30)]
    encoding = "\\usepackage[T1]{fontenc}\n\\usepackage{textcomp}\n" if TEX == "pdflatex" else ""
    body = "\n\n\\newpage\n".join(rows)
    (tmp_path / "table.tex").write_text(
        f"\\documentclass{{article}}\n{encoding}\\usepackage{{booktabs}}\n\\begin{{document}}\n{body}\n"
        "\\end{document}\n",
        encoding="utf-8",
    )
    options = [] if TEX == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
    done = subprocess.run(
        [str(TEX), *options, "table.tex"], cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False
    )
    problem = [line for line in done.stdout.splitlines() if line.startswith(("!", "l."))]
    assert done.returncode == 0, "\n".join([*problem, done.stderr])
    assert (tmp_path / "table.pdf").exists()
