"""Times a release on workers of a Dask cluster on this machine, and the peak of memory of each process.

    bench_cluster.py --rows 20000000 --workers 3      ten columns in parts of Parquet, counting measures

The parts of the source are read, candidates made and tables counted on the workers.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bench_release
import psutil
import yaml

LOOK_SECONDS = 0.5
ENDINGS = {0: "published", 3: "withheld"}
"""How a release ends that was measured whole; short files have values that one record alone has."""


def write_parts(folder: Path, rows: int) -> None:
    """The survey of the other benchmark, a million records a file."""
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    folder.mkdir()
    with tempfile.TemporaryDirectory() as place:
        whole = Path(place) / "survey.csv"
        bench_release.write_survey(whole, rows, bench_release.FEWER)
        writer, part, held = None, 0, 0
        for batch in pc.open_csv(whole):
            if writer is None:
                writer = pq.ParquetWriter(folder / f"part-{part:04d}.parquet", batch.schema)
            writer.write_batch(batch)
            held += batch.num_rows
            if held >= bench_release.AT_ONCE:
                writer.close()
                writer, part, held = None, part + 1, 0
        if writer is not None:
            writer.close()


def write_profile(directory: Path, memory: str) -> Path:
    path = bench_release.write_profile(directory, "counting")
    told = yaml.safe_load(path.read_text())
    told["source"] = {"path": "survey"}
    told["limits"] = {"memory": memory}
    path.write_text(yaml.safe_dump(told, sort_keys=False))
    return path


class Peaks:
    """The largest resident memory of each process, looked at while it lives."""

    def __init__(self, processes: dict[str, int]) -> None:
        self.held = dict.fromkeys(processes, 0.0)
        self._processes = {name: psutil.Process(pid) for name, pid in processes.items()}
        self._ended = threading.Event()

    def look(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            for name, process in self._processes.items():
                try:
                    now = process.memory_info().rss / 2**30
                except psutil.NoSuchProcess:
                    continue
                self.held[name] = max(self.held[name], now)

    @contextmanager
    def watched(self) -> Iterator[None]:
        looking = threading.Thread(target=self.look, daemon=True)
        looking.start()
        try:
            yield
        finally:
            self._ended.set()
            looking.join()


def release(path: Path, workers: int, memory_limit: str) -> None:
    from distributed import Client, LocalCluster

    directory = path.parent
    for name in ("shared", "workers"):
        (directory / name).mkdir(exist_ok=True)
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            memory_limit=memory_limit,
            local_directory=str(directory / "workers"),
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        pids: dict[str, Any] = client.run(os.getpid)
        environment = {
            **os.environ,
            "SDC_HOME": str(directory / "home"),
            "SDC_SHARED": str(directory / "shared"),
            "SDC_DASK": cluster.scheduler_address,
            "PREFECT_LOGGING_LEVEL": "ERROR",
        }
        started = time.perf_counter()
        with subprocess.Popen([sys.executable, "-m", "sdc", "release", str(path)], env=environment) as ran:
            named = {f"worker {place}": pid for place, pid in enumerate(pids.values(), start=1)}
            peaks = Peaks({"release": ran.pid, **named})
            with peaks.watched():
                code = ran.wait()
        seconds = time.perf_counter() - started
    assert code in ENDINGS, f"the release ended with {code}"
    print(f"{ENDINGS[code]} on {workers} workers: {seconds:.0f} s (load {os.getloadavg()[0]:.1f})")
    for name, peak in peaks.held.items():
        print(f"  peak of {name}: {peak:.2f} GiB")
    run = max((directory / "home" / "runs").iterdir(), key=lambda each: each.stat().st_mtime)
    for part, took in json.loads((run / "timings.json").read_text()).items():
        print(f"  {part:<40}{took:8.1f} s")
    left = [place for place in (directory / "shared").rglob("*") if place.is_file()]
    assert not left, "tables are left on shared storage"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--rows", type=int, default=2_000_000)
    asked.add_argument("--workers", type=int, default=3)
    asked.add_argument("--memory", default="2GB", help="of the database of each process")
    asked.add_argument("--worker-memory", default="6GiB", help="at which a worker is stopped")
    asked.add_argument("--within", type=Path, help="a folder that is kept, with the survey if it is there")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as place:
        directory = given.within or Path(place)
        directory.mkdir(exist_ok=True, parents=True)
        if not (directory / "survey").exists():
            write_parts(directory / "survey", given.rows)
        path = write_profile(directory, given.memory)
        size = sum(part.stat().st_size for part in (directory / "survey").iterdir())
        print(f"{given.rows:,} records, {size / 2**20:,.0f} MiB of Parquet", flush=True)
        release(path, given.workers, given.worker_memory)


if __name__ == "__main__":
    main()
