"""Machine code on disk is that of the sources as they are now, and nobody else can put any there."""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sdc.kernels.compiled import digest, store

pytestmark = pytest.mark.slow

NUMBA_S_OWN = "from numba import njit\nkernel = njit(cache=True)\n"
OURS = "from sdc.kernels.compiled import kernel\n"
HELPER = "{imports}\n\n@kernel\ndef factor(x):\n    return {factor} * x\n"
CALLER = "{imports}\nfrom two_modules.helper import factor\n\n\n@kernel\ndef scaled(x):\n    return factor(x) + 1\n"
CALL = "from two_modules.caller import scaled; print(scaled(10), sum(scaled.stats.cache_misses.values()))"


def write_package(folder: Path, imports: str, factor: int) -> None:
    package = folder / "two_modules"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").touch()
    (package / "helper.py").write_text(HELPER.format(imports=imports, factor=factor))
    if not (package / "caller.py").exists():
        (package / "caller.py").write_text(CALLER.format(imports=imports))


def called(folder: Path, **environment: str) -> tuple[int, int, str]:
    """What the kernel gives for 10, how often it was compiled, and what was said."""
    held = {key: value for key, value in os.environ.items() if key != "SDC_KERNELS"}
    paths = {"PYTHONPATH": str(folder), "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    ran = subprocess.run(
        [sys.executable, "-B", "-c", CALL],
        env={**held, **paths, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    value, compiled = ran.stdout.split()
    return int(value), int(compiled), ran.stderr


def kept(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.nbc"))


def test_numba_s_own_cache_runs_old_code_when_another_file_has_changed(tmp_path):
    write_package(tmp_path, NUMBA_S_OWN, factor=2)
    assert called(tmp_path)[0] == 21
    write_package(tmp_path, NUMBA_S_OWN, factor=3)
    assert called(tmp_path)[0] == 21  # 31 would be right: this is why kernels have a decorator of their own


def test_a_kernel_is_compiled_anew_when_one_it_calls_has_changed_in_another_file(tmp_path):
    write_package(tmp_path, OURS, factor=2)
    assert called(tmp_path)[:2] == (21, 1)
    write_package(tmp_path, OURS, factor=3)
    assert called(tmp_path)[:2] == (31, 1)


def test_a_kernel_is_compiled_once_and_says_so(tmp_path):
    write_package(tmp_path, OURS, factor=2)
    value, compiled, said = called(tmp_path)
    assert (value, compiled) == (21, 1)
    assert said.startswith("compiling kernels (up to a minute), caller.scaled first; kept in ")
    assert called(tmp_path) == (21, 0, "")


def test_machine_code_is_kept_beside_the_sources_in_a_directory_of_the_user_alone(tmp_path):
    write_package(tmp_path, OURS, factor=2)
    called(tmp_path)
    (directory,) = {path.parent for path in kept(tmp_path)}
    assert directory.parent == tmp_path / "two_modules" / "__pycache__"
    assert directory.stat().st_mode & 0o777 == 0o700
    assert directory.stat().st_uid == os.getuid()


def test_another_directory_can_be_named(tmp_path):
    write_package(tmp_path, OURS, factor=2)
    called(tmp_path, SDC_KERNELS=str(tmp_path / "elsewhere"))
    assert len(kept(tmp_path)) == len(kept(tmp_path / "elsewhere")) == 2
    assert (tmp_path / "elsewhere").stat().st_mode & 0o777 == 0o700


def test_machine_code_goes_to_the_user_s_cache_where_the_package_has_no_room(tmp_path):
    write_package(tmp_path, OURS, factor=2)
    (tmp_path / "two_modules" / "__pycache__").touch()
    assert called(tmp_path)[:2] == (21, 1)
    assert len(kept(tmp_path / "cache" / "sdc-release")) == 2
    assert called(tmp_path) == (21, 0, "")


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_a_directory_that_others_can_write_to_is_not_used(tmp_path, mode):
    write_package(tmp_path, OURS, factor=2)
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(mode)
    for _ in range(2):
        value, compiled, said = called(tmp_path, SDC_KERNELS=str(shared))
        assert (value, compiled) == (21, 1)
        assert "not kept: there is no directory that only this user can write to" in said
    assert kept(tmp_path) == []


def test_a_directory_opened_to_others_later_is_not_read(tmp_path):
    write_package(tmp_path, OURS, factor=2)
    called(tmp_path)
    kept(tmp_path)[0].parent.chmod(0o777)
    assert called(tmp_path)[1] == 1


def test_a_damaged_file_is_compiled_anew(tmp_path):
    write_package(tmp_path, OURS, factor=2)
    called(tmp_path)
    for path in kept(tmp_path):
        path.write_bytes(path.read_bytes()[:-1])
    assert called(tmp_path)[:2] == (21, 1)
    assert called(tmp_path)[:2] == (21, 0)


@pytest.mark.parametrize("broken", ["no pickle", "nothing numba can rebuild"])
def test_a_whole_file_that_holds_no_code_of_this_numba_is_compiled_anew(tmp_path, broken):
    """Its checksum is right, and what it holds is of no use: as another version of a library may leave it."""
    write_package(tmp_path, OURS, factor=2)
    called(tmp_path)
    for path in kept(tmp_path):
        key = re.search(rb"\('[0-9a-f]{64}', .*?\)\)\)?(?=\x94)", path.read_bytes()[32:], re.DOTALL)
        assert key, "the key of a file stands in it as text"
        content = b"no pickle" if broken == "no pickle" else pickle.dumps((key[0].decode(), ("nothing",)))
        path.write_bytes(hashlib.sha256(content).digest() + content)
    assert called(tmp_path)[:2] == (21, 1)
    assert called(tmp_path)[:2] == (21, 0)


def test_code_of_sources_changed_meanwhile_is_not_kept(tmp_path):
    write_package(tmp_path, OURS, factor=2)
    change = "from two_modules.caller import scaled; open('two_modules/helper.py', 'a').write('#'); print(scaled(10))"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-B", "-c", change], cwd=tmp_path, env=environment, check=True)
    assert kept(tmp_path) == []


def test_every_file_of_the_package_and_its_folders_is_in_the_digest(tmp_path):
    (tmp_path / "folder").mkdir()
    found = {digest(tmp_path)}
    for name in ("a.py", "b.py", "folder/a.py"):
        (tmp_path / name).write_text("x = 1")
        found.add(digest(tmp_path))
    assert len(found) == 4


def test_a_package_without_sources_keeps_nothing(tmp_path):
    assert store(tmp_path).directory is None


def test_caches_of_other_packages_stay_as_they_are(tmp_path):
    write_package(tmp_path, OURS, factor=2)
    other = tmp_path / "other.py"
    other.write_text("from numba import njit\n\n\n@njit(cache=True)\ndef twice(x):\n    return 2 * x\n")
    script = "import two_modules.caller, other; print(other.twice(1), other.twice.stats.cache_path)"
    ran = subprocess.run(
        [sys.executable, "-B", "-c", script],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == ["2", str(tmp_path / "__pycache__")]
