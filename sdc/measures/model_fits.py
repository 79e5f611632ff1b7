"""Fits models to the original and to the candidate on the same columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import NotAssessed
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.model_frame import ModelFrame, model_frame, models_by_default
from sdc.statistics.regression.formula import parse
from sdc.statistics.regression.regression import (
    RegressionFit,
    Unfit,
    fit_linear,
    fit_logit,
    independent_columns,
    only,
    predict,
)

if TYPE_CHECKING:
    from sdc.arrays import Array


@dataclass(frozen=True)
class TwoFits:
    """A model fitted to both tables: the coefficients that the original determines, on the same columns."""

    names: tuple[str, ...]
    original: RegressionFit
    candidate: RegressionFit
    candidate_on_original: Array
    """The original records' fitted means under the candidate's coefficients."""
    levels: tuple[str, ...] = ()
    """The level each coefficient stands for, where its term is one categorical variable; empty elsewhere."""
    of_each: Array | None = None
    """The coefficients of each synthesis, where several were fitted."""

    @property
    def estimates(self) -> Array:
        """The candidate's coefficients, a row for each synthesis."""
        return self.candidate.coefficients[None] if self.of_each is None else self.of_each

    @classmethod
    def mean(cls, fits: Sequence[TwoFits]) -> TwoFits:
        """Of the original and several syntheses: their mean coefficients, covariances and fitted means."""
        import numpy as np

        first = fits[0]
        coefficients, covariance = (
            np.mean([getattr(fit.candidate, part) for fit in fits], axis=0)
            for part in ("coefficients", "covariance")
        )
        fitted = np.concatenate([fit.candidate.fitted for fit in fits])
        foreign = np.mean([fit.candidate_on_original for fit in fits], axis=0)
        return cls(
            first.names,
            first.original,
            RegressionFit(coefficients, covariance, fitted),
            foreign,
            first.levels,
            np.array([fit.candidate.coefficients for fit in fits]),
        )


@dataclass(frozen=True)
class Unfitted:
    """Why a table does not determine the coefficients of a model."""

    side: Side
    reason: str


def two_fits(frame: ModelFrame) -> TwoFits | Unfitted:
    """The model fitted to both tables, each on its own records.

    Columns that follow from others in the original are left out of both fits. The candidate must determine
    all that the original determines; levels it alone has are fitted with them and not compared.
    """
    import numpy as np

    original, candidate = frame.side(Side.ORIGINAL), frame.side(Side.CANDIDATE)
    kept = independent_columns(original)
    new = np.setdiff1d(np.arange(frame.matrix.width), original.columns)
    there = only(candidate, np.concatenate([kept, new]))
    estimable = independent_columns(there)
    if (lacking := kept.size - np.count_nonzero(estimable < kept.size)) > 0:
        return Unfitted(Side.CANDIDATE, f"{lacking} of {kept.size} coefficients cannot be estimated")
    fits = []
    for side, matrix in ((Side.ORIGINAL, only(original, kept)), (Side.CANDIDATE, only(there, estimable))):
        rows = frame.is_candidate == (side is Side.CANDIDATE)
        try:
            fits.append(
                (fit_logit if frame.logistic else fit_linear)(
                    matrix, frame.response[rows], frame.weights[rows]
                )
            )
        except Unfit as problem:
            return Unfitted(side, str(problem))
    foreign = predict(only(original, kept), fits[1].coefficients[: kept.size], logistic=frame.logistic)
    scaled = [fit.of_first(kept.size, frame.scale[kept]) for fit in fits]
    names, levels = (tuple(held[place] for place in kept) for held in (frame.names, frame.levels))
    return TwoFits(names, scaled[0], scaled[1], foreign, levels)


@dataclass(frozen=True)
class FittedModels:
    """Models by their number, from 1 on, and how many were left out."""

    fits: dict[int, TwoFits]
    left_out: int


def fitted_models(
    pair: ReleasePair, formulas: Sequence[str] | None, *, weighted: bool
) -> FittedModels | NotAssessed:
    """The models of some formulas fitted to both tables, or why one cannot be.

    Without formulas they are those by default, and what the original does not determine is left out.
    """
    models = [parse(formula) for formula in formulas] if formulas else models_by_default(pair)
    fits: dict[int, TwoFits] = {}
    reason = ""
    for number, model in enumerate(models, start=1):
        frame = model_frame(pair, model, weighted=weighted)
        found = frame if isinstance(frame, NotAssessed) else two_fits(frame)
        if isinstance(found, TwoFits):
            fits[number] = found
            continue
        reason = (
            f"model {number}: {found.reason}"
            if isinstance(found, NotAssessed)
            else f"model {number} on the {found.side.value}: {found.reason}"
        )
        if formulas or (isinstance(found, Unfitted) and found.side is Side.CANDIDATE):
            return NotAssessed(reason)
    if not fits:
        return NotAssessed(reason or "no variable is there to be explained by others: name models")
    return FittedModels(fits, len(models) - len(fits))
