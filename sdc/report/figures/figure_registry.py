"""Every figure of the report by its own name: where on the page it stands, and what it is drawn from."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from sdc.catalogue.named_units import NamedUnits
from sdc.report.views import Section

if TYPE_CHECKING:
    from sdc.catalogue.measurement import Measurement
    from sdc.data.release_pair import ReleasePair
    from sdc.report.build import Drawn
    from sdc.report.figures.scene import Drawer, Scene
    from sdc.report.views import Figure

    Draw = Callable[[Scene], Iterable[Figure | None]]
    DrawVariable = Callable[[ReleasePair, str, Drawer], Drawn | None]

SceneFunction = TypeVar("SceneFunction", bound="Draw")
VariableFunction = TypeVar("VariableFunction", bound="DrawVariable")


@dataclass(frozen=True)
class Chapter:
    """A place on the page for figures that belong together; `order` is its place among the others.

    `public_title` and `public_lead` replace title and lead where the public sees less. `compares`: the
    internal edition shows both tables in them.
    """

    family: str
    anchor: str
    title: str
    lead: str
    order: int
    public_title: str = ""
    public_lead: str = ""
    compares_in_public: bool = True
    compares: bool = True

    def section(self, figures: Iterable[Figure], *, public: bool) -> Section:
        """The chapter as one edition shows it."""
        return Section(
            self.family,
            self.anchor,
            (public and self.public_title) or self.title,
            (public and self.public_lead) or self.lead,
            tuple(figures),
            compares=self.compares_in_public if public else self.compares,
        )


INDICATORS = Chapter(
    "criteria", "indicators", "Indicators", "Whether the figures that matter come out the same.", order=10
)
PAIRS = Chapter(
    "utility",
    "pairs",
    "Pairs of numbers",
    "Which numbers go together, and whether they still do.",
    order=20,
)
TABLES = Chapter(
    "utility",
    "tables",
    "Tables of two and three variables",
    "Whether tables made from the candidate say what tables made from the original say.",
    order=30,
    public_title="Tables of two variables",
)
CROWDS = Chapter(
    "risk",
    "crowds",
    "Crowds and attacks",
    "How small the crowds are in which records hide, and what attacks found.",
    order=40,
    public_title="Crowds",
    public_lead="How small the crowds are in which records hide.",
    compares_in_public=False,
)
MODELS = Chapter(
    "utility",
    "models",
    "Models and grouping",
    "What a model sees of the difference, and how much depends on the grouping.",
    order=50,
)
SWEEP = Chapter(
    "criteria",
    "sweep",
    "Along the sweep",
    "How measurements change with an option that was swept over several values.",
    order=15,
    compares=False,
)
CHAPTERS = (INDICATORS, SWEEP, PAIRS, TABLES, CROWDS, MODELS)
"""The chapters of the page."""
MAP = Chapter("", "map", "Risk and utility of the candidates", "", order=60)
MULTIPLES = Chapter("", "multiples", "Candidates side by side", "", order=70)
"""Places of one figure each, which the page has beside its chapters."""


@dataclass(frozen=True)
class RegisteredFigure:
    """A drawing of the report, and what it is drawn from.

    `measures` are those whose numbers it shows. `from_tables`: it is drawn from the tables, whether or not
    they were measured. `public`: the public may see it. `example` is a made-up measurement from which it can
    be drawn: a test draws it and finds every number of the caption in it.
    """

    function: Draw
    chapter: Chapter
    order: int
    measures: tuple[str, ...] = ()
    from_tables: bool = False
    public: bool = False
    example: Measurement | None = None

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def file(self) -> str:
        return inspect.getsourcefile(self.function) or self.function.__module__

    def drawn(self, scene: Scene) -> Iterable[Figure]:
        """Its figures for one edition: none where the edition may not show it, or nothing was measured."""
        measured = any(scene.drawer.taken(measure) for measure in self.measures)
        if (scene.drawer.public and not self.public) or not (measured or self.from_tables):
            return ()
        return [made for made in self.function(scene) if made is not None]


@dataclass(frozen=True)
class RegisteredVariableFigure:
    """A drawing of one variable; `drawn` gives None for a variable of another kind."""

    drawn: DrawVariable
    order: int

    @property
    def name(self) -> str:
        return self.drawn.__name__

    @property
    def file(self) -> str:
        return inspect.getsourcefile(self.drawn) or self.drawn.__module__


_figures: NamedUnits[RegisteredFigure] = NamedUnits("figure", "sdc.report.figures")
_of_variables: NamedUnits[RegisteredVariableFigure] = NamedUnits("figure", "sdc.report.figures")


def figure(
    *,
    chapter: Chapter,
    order: int = 100,
    measures: tuple[str, ...] = (),
    from_tables: bool = False,
    public: bool = False,
    example: Measurement | None = None,
) -> Callable[[SceneFunction], SceneFunction]:
    """Register `(scene) -> figures` under its own name; the function is returned unchanged.

    `chapter` and `order` give its place on the page; the rest is as `RegisteredFigure` says.
    """

    def register(function: SceneFunction) -> SceneFunction:
        _figures.add(RegisteredFigure(function, chapter, order, measures, from_tables, public, example))
        return function

    return register


def variable_figure(*, order: int = 100) -> Callable[[VariableFunction], VariableFunction]:
    """Register `(pair, name, drawer) -> Drawn | None` under its own name.

    The first that gives a drawing of a variable is shown.
    """

    def register(function: VariableFunction) -> VariableFunction:
        _of_variables.add(RegisteredVariableFigure(function, order))
        return function

    return register


def figures() -> dict[str, RegisteredFigure]:
    """All figures by name, in the order of the page."""
    ordered = sorted(_figures.all().items(), key=lambda item: (item[1].chapter.order, item[1].order))
    return dict(ordered)


def variable_figures() -> dict[str, RegisteredVariableFigure]:
    """All figures of single variables by name, in the order they are tried."""
    return dict(sorted(_of_variables.all().items(), key=lambda item: item[1].order))
