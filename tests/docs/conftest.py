"""The pages of the manual as the site has them, without what takes time: no figures, notebooks not executed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "manual"))


@pytest.fixture(scope="session")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder MkDocs makes the site of."""
    from pages import write_all

    folder = tmp_path_factory.mktemp("manual") / "pages"
    write_all(folder, figures=False, executed=False)
    return folder
