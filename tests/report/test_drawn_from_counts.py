"""A page is drawn from what was counted: no count is taken again, whatever happened to the columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdc.data import sharing
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess
from sdc.report import Edition, RunFacts, page

RECORDS = 20_000
ROLES = Roles.of(
    [
        Variable("age", Role.QUASI_IDENTIFIER, VariableType.NUMERIC),
        Variable("region", Role.QUASI_IDENTIFIER),
        Variable("sex", Role.QUASI_IDENTIFIER),
        Variable("income", Role.SENSITIVE, VariableType.NUMERIC),
    ]
)


class Watched(ReleasePair):
    """Remembers what was made, each time it is."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.seen: list[Hashable] = []

    def once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        def noted() -> Any:
            self.seen.append(key)
            return make()

        return super().once(key, noted)

    def since(self) -> set[Hashable]:
        """What was made since this was asked last."""
        seen, self.seen = self.seen, []
        assert len(seen) == len(set(seen)), "made twice while it was held"
        return set(seen)


def named(keys: set[Hashable]) -> set[str]:
    return {str(key[0]).rpartition(".")[2] for key in keys if isinstance(key, tuple)}


@pytest.fixture
def pair() -> Watched:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, RECORDS).astype(float),
            "region": rng.choice(["North", "South", "West"], RECORDS),
            "sex": rng.choice(["f", "m"], RECORDS),
            "income": np.round(rng.lognormal(7, 1, RECORDS), 2),
        }
    )
    made = Watched.from_frames(frame, frame.assign(income=np.round(frame["income"], -1)), ROLES)
    assert isinstance(made, Watched)
    return made


@pytest.fixture
def without_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """So little stays that no column of these records is among it."""
    monkeypatch.setattr(sharing, "KEPT", 4 * RECORDS)


@pytest.mark.usefixtures("without_columns")
def test_what_measures_counted_is_not_counted_again(published: RunFacts, pair: Watched):
    for measure in ("k_anonymity", "table_fit", "kl_divergence", "quantile_distance"):
        assess(measure, pair, {}, candidate="coarse")
    before = pair.since()
    pair.forget()
    for edition in Edition:
        page(published, edition, pair)
    again = named(before & pair.since())
    assert "_class_sizes" in named(before)
    assert "cells" in named(before)
    assert again <= {"numbers", "ordered", "placed", "places", "_own_codes", "codes"}, "columns alone"
    assert "numbers" in again, "the columns were let go of"


@pytest.mark.usefixtures("without_columns")
def test_a_page_that_is_drawn_again_sorts_and_counts_nothing(published: RunFacts, pair: Watched):
    pages = [page(published, edition, pair) for edition in Edition]
    assert {"ordered", "cells", "_class_sizes"} <= named(pair.since())
    pair.forget()
    assert [page(published, edition, pair) for edition in Edition] == pages
    assert named(pair.since()) <= {"numbers", "placed"}, "whether a variable has a number at all"


def test_the_second_edition_makes_nothing_that_the_first_made(published: RunFacts, pair: Watched):
    page(published, Edition.PUBLIC, pair)
    first = pair.since()
    page(published, Edition.INTERNAL, pair)
    second = pair.since()
    assert not first & second
    assert not named(second) & {"numbers", "ordered", "_own_codes"}, "the columns are at hand"
