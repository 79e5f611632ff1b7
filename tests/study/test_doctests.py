"""Every public name of the library has an example, and every example runs."""

from __future__ import annotations

import doctest
import inspect
import os
from importlib import import_module

import pandas as pd
import pytest

import sdc
import sdc.study
from tests.conftest import DEMO

MODULES = (
    "sdc",
    "sdc.catalogue.listing",
    *(f"sdc.study.{name}" for name in ("candidate", "comparison", "demonstration", "drawings")),
    *(
        f"sdc.study.{name}"
        for name in ("examined", "loaded", "results", "study", "study_measurement", "variables")
    ),
)
FEW = 300
SOME = ["household_id", "region", "household_size", "age", "sex", "income", "health", "weight"]


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_docstrings_run(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = {"sdc": sdc, "households": pd.read_csv(DEMO / "households.csv")[SOME].head(FEW), "demo": DEMO}
    held = import_module(module)
    tests = [test for test in doctest.DocTestFinder().find(held, globs=given) if test.examples]
    assert tests
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said: list[str] = []
    for test in tests:
        runner.run(test, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)
    assert not os.path.lexists(".sdc")


@pytest.mark.parametrize("name", [name for name in sdc.__all__ if name[0].isupper() and name != "SdcError"])
def test_a_public_class_and_its_methods_have_examples(name):
    shown = getattr(sdc, name)
    assert ">>>" in inspect.getdoc(shown)
    own = {
        each: inspect.getdoc(held) or ""
        for each, held in vars(shown).items()
        if not each.startswith("_") and (callable(held) or isinstance(held, property))
    }
    bare = [each for each, said in own.items() if ">>>" not in said and not _is_plain(shown, each)]
    assert bare == []


def _is_plain(shown: type, name: str) -> bool:
    """A property that says a single fact, shown in the example of its class."""
    return (
        isinstance(vars(shown)[name], property)
        and len(inspect.getsource(vars(shown)[name].fget).splitlines()) < 8
    )
