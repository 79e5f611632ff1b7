"""The container file is true to the repository: the lock, the paths it copies, no root, a Python that is allowed."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "container" / "Dockerfile"


@pytest.fixture(scope="module")
def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"\\\n", " ", FILE.read_text())
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def said(instructions: list[tuple[str, str]], word: str) -> list[str]:
    return [rest for name, rest in instructions if name == word]


def test_packages_come_from_the_lock_with_their_hashes(instructions):
    installs = [rest for rest in said(instructions, "RUN") if "pip install" in rest]
    assert [rest for rest in installs if "--require-hashes -r requirements.lock" in rest]
    assert all("--no-deps" in rest for rest in installs)
    assert not [rest for rest in said(instructions, "RUN") if re.search(r"curl|wget|apt-get", rest)]


def test_every_path_it_copies_from_the_repository_exists(instructions):
    copied = [rest.split()[:-1] for rest in said(instructions, "COPY") if not rest.startswith("--from")]
    paths = [path for line in copied for path in line]
    assert {"requirements.lock", "pyproject.toml", "sdc", "tasks", "flows", "profiles"} <= {*paths}
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_file_that_the_wheel_needs_is_copied(instructions):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {
        project["project"]["readme"],
        *project["project"]["license-files"],
        *wheel["packages"],
        *wheel["force-include"],
    }
    copied = {path for rest in said(instructions, "COPY") for path in rest.split()}
    assert [path for path in needed if path not in copied and path.split("/")[0] not in copied] == []


def test_the_base_is_pinned_and_its_python_is_allowed(instructions):
    (base,) = [rest.partition("=")[2] for rest in said(instructions, "ARG") if rest.startswith("BASE=")]
    name, _, tag = base.partition(":")
    assert name == "python"
    assert "latest" not in FILE.read_text()
    version = tuple(int(part) for part in re.match(r"(\d+)\.(\d+)", tag).groups())
    allowed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert version >= tuple(int(part) for part in re.fullmatch(r">=(\d+)\.(\d+)", allowed).groups())
    assert all(rest.split()[0] == "${BASE}" for rest in said(instructions, "FROM"))
    assert len(said(instructions, "FROM")) == 2


def test_it_runs_as_a_user_without_rights_with_kernels_compiled_before(instructions):
    last = len(instructions) - 1 - [word for word, _ in reversed(instructions)].index("FROM")
    words = instructions[last:]
    (user,) = said(words, "USER")
    assert user not in ("root", "0")
    assert [
        rest
        for rest in said(words, "RUN")
        if f"useradd --uid 10001 --create-home --shell /usr/sbin/nologin {user}" in rest
    ]
    order = [f"{word} {rest}" for word, rest in words]
    assert (
        order.index(f"USER {user}")
        < order.index("RUN python -m sdc.kernels")
        < order.index('ENTRYPOINT ["sdc"]')
    )
    assert said(words, "VOLUME") == ["/home/sdc"]
    assert "SDC_HOME=/home/sdc/.sdc" in said(words, "ENV")[0]


def test_no_secret_is_built_into_it():
    assert not re.search(r"SDC_SECRET|SDC_WAREHOUSE_KEY|PASSWORD|TOKEN", FILE.read_text())


def test_the_page_says_that_it_was_not_built():
    assert "It has not been built" in (ROOT / "docs" / "container.md").read_text()


def test_nothing_else_of_the_repository_reaches_the_engine(instructions):
    ignored = (FILE.parent / "Dockerfile.dockerignore").read_text().splitlines()
    taken = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    copied = [rest.split()[:-1] for rest in said(instructions, "COPY") if not rest.startswith("--from")]
    assert ignored[1] == "*"
    assert taken == {path for line in copied for path in line}
    assert {"**/.sdc", "**/__pycache__"} <= {*ignored}
