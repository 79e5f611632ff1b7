"""Times each reader beside its library's own read of the same file, and how much memory it takes.

    python benchmarks/bench_ingest.py                    # 1,000,000 x 30 of each format
    python benchmarks/bench_ingest.py --rows 100000 csv spss

`sas` (.sas7bdat) is measured when it is named, and needs R with the package haven to write the file.
Databases are measured where BENCH_POSTGRES or BENCH_MYSQL is the address of a server that may be written to
(`postgres://user@/database`); the table `bench` there is replaced.

Every read has a process of its own. Memory is what it took at most, beyond what it had before it read and
beyond the limit of the warehouse's buffers (200 MB).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

ROWS, CODES, AMOUNTS, TEXTS = 1_000_000, 20, 7, 3
BUFFERS = 200


def frame(rows: int) -> Any:
    import pandas as pd

    rng = np.random.default_rng(1)
    columns: dict[str, Any] = {f"c{place}": rng.integers(1, 9, rows).astype(float) for place in range(CODES)}
    columns |= {f"x{place}": rng.normal(size=rows).round(3) for place in range(AMOUNTS)}
    words = np.array(["AB1", "CD22", "EFG"], dtype=object)
    return pd.DataFrame(columns | {f"s{place}": rng.choice(words, rows) for place in range(TEXTS)})


def write(form: str, held: Any, folder: Path) -> Path:
    """The table as a file of a format."""
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet as pq
    import pyreadstat

    def workbook(path: Path) -> None:
        import duckdb

        from sdc.ingest.readers.room import extension_file

        with duckdb.connect() as connection:
            connection.execute(f"LOAD '{extension_file('excel', 'the benchmark')}'")
            connection.register("held", held)
            connection.execute(f"COPY held TO '{path}' (FORMAT xlsx, HEADER true)")

    def sqlite(path: Path) -> None:
        import sqlite3

        with sqlite3.connect(path) as connection:
            held.to_sql("data", connection, index=False)

    writers: dict[str, tuple[str, Callable[[Path], Any]]] = {
        "csv": ("a.csv", lambda path: held.to_csv(path, index=False)),
        "csv_gzip": ("a.csv.gz", lambda path: held.to_csv(path, index=False)),
        "jsonl": ("a.jsonl", lambda path: held.to_json(path, orient="records", lines=True)),
        "parquet": ("a.parquet", lambda path: pq.write_table(pa.Table.from_pandas(held), path)),
        "arrow": ("a.arrow", lambda path: pyarrow.feather.write_feather(pa.Table.from_pandas(held), path)),
        "sqlite": ("a.sqlite", sqlite),
        "spss": ("a.sav", lambda path: pyreadstat.write_sav(held, str(path))),
        "zsav": ("a.zsav", lambda path: pyreadstat.write_sav(held, str(path), compress=True)),
        "spss_portable": (
            "a.por",
            lambda path: pyreadstat.write_por(held.rename(columns=str.upper), str(path)),
        ),
        "stata": ("a.dta", lambda path: pyreadstat.write_dta(held, str(path))),
        "sas_transport": ("a.xpt", lambda path: pyreadstat.write_xport(held, str(path))),
        "excel": ("a.xlsx", workbook),
        "sas": ("a.sas7bdat", lambda path: by_haven(held, path)),
    }
    if form in SERVERS:
        with attached(form) as connection:
            connection.register("held", held)
            connection.execute(
                "DROP TABLE IF EXISTS server.bench; CREATE TABLE server.bench AS SELECT * FROM held"
            )
        return Path(os.environ[SERVERS[form]])
    name, made = writers[form]
    made(folder / name)
    return folder / name


def by_haven(held: Any, path: Path) -> None:
    """A data set of SAS as R's package haven writes it: no library of Python does."""
    between = path.with_suffix(".csv")
    held.to_csv(between, index=False)
    script = f"haven::write_sas(read.csv('{between}', stringsAsFactors = FALSE), '{path}')"
    subprocess.run(["Rscript", "-e", script], check=True, stderr=subprocess.DEVNULL)
    between.unlink()


SERVERS = {"postgres": "BENCH_POSTGRES", "mysql": "BENCH_MYSQL"}


@contextmanager
def attached(form: str) -> Iterator[Any]:
    """The server as DuckDB reaches it."""
    import duckdb

    from sdc.ingest.readers.database_server import Address
    from sdc.ingest.readers.room import extension_file

    address = Address.of(str(Path(os.environ[SERVERS[form]])))
    assert address is not None
    words = address.connection.replace(" options=-cdefault_transaction_read_only=on", "")
    with duckdb.connect() as connection:
        connection.execute(f"LOAD '{extension_file(f'{form}_scanner', 'the benchmark')}'")
        connection.execute(f"ATTACH '{words}' AS server (TYPE {form})")
        yield connection


