"""The catalogue: every measure, method, model and reader by its own name, and the words they are declared in.

A measure or a method has one import from here. The rooms above ask `sdc.catalogue.registry` and its
neighbours what there is.

It may import `sdc.data.roles`, `sdc.statistics`, `sdc.run` and `sdc.errors`.
"""

from sdc.catalogue.measurement import Interval, Measurement, NotAssessed
from sdc.catalogue.needs import (
    DeclaredCategories,
    Extra,
    OfEachNumber,
    always,
    never,
    unless_told,
    when_told,
)
from sdc.catalogue.options import (
    OF_NUMBERS,
    Column,
    ColumnName,
    FromFile,
    NumberColumn,
    OfRecords,
    OrderedColumn,
)
from sdc.catalogue.protection import (
    Budget,
    Protected,
    Protection,
    composed,
    covered,
    drawn_parameters,
    untrue,
)
from sdc.catalogue.readers import reader
from sdc.catalogue.registry import (
    ANY,
    NON_PERTURBATIVE,
    NOT_SYNTHETIC,
    Examines,
    Family,
    MissingValues,
    Need,
    Touches,
    measure,
    method,
)
from sdc.catalogue.synthesis_models import Targets, model
from sdc.catalogue.units import Better, Unit

__all__ = [
    "ANY",
    "NON_PERTURBATIVE",
    "NOT_SYNTHETIC",
    "OF_NUMBERS",
    "Better",
    "Budget",
    "Column",
    "ColumnName",
    "DeclaredCategories",
    "Examines",
    "Extra",
    "Family",
    "FromFile",
    "Interval",
    "Measurement",
    "MissingValues",
    "Need",
    "NotAssessed",
    "NumberColumn",
    "OfEachNumber",
    "OfRecords",
    "OrderedColumn",
    "Protected",
    "Protection",
    "Targets",
    "Touches",
    "Unit",
    "always",
    "composed",
    "covered",
    "drawn_parameters",
    "measure",
    "method",
    "model",
    "never",
    "reader",
    "unless_told",
    "untrue",
    "when_told",
]
