"""Where could a value of the original end up? A canary in every column, looked for everywhere."""

import dataclasses
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

import sdc.catalogue.registry
from flows.orchestration.run_release import run_release
from sdc.errors import BadData, StepFailed
from tests.flows.listeners import webhook
from tests.flows.small_release import small_people

CANARIES = {
    "person": "CANARYPERSON",
    "name": "CANARYNAME",
    "region": "CANARYREGION",
    "sex": "CANARYSEX",
    "age": 739182465,
    "income": 48151623.42,
    "health": "CANARYHEALTH",
}


def people_with_canary() -> pd.DataFrame:
    people = small_people()
    return pd.concat([people, pd.DataFrame([CANARIES])], ignore_index=True)


def texts(value: object) -> list[bytes]:
    """A canary as it could be written down: as text, in UTF-16, as a number with or without its decimals."""
    text = str(value)
    return [
        text.encode(),
        text.encode("utf-16-le"),
        *([str(int(value)).encode()] if isinstance(value, float) else []),
    ]


def files_below(*places: Path) -> Iterator[Path]:
    for place in places:
        yield from (path for path in place.rglob("*") if path.is_file())


def leaks(files: Iterator[Path], canaries: dict[str, object]) -> list[str]:
    found = []
    for path in files:
        content = path.read_bytes()
        found += [
            f"{column} in {path.name}"
            for column, value in canaries.items()
            if any(text in content for text in texts(value))
        ]
    return found


def outside_the_warehouse(home: Path, prefect_home: Path, *more: Path) -> Iterator[Path]:
    """Everything a run leaves but its database, the candidate's own file, and the internal report, which names the riskiest combinations."""
    for path in files_below(home, prefect_home, *more):
        internal = path.name == "report.html" and path.is_relative_to(home)
        if not internal and not path.name.startswith("warehouse.duckdb") and path.parent.name != "candidates":
            yield path


@pytest.fixture
def profile_that_drops_all(release_files: Callable[..., Path]) -> Path:
    """A profile whose methods leave no canary.

    Keys suppressed, numbers averaged, health swapped out by suppression.
    """
    return release_files(
        (
            "  age: {role: quasi_identifier, type: numeric}\n",
            "  age: {role: quasi_identifier, type: numeric}\n",
        ),
        ("  health: sensitive\n", "  health: quasi_identifier\n"),
        (
            "{method: global_recode, with: {age: {width: 20}}}",
            "{method: global_recode, with: {age: {bands: [0, 40, 60]}}}",
        ),
        data=people_with_canary(),
    )


def test_after_a_published_run_no_canary_is_outside_the_warehouse(
    profile_that_drops_all: Path,
    home: Path,
    server: str,
    prefect_home: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    outcome = run_release(profile_that_drops_all)
    assert outcome.exit_code == 0, outcome.sentence
    time.sleep(1)
    assert (
        leaks(outside_the_warehouse(home, prefect_home, profile_that_drops_all.parent / "outbox"), CANARIES)
        == []
    )
    said = "".join(capfd.readouterr()).encode()
    assert [column for column, value in CANARIES.items() if any(text in said for text in texts(value))] == []


def test_after_a_withheld_run_no_canary_is_outside_the_warehouse(
    release_files: Callable[..., Path],
    home: Path,
    server: str,
    prefect_home: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    profile = release_files(
        ("    - {method: local_suppression, with: {k: 3}}\n", ""), data=people_with_canary()
    )
    assert run_release(profile).exit_code == 3
    time.sleep(1)
    assert leaks(outside_the_warehouse(home, prefect_home, profile.parent / "outbox"), CANARIES) == []
    said = "".join(capfd.readouterr()).encode()
    assert [column for column, value in CANARIES.items() if any(text in said for text in texts(value))] == []


def test_a_file_without_a_header_leaves_its_first_record_nowhere(
    release_files: Callable[..., Path],
    home: Path,
    server: str,
    prefect_home: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    first = pd.concat([pd.DataFrame([CANARIES]), small_people()], ignore_index=True)
    with webhook() as heard:
        told = ("candidates:\n", f"notify: {{webhook: 'http://127.0.0.1:{heard.port}/'}}\ncandidates:\n")
        profile = release_files(told, data=first, header=False)
        with pytest.raises(BadData, match="this file seems to have no header") as raised:
            run_release(profile)
    time.sleep(1)
    assert [notice["state"] for notice in heard.notices] == ["failed"]
    said = "".join([*capfd.readouterr(), str(raised.value), str(heard.notices)]).encode()
    assert [column for column, value in CANARIES.items() if any(text in said for text in texts(value))] == []
    assert leaks(outside_the_warehouse(home, prefect_home, profile.parent / "outbox"), CANARIES) == []


def test_a_crash_that_quotes_the_data_is_told_without_its_words(
    release_files: Callable[..., Path],
    home: Path,
    server: str,
    prefect_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def microaggregation(table: pd.DataFrame, *_rest: object, **_options: object) -> None:
        raise ValueError(table.astype(object).to_string())

    sdc.catalogue.registry.methods()
    entry = sdc.catalogue.registry._methods["microaggregation"]
    monkeypatch.setitem(
        sdc.catalogue.registry._methods,
        "microaggregation",
        dataclasses.replace(entry, function=_named_like(entry.function, microaggregation)),
    )
    profile = release_files(data=people_with_canary())
    with pytest.raises(StepFailed, match="microaggregation failed: ValueError") as raised:
        run_release(profile)
    time.sleep(1)
    assert not any(text in str(raised.value).encode() for value in CANARIES.values() for text in texts(value))
    assert leaks(outside_the_warehouse(home, prefect_home, profile.parent / "outbox"), CANARIES) == []
    said = "".join(capfd.readouterr()).encode()
    assert [column for column, value in CANARIES.items() if any(text in said for text in texts(value))] == []


def _named_like(original: Callable[..., object], replacement: Callable[..., object]) -> Callable[..., object]:
    """The replacement with the original's signature, so that its options are still checked."""
    replacement.__wrapped__ = original  # type: ignore[attr-defined]
    replacement.__annotations__ = original.__annotations__
    return replacement


def test_the_canary_is_found_where_it_is_planted(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("value 48151623.42 out of range")
    assert leaks(files_below(tmp_path), CANARIES) == ["income in log"]


WITHOUT_NETWORK = """
import fcntl, socket, struct, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
    fcntl.ioctl(probe, 0x8914, struct.pack("16sh", b"lo", 1))
assert [name for _, name in socket.if_nameindex()] == ["lo"]
looked_up = socket.getaddrinfo
def at_home(host, *rest, **more):
    if host not in ("127.0.0.1", "localhost", "::1", None):
        sys.exit(f"looked for {host}")
    return looked_up(host, *rest, **more)
socket.getaddrinfo = at_home
sys.argv = ["sdc", "release", sys.argv[1], "--quiet"]
from sdc.cli.main import main
main()
"""


@pytest.mark.slow
def test_the_demonstration_runs_without_a_network(tmp_path: Path) -> None:
    if subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let us make a network namespace")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")} | {
        "SDC_HOME": str(tmp_path)
    }
    demo = Path(__file__).parent.parent.parent / "profiles" / "demo" / "withheld.yaml"
    command = ["unshare", "--net", sys.executable, "-c", WITHOUT_NETWORK, str(demo)]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=170)
    assert ran.returncode == 3, ran.stderr
