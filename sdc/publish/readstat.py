"""What the files of statistical packages have in common: how they are filled, dated and read back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sdc.publish.leaving_table import ColumnKind, LeavingTable, cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa

    from sdc.catalogue.writers import FormatLimits

ROWS_AT_A_TIME = 250_000
PACKAGES = ("pyreadstat",)


def filled(table: LeavingTable, epoch: date, seconds: int, *, whole: str = "float64") -> pd.DataFrame:
    """All records as pandas; a date is the number of `seconds` since `epoch`, or of days."""
    import numpy as np
    import pandas as pd

    held, frame = table.arrow(), {}
    for column in table.columns:
        values = held.column(column.name)
        if column.kind is ColumnKind.TEXT:
            frame[column.name] = values.fill_null("").to_pandas()
        elif column.kind is ColumnKind.DATE:
            days = values.cast("int32").cast("float64").to_numpy()
            start = np.datetime64(epoch, "D").astype("int64")
            frame[column.name] = pd.Series((days - start) * seconds)
        elif column.kind is ColumnKind.NUMBER or whole == "float64":
            frame[column.name] = pd.Series(values.cast("float64").to_numpy())
        else:
            frame[column.name] = _as_whole(values)
    return pd.DataFrame(frame)


def _as_whole(values: pa.ChunkedArray) -> pd.Series:
    """Whole numbers in 32 bits where they fit, else as float64."""
    import pandas as pd
    import pyarrow.compute as pc

    ends = pc.min_max(values).as_py()
    # The largest numbers of a type stand for missing values.
    if ends["min"] is not None and (ends["min"] < -(2**31) + 1 or ends["max"] > 2**31 - 28):
        return pd.Series(values.cast("float64").to_numpy())
    return pd.Series(values.to_numpy(), dtype="float64").astype("Int32")


def labels(table: LeavingTable, limits: FormatLimits) -> dict[str, str | None]:
    return {column.name: cut(column.label, limits.label) for column in table.columns if column.label}


def words(table: LeavingTable, limits: FormatLimits, *, of_texts: bool) -> dict[str, dict[Any, str]]:
    """Words for codes: those that are whole numbers, and texts where the format can label them."""
    found: dict[str, dict[Any, str]] = {}
    for column in table.columns:
        if column.kind is ColumnKind.TRUTH:
            found[column.name] = {0: "false", 1: "true"}
        elif column.words and (column.kind is ColumnKind.WHOLE or of_texts):
            number = column.kind is ColumnKind.WHOLE
            found[column.name] = {
                int(code) if number else code: cut(said, limits.words) for code, said in column.words.items()
            }
    return found


def read(table: LeavingTable, place: Path, reading: Callable[..., Any]) -> Iterator[pa.Table]:
    """What ReadStat's own parser finds in a file, in chunks."""
    import pyarrow as pa

    start = 0
    while True:
        frame, _ = reading(
            str(place), row_offset=start, row_limit=ROWS_AT_A_TIME, output_format="dict", encoding="UTF-8"
        )
        names = list(frame)
        if names != [column.name for column in table.columns]:
            raise table.fail(place, "has other columns than the candidate")
        types = {ColumnKind.TEXT: pa.string(), ColumnKind.DATE: pa.date32()}
        arrays = {
            column.name: pa.array(frame[column.name], types.get(column.kind, pa.float64()), from_pandas=True)
            for column in table.columns
        }
        chunk = pa.table(arrays)
        yield chunk
        start += chunk.num_rows
        if chunk.num_rows < ROWS_AT_A_TIME:
            return


def dated(table: LeavingTable, place: Path, stamps: dict[int, tuple[bytes, bytes]]) -> None:
    """Puts a fixed time where the library has written the time of writing: equal tables are equal files.

    `stamps` are, by their place in the file, the pattern of what is there and what is to be there.
    """
    with place.open("r+b") as file:
        for offset, (pattern, fixed) in stamps.items():
            file.seek(offset)
            if not re.fullmatch(pattern, file.read(len(fixed))):
                raise table.fail(place, "has the time of its making where it was not expected")
            file.seek(offset)
            file.write(fixed)
