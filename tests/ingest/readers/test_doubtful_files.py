"""Is a file that could be read in two ways, or is not whole, refused with the place of the doubt?"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


def parts(folder: Path, **held: Any) -> Path:
    for name, column in held.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"x": column}), folder / f"{name}.parquet")
    return folder


@pytest.mark.parametrize("later", [["007", "12"], [1.5, 2.7], pa.array([1, 2], pa.int32())])
def test_parts_with_other_types_are_a_fault(refused: Callable[..., str], tmp_path: Path, later: Any) -> None:
    said = refused(parts(tmp_path / "d", a=[1, 2], b=later))
    assert f"{tmp_path / 'd' / 'b.parquet'}, column 'x': it has another type than in the first part" in said


def test_parts_that_differ_only_in_how_they_are_packed_are_read(
    read: Callable[..., Any], tmp_path: Path
) -> None:
    folder = parts(tmp_path / "d", a=["1", "2"], b=pa.array(["007", None]).dictionary_encode())
    assert read(folder).records == [("1",), ("2",), ("007",), (None,)]


@pytest.mark.parametrize("name", ["p[1]", "p*", "p?", "r=[a]/p"])
def test_a_part_whose_name_is_a_pattern_is_a_fault(
    refused: Callable[..., str], tmp_path: Path, name: str
) -> None:
    folder = parts(tmp_path / "d", **{name: [1], "p1": [2]})
    assert f"{folder / name}.parquet: the name has a *, ? or [; rename it" in refused(folder)


@pytest.mark.parametrize("name", ["x", "X"])
def test_a_folder_named_as_a_column_of_its_parts_is_a_fault(
    refused: Callable[..., str], tmp_path: Path, name: str
) -> None:
    folder = parts(tmp_path / "d", **{f"{name}=north/a": ["south"]})
    said = refused(folder)
    assert f"a.parquet: its folder and its own columns both have a column {name!r}" in said
    assert "south" not in said


LAYOUT = ({"name": "id", "start": 1, "width": 3}, {"name": "income", "start": 5, "width": 5})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # The second income could have been 67, or 67890 before the line was cut.
        ("001 12345\n002 67\n003 9", "2 lines end before the last column does, line 2 first"),
        ("001 12345\n002\n", "1 line ends before the last column does, line 2 first"),
        ("001 12345\n\n003 12345\n", "1 line is empty, line 2 first"),
        ("001 12345\n003 12345\n\n", "1 line is empty, line 3 first"),
        ("001 12345\n002 123456\n", "1 line goes on after the last column, line 2 first"),
        ("001 12345\r\n002 12345\n003 12345\n", "2 lines have another end than line 1, line 2 first"),
        ("001 12345\n002 12345\r003 12345\n", "1 line has another end than line 1, line 2 first"),
    ],
)
def test_lines_that_may_be_cut_or_joined_are_counted(
    refused: Callable[..., str], tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "a.fwf").write_bytes(text.encode())
    words = refused(tmp_path / "a.fwf", layout=LAYOUT)
    assert f"{tmp_path / 'a.fwf'}: {said}" in words
    assert "12345" not in words
    (tmp_path / "w.fwf").write_bytes(text.encode("utf-16"))
    assert said in refused(tmp_path / "w.fwf", layout=LAYOUT, encoding="utf-16")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blanks_after_the_last_column_and_a_last_line_without_an_end_are_read(
    read: Callable[..., Any], tmp_path: Path, end: str
) -> None:
    (tmp_path / "a.fwf").write_bytes(f"001 12345   {end}002      {end}003   9  ".encode())
    found = read(tmp_path / "a.fwf", layout=LAYOUT)
    assert found.records == [("001", "12345"), ("002", ""), ("003", "9")]


def stream(path: Path, *batches: list[int]) -> bytes:
    schema = pa.schema([("x", pa.int32())])
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(pa.record_batch([pa.array(batch, pa.int32())], schema=schema))
    return path.read_bytes()


def test_a_stream_of_arrow_has_its_mark_at_the_end(
    read: Callable[..., Any], refused: Callable[..., str], tmp_path: Path
) -> None:
    """The values -1 and 0 are written as the mark is: a batch that ends in them is no end of the stream."""
    file = tmp_path / "a.arrow"
    whole = stream(file, [1, 2], [-1, 0] * 8, [3, 4])
    assert read(file).column("x") == [1, 2, *[-1, 0] * 8, 3, 4]
    one, two = stream(file, [1, 2]), stream(file, [1, 2], [-1, 0] * 8)
    mark = b"\xff\xff\xff\xff\x00\x00\x00\x00"
    assert two[-16:] == mark * 2
    for cut in (whole[:-8], two[:-8], one[:-8], whole + one, whole + b"\n"):
        file.write_bytes(cut)
        assert f"{file}: the stream has no end, or goes on after it; write it again" in refused(file)


def test_an_object_with_a_key_twice_is_a_fault_with_its_line(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    for line in ('{"a": 1, "a": "CANARY"}', '{"a": 1, "b": {"c": 1, "c": 2}}'):
        (tmp_path / "a.jsonl").write_text(f'{{"a": 1}}\n{line}\n')
        said = refused(tmp_path / "a.jsonl")
        assert "line 2 has a key twice" in said
        assert "CANARY" not in said


def test_an_object_that_is_nested_beyond_all_measure_is_a_fault_with_its_line(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n{"a": ' + "[" * 200_000 + "\n")
    assert "line 2 is no JSON object" in refused(tmp_path / "a.jsonl")