FORMATS = (
    "csv",
    "csv_gzip",
    "jsonl",
    "parquet",
    "arrow",
    "sqlite",
    "spss",
    "zsav",
    "stata",
    "sas_transport",
    "excel",
    "spss_portable",
)


def own_read(form: str, path: Path) -> None:
    """The file read by its library alone, all of it."""
    import duckdb
    import pyarrow.feather
    import pyreadstat
    from python_calamine import CalamineWorkbook

    reads: dict[str, Callable[[], Any]] = {
        "arrow": lambda: pyarrow.feather.read_table(path, memory_map=False),
        "spss": lambda: pyreadstat.read_sav(str(path)),
        "zsav": lambda: pyreadstat.read_sav(str(path)),
        "spss_portable": lambda: pyreadstat.read_por(str(path)),
        "stata": lambda: pyreadstat.read_dta(str(path)),
        "sas_transport": lambda: pyreadstat.read_xport(str(path)),
        "sas": lambda: pyreadstat.read_sas7bdat(str(path)),
        "excel": lambda: CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python(),
    }
    if form in SERVERS:
        with attached(form) as connection:
            connection.execute("CREATE TABLE memory.t AS SELECT * FROM server.bench")
    elif form == "sqlite":
        import sqlite3

        sqlite3.connect(path).execute("SELECT * FROM data").fetchall()
    elif form in reads:
        reads[form]()
    else:
        function = {"jsonl": "read_json", "parquet": "read_parquet"}.get(form, "read_csv")
        with duckdb.connect(str(path) + ".duckdb") as connection:
            connection.execute(f"CREATE TABLE t AS SELECT * FROM {function}('{path}')")


def ours(path: Path) -> None:
    """The file in a warehouse, as a run ingests it."""
    from sdc.data.warehouse import Warehouse
    from sdc.ingest import ingest
    from sdc.profile.plan import Limits, Profile
    from sdc.run.secret import NO_SECRET

    names = (
        [f"c{n}" for n in range(CODES)],
        [f"x{n}" for n in range(AMOUNTS)],
        [f"s{n}" for n in range(TEXTS)],
    )
    upper = path.suffix == ".por"
    variables = {
        name.upper() if upper else name: {"role": "other", "type": "numeric" if kind == 1 else "categorical"}
        for kind, held in enumerate(names)
        for name in held
    }
    servers = [Path(os.environ[name]) for name in SERVERS.values() if name in os.environ]
    table = {"table": "bench"} if path in servers else {}
    source = {"path": path, **table}
    profile = Profile(name="bench", seed=1, source=source, variables=variables, candidates={})
    limits = Limits(memory=f"{BUFFERS}MB", threads=2)
    with tempfile.TemporaryDirectory() as folder:
        readable = [] if table else [path]
        with Warehouse.create(Path(folder) / "run", limits=limits, readable=readable) as warehouse:
            ingest(profile, path.parent, warehouse, NO_SECRET)


def measured(form: str, path: Path, who: str) -> dict[str, float]:
    """Seconds and megabytes of one read, in this process."""
    import duckdb
    import pyarrow as pa
    import pyreadstat

    import sdc.ingest

    del duckdb, pa, pyreadstat, sdc
    before = most_memory()
    started = time.perf_counter()
    ours(path) if who == "ours" else own_read(form, path)
    taken = time.perf_counter() - started
    return {"seconds": taken, "megabytes": most_memory() - before}


def most_memory() -> float:
    """The most megabytes this process has had. What getrusage tells is inherited from the parent."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def apart(form: str, path: Path, who: str) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", form, str(path), who]
    answer: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return answer


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--one", action="store_true")
    parser.add_argument("formats", nargs="*")
    told = parser.parse_args()
    if told.one:
        form, path, who = told.formats
        print(json.dumps(measured(form, Path(path), who)))
        return
    held = frame(told.rows)
    print(f"{told.rows:,} x {CODES + AMOUNTS + TEXTS}")
    print("| format | library alone, s | ingest, s | ratio | memory beyond the warehouse, MB |")
    print("|---|---|---|---|---|")
    for form in told.formats or (*FORMATS, *(form for form, name in SERVERS.items() if os.environ.get(name))):
        with tempfile.TemporaryDirectory() as folder:
            path = write(form, held, Path(folder))
            alone, run = apart(form, path, "alone"), apart(form, path, "ours")
        ratio = run["seconds"] / alone["seconds"]
        memory = max(0, run["megabytes"] - BUFFERS)
        print(
            f"| {form} | {alone['seconds']:.1f} | {run['seconds']:.1f} | {ratio:.1f} | {memory:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
