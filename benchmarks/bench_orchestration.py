"""Times the start of the commands, the stages of the demonstration, and what orchestration costs.

python benchmarks/bench_orchestration.py [start] [cost]

The cost is one release with Prefect, embedded and on a server, over its bare steps.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from flows.orchestration.orchestrator import EmbeddedServer, settle

ROOT = Path(__file__).parent.parent
DEMO = ROOT / "profiles" / "demo"
PROFILE = DEMO / "withheld.yaml"
STAGES = {
    "orchestrator ready": "imports, profile, orchestrator",
    "source:": "source read",
    "protect ": "candidate made",
    "gate ": "measures and gate",
    "publish 1/1": "reports, bundle, record",
}
"""What the line that ends a stage says, and what was done in it; after the last the process leaves."""

BARE = """
import sys, tempfile
from datetime import UTC, datetime
from pathlib import Path
from sdc.run.secret import NO_SECRET
from sdc.measures.assess import assess
from sdc.ingest import ingest
from sdc.ingest.identifier_traces import identifier_traces
from sdc.profile.load import load_profile
from sdc.methods.protect import protect
from sdc.gate import build_suites, comparison_facts, judge, table_facts
from sdc.data.release_pair import ReleasePair
from sdc.catalogue.candidate import Candidate
from sdc.gate.judged import JudgedCandidate
from sdc.report import Edition, RunFacts, page
from sdc.data.warehouse import Warehouse
from sdc.run.randomness import Randomness
path = Path(sys.argv[1])
profile = load_profile(path)
with tempfile.TemporaryDirectory() as place:
    readable = [path.parent / profile.source.path, path.parent / profile.source.population.path]
    with Warehouse.create(Path(place) / "run", limits=profile.limits, readable=readable) as house:
        read = ingest(profile, path.parent, house, NO_SECRET)
        traces = identifier_traces(profile, path.parent, read.sha256, Path(place))
        original = house.database.table("original")
        for name, steps in profile.candidates.items():
            held = original.frame(profile.roles.released, profile.roles)
            drawn = Randomness.from_seed(1)
            made = protect(
                held, profile.roles, steps, name=name, randomness=drawn, missing=profile.missing_keys
            )
            stored = house.store_candidate(name, made.table, profile.roles, made.order)
            pair = ReleasePair(original, stored.table, profile.roles, aligned=True, steps=made.steps)
            taken = [
                assess(c.measure, pair, c.options, alias=c.alias, candidate=name)
                for c in profile.measurements(name)
            ]
            untouched = ReleasePair(original, original, profile.roles, aligned=True)
            of_original = lambda c: assess(
                c.measure, untouched, c.options, alias=c.alias, candidate="original"
            )
            beside = comparison_facts(profile, name, pair, traces, of_original)
            facts = table_facts(profile, stored.table, made.steps)
            facts = {**facts, **{column: fact.number for column, fact in beside.items()}}
            decision = judge(profile, name, taken, facts, build_suites(profile, name, made.steps)).decision
            known = Candidate(name, rows=stored.rows, steps=made.steps)
            about = JudgedCandidate(name, decision, tuple(taken), known)
            run = RunFacts("run", profile, datetime.now(UTC), decision.verdict, (about,))
            page(run, Edition.INTERNAL, pair)
"""


def seconds(command: list[str], environment: dict[str, str], expected: int) -> float:
    started = time.perf_counter()
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == expected, ran.stderr
    return time.perf_counter() - started


def stages(command: list[str], environment: dict[str, str]) -> dict[str, float]:
    """The seconds of each stage of a release, by the time its last line comes."""
    taken, before = {}, time.perf_counter()
    release = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert release.stderr is not None
    for line in release.stderr:
        for said, stage in STAGES.items():
            if said.encode() in line and stage not in taken:
                taken[stage], before = time.perf_counter() - before, time.perf_counter()
    assert release.wait() == 0
    return {**taken, "leaving": time.perf_counter() - before}


def bench_start() -> None:
    with tempfile.TemporaryDirectory() as place:
        demo, environment = Path(place) / "demo", own_environment(Path(place) / "home")
        shutil.copytree(DEMO, demo, ignore=shutil.ignore_patterns("outbox"))
        (demo / "outbox").mkdir()
        sdc, profile = [sys.executable, "-m", "sdc"], str(demo / "published.yaml")
        for label in ("first run in a new home", "second run"):
            worked = os.times()
            taken = stages([*sdc, "release", profile], environment)
            used = sum(os.times()[2:4]) - sum(worked[2:4])
            print(
                f"demonstration, {label}: {sum(taken.values()):.1f} s, {used:.1f} s of the processor without"
                " the server's (limit 12 s)"
            )
            for stage, seconds_of in taken.items():
                print(f"  {seconds_of:5.1f} s  {'█' * round(4 * seconds_of)} {stage}")
        released = next((demo / "outbox").glob("*/households_public_use.csv"))
        assess = ["assess", profile, "--candidate", str(released), "--measure", "k_anonymity"]
        for command in (["check", profile], assess):
            least = min(seconds([*sdc, *command], environment, 0) for _ in range(3))
            print(f"sdc {command[0]}: {least:.2f} s (limit 1.5 s)")
        for label in ("new home", "known home"):
            print(f"embedded server, {label}: {ready_after(Path(place) / 'prefect'):.1f} s (limit 4 s)")


def ready_after(home: Path) -> float:
    settle(home)
    started, server = time.perf_counter(), EmbeddedServer(home)
    server.start()
    server.wait()
    taken = time.perf_counter() - started
    server.stop()
    return taken


def own_environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
    return kept | {"SDC_HOME": str(home)}


def bench_cost() -> None:
    with tempfile.TemporaryDirectory() as place:
        environment = own_environment(Path(place) / "home")
        release = [sys.executable, "-m", "sdc", "release", str(PROFILE), "--quiet"]
        bare = seconds([sys.executable, "-c", BARE, str(PROFILE)], environment, 0)
        print(f"bare steps, imports included: {bare:.1f} s")
        for label in ("first run, embedded server", "second run, embedded server"):
            took = seconds(release, environment, 3)
            print(
                f"{label}: {took:.1f} s, {took / bare:.1f} x the bare steps; overhead {took - bare:.1f} s"
                " (limit 40 s)"
            )
        settle(Path(place) / "prefect")
        server = EmbeddedServer(Path(place) / "prefect")
        server.start()
        server.wait()
        took = seconds(release, environment | {"PREFECT_API_URL": server.url}, 3)
        server.stop()
        print(
            f"running server: {took:.1f} s, {took / bare:.1f} x the bare steps; overhead {took - bare:.1f} s"
            " (limit 8 s)"
        )
        helped = min(seconds([sys.executable, "-m", "sdc", "--help"], environment, 0) for _ in range(3))
        floor = min(seconds([sys.executable, "-c", "import click"], environment, 0) for _ in range(3))
        print(f"sdc --help: {helped:.2f} s, {helped / floor:.1f} x importing click (limit 0.5 s)")


def main() -> None:
    for name in sys.argv[1:] or ("start", "cost"):
        {"start": bench_start, "cost": bench_cost}[name]()


if __name__ == "__main__":
    main()
