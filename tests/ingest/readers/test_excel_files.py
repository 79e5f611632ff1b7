"""Is a sheet read with its types, and every doubt named by sheet and cell?"""

import datetime as dt
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from sdc.data.warehouse import Warehouse
from sdc.errors import BadData
from sdc.ingest import ingest
from sdc.ingest.readers import excel_file, large_sheet
from sdc.ingest.readers.error_cells import NoSuchSheetError, error_cells
from sdc.profile.plan import Profile
from sdc.run.secret import NO_SECRET

ROWS = [
    ["id", "code", "amount", "born", "ok"],
    [1, "007", 1.5, dt.date(2020, 1, 2), True],
    [2, "08", "n/a", None, False],
    [3, "x", 3, dt.date(2021, 2, 3), True],
]


def workbook(path: Path, sheets: dict[str, list[list[Any]]], *, down: int = 0, right: int = 0) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for at, row in enumerate(rows):
            for place, cell in enumerate(row):
                sheet.cell(at + 1 + down, place + 1 + right, cell)
    book.save(path)
    return path


def test_cells_have_their_types_and_mixed_ones_are_texts(read: Callable[..., Any], tmp_path: Path) -> None:
    found = read(workbook(tmp_path / "a.xlsx", {"Data": ROWS}, down=2, right=1))
    assert found.records == [
        (1, "007", "1.5", dt.date(2020, 1, 2), True),
        (2, "08", "n/a", None, False),
        (3, "x", "3", dt.date(2021, 2, 3), True),
    ]
    types = {name: held.type for name, held in found.columns.items()}
    assert types == {"id": "DOUBLE", "code": "VARCHAR", "amount": "VARCHAR", "born": "DATE", "ok": "BOOLEAN"}


def test_a_sheet_and_a_range_choose_what_is_read(read: Callable[..., Any], tmp_path: Path) -> None:
    file = workbook(tmp_path / "a.xlsx", {"One": ROWS, "Two": ROWS}, down=2, right=1)
    assert read(file, sheet="Two", range="B3:C5").records == [(1, "007"), (2, "08")]
    assert read(file, sheet="One", range="C3:C").records == [("007",), ("08",), ("x",)]


def test_several_sheets_and_none_named_are_listed(refused: Callable[..., str], tmp_path: Path) -> None:
    file = workbook(tmp_path / "a.xlsx", {"One": ROWS, "Two": ROWS})
    assert "the workbook has 2 sheets: 'One', 'Two'; say which in source.sheet" in refused(file)
    assert "there is no sheet 'Three'; the workbook has 'One', 'Two'" in refused(file, sheet="Three")


def taken(file: Path, amount: dict[str, Any], folder: Path) -> None:
    variables = {
        "id": "direct_identifier",
        "code": "other",
        "born": "dropped",
        "ok": "other",
        "amount": amount,
    }
    profile = Profile(name="t", seed=1, source={"path": file.name}, variables=variables, candidates={})
    with Warehouse.create(folder / "run", readable=[file]) as warehouse:
        ingest(profile, file.parent, warehouse, NO_SECRET)
        assert warehouse.database.table("original").rows == 3


def test_mixed_types_are_a_fault_of_a_number_and_none_of_a_category(tmp_path: Path) -> None:
    file = workbook(tmp_path / "a.xlsx", {"Data": ROWS})
    with pytest.raises(BadData) as bad:
        taken(file, {"type": "numeric"}, tmp_path / "1")
    assert "column 'amount': cell C3 of sheet 'Data' has another type than most cells of the column" in str(
        bad.value
    )
    assert "n/a" not in str(bad.value)
    taken(file, {"type": "numeric", "missing_codes": ["n/a"]}, tmp_path / "2")
    taken(file, {}, tmp_path / "3")


def test_names_are_there_once(refused: Callable[..., str], tmp_path: Path) -> None:
    twice = workbook(tmp_path / "a.xlsx", {"Data": [["a", "A"], [1, 2]]})
    assert "sheet 'Data': columns 1 and 2 have one name" in refused(twice)
    none = workbook(tmp_path / "b.xlsx", {"Data": [["a", None, "c"], [1, 2, 3]]})
    assert "column 2 has no name" in refused(none)


