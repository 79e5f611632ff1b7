"""Lays a bundle into a folder as others expect it: as it is, a Git repository, CKAN or NADA."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from sdc.errors import CannotDeliver
from sdc.publish.manifest import MANIFEST
from sdc.run import digest, durable

INCOMING = ".incoming-"
GIT = {
    "GIT_AUTHOR_NAME": "sdc-release",
    "GIT_AUTHOR_EMAIL": "sdc-release@localhost",
    "GIT_COMMITTER_NAME": "sdc-release",
    "GIT_COMMITTER_EMAIL": "sdc-release@localhost",
    "GIT_TERMINAL_PROMPT": "0",
}


def lay(bundle: Path, folder: Path, layout: str) -> None:
    """The bundle in the folder, whole or not at all; one of its name that is there must be the same."""
    try:
        if layout == "git":
            require_repository(folder)
        place = folder / bundle.name
        if place.exists():
            _require_same(bundle, place)
        else:
            _move_in(bundle, place, _extra(bundle, layout))
        if layout == "git":
            commit(folder, bundle.name, f"Release {bundle.name}")
    except OSError as error:
        raise CannotDeliver(folder, durable.reason(error)) from None


def _extra(bundle: Path, layout: str) -> dict[str, bytes]:
    """The files a layout adds to those of the bundle."""
    if layout == "ckan":
        return {"package.json": _as_json(_ckan(bundle))}
    if layout == "nada":
        if not (bundle / "ddi.xml").is_file():
            raise CannotDeliver(bundle.name, "NADA needs ddi.xml; add ddi to publish.metadata")
        return {"resources.json": _as_json(_nada(bundle))}
    return {}


def _as_json(held: Any) -> bytes:
    return json.dumps(held, ensure_ascii=False, indent=2).encode() + b"\n"


def _move_in(bundle: Path, place: Path, extra: dict[str, bytes]) -> None:
    fresh = place.with_name(f"{INCOMING}{place.name}")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        shutil.copytree(bundle, fresh)
        for name, data in extra.items():
            durable.write(fresh / name, data, 0o644)
        _require_same(bundle, fresh)
        fresh.rename(place)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def _require_same(bundle: Path, place: Path) -> None:
    for each in json.loads((bundle / MANIFEST).read_bytes())["files"]:
        copy = place / each["path"]
        if not copy.is_file() or digest.of_file(copy) != each["sha256"]:
            raise CannotDeliver(
                place.parent, f"{each['path']} of {place.name} there is not that of the bundle"
            )
    if not (place / MANIFEST).is_file() or digest.of_file(place / MANIFEST) != digest.of_file(
        bundle / MANIFEST
    ):
        raise CannotDeliver(place.parent, f"another bundle {place.name} is there")


def _package(bundle: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads((bundle / "datapackage.json").read_bytes())
    return held


def _ckan(bundle: Path) -> dict[str, Any]:
    """A dataset as CKAN's action `package_create` takes it; files are resources to be uploaded."""
    held = _package(bundle)
    publisher: dict[str, str] = next(iter(held.get("contributors", [])), {})
    licence: dict[str, str] = next(iter(held.get("licenses", [])), {})
    described = {
        "name": held["name"],
        "title": held["title"],
        "notes": held.get("description", ""),
        "version": held.get("version", ""),
        "author": publisher.get("title", ""),
        "maintainer_email": publisher.get("email", ""),
        "license_id": licence.get("name", ""),
        "license_url": licence.get("path", ""),
    }
    formats = {each["path"]: each for each in held["resources"]}
    listed = json.loads((bundle / MANIFEST).read_bytes())["files"]
    resources = [
        {
            "name": each["path"],
            "url": each["path"],
            "format": formats.get(each["path"], {}).get("format", each["path"].rsplit(".", 1)[-1]).upper(),
            "mimetype": formats.get(each["path"], {}).get("mediatype", ""),
            "size": each["bytes"],
            "hash": f"sha256:{each['sha256']}",
        }
        for each in listed
    ]
    return {**{key: value for key, value in described.items() if value}, "resources": resources}


def _nada(bundle: Path) -> list[dict[str, Any]]:
    """External resources as NADA imports them beside the DDI file of a study."""
    data = {each["path"] for each in _package(bundle)["resources"]}
    return [
        {
            "dctype": "dat/micro" if each["path"] in data else "doc/oth",
            "title": each["path"],
            "filename": each["path"],
            "dcformat": each["path"].rsplit(".", 1)[-1],
        }
        for each in json.loads((bundle / MANIFEST).read_bytes())["files"]
        if each["path"] != "ddi.xml"
    ]


def require_repository(folder: Path) -> None:
    if shutil.which("git") is None:
        raise CannotDeliver(folder, "git is not installed here")
    if not (folder / ".git").exists():
        raise CannotDeliver(folder, "it is no Git repository; make one with git init")


def commit(folder: Path, name: str, message: str) -> None:
    """One commit that holds the bundle and nothing else; none where the repository has it as it is."""
    require_repository(folder)
    _git(folder, "add", "--", name)
    if _git(folder, "status", "--porcelain", "--", name).strip():
        _git(folder, "commit", "--quiet", "--no-verify", "-m", message, "--", name)


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(  # noqa: S603 - fixed words, and names that a profile may have
        ["git", "-C", str(folder), *words],  # noqa: S607
        env={**os.environ, **GIT},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CannotDeliver(folder, f"git {words[0]} ended with {done.returncode}")
    return done.stdout
