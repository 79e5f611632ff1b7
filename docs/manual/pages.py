"""Gathers the pages of the manual: those written by hand, and those made from code, catalogue and notebooks.

python docs/manual/pages.py FOLDER; MkDocs makes the site of them.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from command_line import command_line
from library_names import library_names
from notebooks import write_notebook

DOCS = Path(__file__).parents[1]
BESIDE = ("manual", "container", "examples")
"""Folders of docs that hold no pages."""
WIDE = "---\nhide: [toc]\n---\n\n"
"""Leaves the whole width to a page of tables."""
UNIT_ROW = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)


def write_all(folder: Path, *, figures: bool = True, executed: bool = True) -> None:
    """All pages into a folder that is emptied before.

    Without `figures` and `executed` nothing is computed: enough to look at words, links and code.
    """
    from sdc.cli.unit_pages import write_pages

    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder, ignore=_left_out)
    shutil.copytree(Path(__file__).parent / "assets", folder / "assets")
    units = write_pages(folder / "units", figures=figures)
    (folder / "units" / "index.md").rename(folder / "units" / "list.md")
    catalogue = folder / "catalogue.md"
    catalogue.write_text(linked(catalogue.read_text(encoding="utf-8"), units), encoding="utf-8")
    (folder / "command-line.md").write_text(command_line(), encoding="utf-8")
    (folder / "library-names.md").write_text(library_names(), encoding="utf-8")
    for notebook in sorted(DOCS.rglob("*.ipynb")):
        write_notebook(notebook, folder / notebook.relative_to(DOCS).with_suffix(".md"), executed=executed)


def linked(catalogue: str, units: list[Path]) -> str:
    """The page of the catalogue with a link from each unit to its page."""
    places = {place.stem: f"units/{place.parent.name}/{place.name}" for place in units}
    return WIDE + UNIT_ROW.sub(
        lambda row: f"| [`{row[1]}`]({places[row[1]]}) |" if row[1] in places else row[0], catalogue
    )


def _left_out(folder: str, names: list[str]) -> set[str]:
    beside = {name for name in names if Path(folder) == DOCS and name in BESIDE}
    return beside | {name for name in names if name.endswith((".py", ".ipynb", ".pyc", "__pycache__"))}


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
