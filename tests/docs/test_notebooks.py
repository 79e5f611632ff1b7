"""Notebooks of the manual are kept without outputs, and run from top to bottom."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from notebooks import executed_notebook, write_notebook

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted(place.relative_to(DOCS).as_posix() for place in DOCS.rglob("*.ipynb"))


def test_there_are_three():
    assert NOTEBOOKS == [
        "how-to/from-sdcmicro.ipynb",
        "how-to/household-survey.ipynb",
        "how-to/synthetic-file.ipynb",
    ]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_kept_without_outputs(name):
    notebook = nbformat.read(DOCS / name, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) >= 4
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    assert "sdc.demo_data()" in code[0].source


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(name, tmp_path):
    notebook = executed_notebook(DOCS / name, tmp_path)
    shown = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert sum(bool(outputs) for outputs in shown) >= len(shown) - 1
    assert not [output for outputs in shown for output in outputs if output.get("name") == "stderr"]


def test_a_page_shows_what_a_cell_shows(tmp_path):
    """A table as HTML without empty lines, text as text, what is printed too."""
    cells = [nbformat.v4.new_markdown_cell("# Page"), nbformat.v4.new_code_cell("1 + 1")]
    html = {"text/html": "<table>\n\n<tr></tr></table>", "text/plain": "a table"}
    cells[1].outputs = [
        nbformat.v4.new_output("stream", text="printed\n"),
        nbformat.v4.new_output("execute_result", data=html),
    ]
    (tmp_path / "page.ipynb").write_text(nbformat.writes(nbformat.v4.new_notebook(cells=cells)))
    write_notebook(tmp_path / "page.ipynb", tmp_path / "page.md", executed=False)
    page = (tmp_path / "page.md").read_text()
    assert page.startswith("# Page\n\n```python\n1 + 1\n```\n\n```text\nprinted\n```\n\n<div")
    assert "<table>\n<tr></tr></table>" in page
    assert "a table" not in page
