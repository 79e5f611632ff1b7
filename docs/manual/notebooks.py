"""Turns a notebook into a page: executed, with what its cells show.

Notebooks are kept without outputs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SECONDS = 60
"""No cell may take longer."""


def executed_notebook(place: Path, folder: Path) -> Any:
    """The notebook with outputs; it runs in a folder of its own. CellExecutionError where a cell fails."""
    import nbformat
    from nbclient import NotebookClient
    from traitlets.config import Config

    notebook = nbformat.read(place, as_version=4)
    told = {"metadata": {"path": str(folder)}}
    with tempfile.TemporaryDirectory() as sockets:
        # Sockets in a private folder: nobody on the network can reach the kernel.
        config = Config({"KernelManager": {"transport": "ipc", "ip": f"{sockets}/kernel"}})
        client = NotebookClient(
            notebook, timeout=SECONDS, kernel_name="python3", resources=told, config=config
        )
        client.execute()
    return notebook


def write_notebook(place: Path, page: Path, *, executed: bool = True) -> None:
    """A notebook as Markdown; without `executed` its cells are shown without outputs."""
    import nbformat

    if executed:
        with tempfile.TemporaryDirectory() as folder:
            notebook = executed_notebook(place, Path(folder))
    else:
        notebook = nbformat.read(place, as_version=4)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n\n".join(_blocks(notebook)) + "\n", encoding="utf-8")


def _blocks(notebook: Any) -> Iterator[str]:
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield cell.source
        elif cell.cell_type == "code":
            yield f"```python\n{cell.source}\n```"
            yield from (shown for output in cell.outputs if (shown := _shown(output)))


def _shown(output: Any) -> str:
    """An output as HTML where it has that, else as text."""
    if output.output_type == "stream":
        return _text(output.text)
    data = output.get("data", {})
    if "text/html" in data:
        return f'<div class="shown" markdown="0">\n{_one_line(data["text/html"])}\n</div>'
    return _text(data["text/plain"]) if "text/plain" in data else ""


def _text(said: str) -> str:
    return f"```text\n{said.rstrip()}\n```"


def _one_line(html: str) -> str:
    """Markdown ends a block of HTML at an empty line."""
    return "\n".join(line for line in html.splitlines() if line.strip())