def test_a_full_sheet_may_have_lost_records(
    refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert excel_file.MOST_ROWS_OF_OTHERS == 1_048_576
    monkeypatch.setattr(excel_file, "MOST_ROWS_OF_OTHERS", 4)
    file = workbook(tmp_path / "a.xlsx", {"Data": ROWS})
    assert "the sheet has all 4 rows a sheet can have: records may have been cut off" in refused(file)


def test_a_workbook_with_a_password_or_broken_off_is_a_fault(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    # Office keeps an encrypted workbook in an OLE container.
    locked = tmp_path / "locked.xlsx"
    locked.write_bytes(excel_file.OLE + bytes(2000))
    assert "the workbook has a password" in refused(locked)
    held = workbook(tmp_path / "a.xlsx", {"Data": ROWS}).read_bytes()
    (tmp_path / "a.xlsx").write_bytes(held[: len(held) // 2])
    assert "this is no workbook, or one that is not whole" in refused(tmp_path / "a.xlsx")


def test_people_of_two_sheets_are_not_taken_for_each_other(tmp_path: Path) -> None:
    """Without a key a person is known by the place in the source, and each sheet has a first place."""
    file = workbook(tmp_path / "a.xlsx", {"One": ROWS, "Two": ROWS})
    found = []
    for sheet, part in (("One", None), ("Two", None), ("One", "A1:E3")):
        source = {"path": file.name, "sheet": sheet, **({"range": part} if part else {})}
        variables = dict.fromkeys(ROWS[0], "other")
        profile = Profile(name="t", seed=1, source=source, variables=variables, candidates={})
        with Warehouse.create(tmp_path / f"run{len(found)}", readable=[file]) as warehouse:
            ingest(profile, tmp_path, warehouse, NO_SECRET)
            found.append(warehouse.database.cursor().execute("SELECT person FROM persons").fetchall()[0][0])
    assert len({*found}) == 3


def test_days_and_moments_in_a_column_are_moments(read: Callable[..., Any], tmp_path: Path) -> None:
    noon = dt.datetime.fromisoformat("2020-01-02 12:00:00")
    found = read(workbook(tmp_path / "a.xlsx", {"Data": [["seen"], [dt.date(2020, 1, 1)], [noon], [None]]}))
    assert found.columns["seen"].type == "TIMESTAMP"
    assert found.records == [(dt.datetime.fromisoformat("2020-01-01 00:00:00"),), (noon,)]


def test_a_cell_that_holds_an_error_is_named(
    read: Callable[..., Any], refused: Callable[..., str], tmp_path: Path
) -> None:
    """The reader gives no value for it, and a row with nothing else would not be there."""
    rows = [["a", "b"], [1, 2], [3, "#DIV/0!"], ["#N/A", None]]
    file = workbook(tmp_path / "a.xlsx", {"Other": [["a"], ["#REF!"]], "Data": rows}, down=1, right=2)
    said = refused(file, sheet="Data")
    assert "sheet 'Data': 2 cells hold an error, cell D4 first" in said
    assert "1 cell holds an error, cell D4 first" in refused(file, sheet="Data", range="D2:D9")
    # The error lies outside the range.
    assert read(file, sheet="Data", range="C2:D3").records == [(1, 2)]
    assert read(file, sheet="Data", range="C2:C4").records == [(1,), (3,)]


def test_an_error_in_a_sheet_of_open_document_is_named(
    read: Callable[..., Any], refused: Callable[..., str], tmp_path: Path
) -> None:
    """As LibreOffice writes it: a text without letters, marked by its own attribute."""
    spaces = {
        "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
        "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
        "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
        "calcext": "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0",
    }
    told = " ".join(f'xmlns:{name}="{space}"' for name, space in spaces.items())
    word = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    one = '<table:table-cell {} office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell>'
    wrong = (
        '<table:table-cell office:value-type="string" office:string-value="" calcext:value-type="error">'
        "<text:p>#DIV/0!</text:p></table:table-cell>"
    )
    rows = [
        "<table:table-row>" + "".join(map(word.format, "abc")) + "</table:table-row>",
        '<table:table-row table:number-rows-repeated="3">'
        + one.format('table:number-columns-repeated="3"')
        + "</table:table-row>",
        "<table:table-row>" + one.format('table:number-columns-repeated="2"') + wrong + "</table:table-row>",
    ]
    tables = "".join(
        f'<table:table table:name="{name}">{"".join(held)}</table:table>'
        for name, held in (("Good", rows[:2]), ("Bad", rows))
    )
    with zipfile.ZipFile(tmp_path / "a.ods", "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr("META-INF/manifest.xml", "<manifest/>")
        book.writestr(
            "content.xml",
            f"<office:document-content {told}><office:body><office:spreadsheet>{tables}"
            "</office:spreadsheet></office:body></office:document-content>",
        )
    assert "sheet 'Bad': 1 cell holds an error, cell C5 first" in refused(tmp_path / "a.ods", sheet="Bad")
    assert read(tmp_path / "a.ods", sheet="Good").records == [(1, 1, 1)] * 3


def in_pieces(monkeypatch: pytest.MonkeyPatch, size: int = 300) -> list[int]:
    """Every sheet is large from now on; the rows of each piece that was read."""
    sizes: list[int] = []
    pieces = large_sheet.LargeSheet._rows_of_pieces

    def counted(sheet: large_sheet.LargeSheet) -> Any:
        for piece in pieces(sheet):
            sizes.append(piece.count(b"<row"))
            yield piece

    monkeypatch.setattr(large_sheet, "LARGE", 0)
    monkeypatch.setattr(large_sheet, "PIECE", size)
    monkeypatch.setattr("sdc.ingest.readers.error_cells.CHUNK", 64)
    monkeypatch.setattr(large_sheet.LargeSheet, "_rows_of_pieces", counted)
    return sizes


SPARSE = [
    ["id", "note", None, "born"],
    *[[None if at % 3 else at, None, None, dt.date(2020, 1, 1 + at)] for at in range(9)],
    *[[None] * 4] * 7,
    [99, "<row r='1'> & </sheetData>", None, None],
]


@pytest.mark.parametrize("place", [(0, 0), (4, 3)])
def test_a_sheet_in_pieces_is_the_same_as_the_whole(
    read: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: tuple[int, int]
) -> None:
    """Rows and columns without cells, cells that look like marks of the file, dates by their style."""
    down, right = place
    rows = [[cell for column, cell in enumerate(row) if column != 2] for row in SPARSE]
    for name, held in (("full", ROWS), ("sparse", rows)):
        file = workbook(tmp_path / f"{name}.xlsx", {"Other": ROWS, "Data": held}, down=down, right=right)
        whole = read(file, sheet="Data")
        with monkeypatch.context() as patched:
            sizes = in_pieces(patched)
            again = read(file, sheet="Data")
            assert len(sizes) > 3
        assert again.records == whole.records
        assert {each: held.type for each, held in again.columns.items()} == {
            each: held.type for each, held in whole.columns.items()
        }


def test_a_range_of_a_sheet_in_pieces_is_the_range(
    read: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = workbook(tmp_path / "a.xlsx", {"One": ROWS}, down=2, right=1)
    in_pieces(monkeypatch)
    assert read(file, range="B3:C5").records == [(1, "007"), (2, "08")]
    assert read(file, range="C3:C").records == [("007",), ("08",), ("x",)]


@pytest.mark.parametrize("damage", ["cut", "unnumbered"])
def test_a_large_sheet_that_is_not_whole_is_a_fault(
    refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    file, broken = workbook(tmp_path / "a.xlsx", {"Data": [*ROWS, *ROWS[1:]]}), tmp_path / "b.xlsx"
    with zipfile.ZipFile(file) as book, zipfile.ZipFile(broken, "w") as other:
        for name in book.namelist():
            content = book.read(name)
            if "worksheets" in name:
                last = content.rindex(b"<row")
                rest = b"" if damage == "cut" else content[last:].replace(b'<row r="7"', b"<row")
                content = content[:last] + rest
            other.writestr(name, content)
    in_pieces(monkeypatch, 100)
    assert "sheet 'Data': this is no workbook, or one that is not whole" in refused(broken)


def test_an_error_in_an_old_workbook_is_a_fault_with_its_cell(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    """The value false of row 5, column F, is made the error #DIV/0! (7); rows and columns count from 0 there."""
    held = (Path(__file__).parent / "files" / "people.xls").read_bytes()
    no, error = bytes.fromhex("050208000400050011000000"), bytes.fromhex("050208000400050011000701")
    assert held.count(no) == 1
    (tmp_path / "a.xls").write_bytes(held.replace(no, error))
    words = refused(tmp_path / "a.xls")
    assert "sheet 'Data': 1 cell holds an error, cell F5 first" in words


def test_an_old_workbook_whose_table_of_sectors_runs_in_a_circle_is_not_whole(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    held = bytearray((Path(__file__).parent / "files" / "people.xls").read_bytes())
    table = 512 + 512 * struct.unpack_from("<I", held, 76)[0]
    struct.pack_into("<I", held, table, 0)
    (tmp_path / "a.xls").write_bytes(held)
    assert "this is no workbook, or one that is not whole" in refused(tmp_path / "a.xls")


@pytest.mark.parametrize("place", [28, 48, 76])
def test_an_old_workbook_is_broken_wherever_it_is_read(tmp_path: Path, place: int) -> None:
    """Bytes of its header: the order of bytes, where its table of contents is, and where that of its sectors."""
    held = bytearray((Path(__file__).parent / "files" / "people.xls").read_bytes())
    held[place : place + 4] = b"\x81\xff\xff\xff"
    (tmp_path / "a.xls").write_bytes(held)
    with pytest.raises(NoSuchSheetError):
        error_cells(tmp_path / "a.xls", "Data")


def test_an_old_workbook_is_read_as_a_new_one(
    read: Callable[..., Any], refused: Callable[..., str], tmp_path: Path
) -> None:
    """The file was written by the package xlwt 1.3.0; its cells are ROWS, two rows down and one column right."""
    held = Path(__file__).parent / "files" / "people.xls"
    new = read(workbook(tmp_path / "a.xlsx", {"Data": ROWS}, down=2, right=1))
    old = read(held)
    assert old.records == new.records
    assert {name: column.type for name, column in old.columns.items()} == {
        name: column.type for name, column in new.columns.items()
    }
    (tmp_path / "cut.xls").write_bytes(held.read_bytes()[:2000])
    assert "this is no workbook, or one that is not whole" in refused(tmp_path / "cut.xls")
