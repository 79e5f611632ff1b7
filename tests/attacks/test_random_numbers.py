"""Attacks on random numbers: guess the seed, use the same numbers twice, read the secret."""

from __future__ import annotations

import hashlib
import pickle
import stat
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

from sdc.data.warehouse import Warehouse
from sdc.ingest import ingest
from sdc.methods.protect import leaving_order
from sdc.profile.load import load_profile
from sdc.publish.candidates import make
from sdc.run.home import Home
from sdc.run.randomness import Randomness
from sdc.run.secret import Secret, SecretUnusable

SEED = 20250127
PROFILE = f"""
name: panel
seed: {SEED}
source: {{path: panel.csv, record_key: [person]}}
variables:
  person: direct_identifier
  home: household
  region: quasi_identifier
  income: {{role: sensitive, type: numeric}}
candidates:
  noisy:
    - {{method: additive_noise, with: {{variables: [income], level: 0.2}}}}
risk:
  - {{measure: k_anonymity, at_least: 3, because: rule 1}}
"""


def panel(changed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    homes = np.repeat(np.arange(400), 3)
    people = pd.DataFrame(
        {
            "person": np.arange(1200),
            "home": homes + 7000,
            "region": rng.choice(["a", "b"], 1200),
            "income": rng.normal(3000, 500, 1200),
        }
    )
    people.loc[: changed - 1, "income"] += 1000
    return people


def released(
    folder: Path, people: pd.DataFrame, secret: Secret, *replacements: tuple[str, str]
) -> pd.DataFrame:
    """The published records in the order in which they leave, each with the person it is of and that person's true income."""
    folder.mkdir()
    people.to_csv(folder / "panel.csv", index=False)
    text = PROFILE
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    (folder / "profile.yaml").write_text(text)
    profile = load_profile(folder / "profile.yaml")
    with Warehouse.create(folder / "run", readable=[folder / "panel.csv"]) as warehouse:
        ingested = ingest(profile, folder, warehouse, secret)
        name, plans = next(iter(profile.candidates.items()))
        randomness = Randomness.of_release(secret, profile, ingested.sha256)
        made = make(profile, folder, warehouse, name, randomness)
        order = leaving_order(randomness.of_candidate(name, plans), made.rows)
        out = pd.read_parquet(made.path)
    return out.assign(
        person=people["person"].to_numpy()[order],
        noise=out["income"].to_numpy() - people["income"].to_numpy()[order],
    )


OURS = Secret(bytes(range(32)))


@pytest.mark.parametrize(
    ("people", "secret", "replacements"),
    [
        pytest.param(panel(36), OURS, [], id="next quarter"),
        pytest.param(panel(), Secret(b"x" * 32), [], id="another home"),
        pytest.param(panel(), OURS, [(f"seed: {SEED}", "seed: 7")], id="another seed"),
        pytest.param(panel(), OURS, [("name: panel", "name: other")], id="another profile"),
        pytest.param(panel(), OURS, [("level: 0.2", "level: 0.3")], id="other options"),
        pytest.param(panel(), OURS, [("  noisy:", "  other:")], id="another candidate"),
    ],
)
def test_two_releases_share_no_order_no_noise_and_no_household_numbers(
    tmp_path, people, secret, replacements
):
    first = released(tmp_path / "first", panel(), OURS)
    second = released(tmp_path / "second", people, secret, *replacements)
    in_place = int((first["person"] == second["person"]).sum())
    # Of random orders one record is expected in its place, with variance 1.
    assert in_place <= 8
    both = first.merge(second, on="person", suffixes=("", "_then"))
    assert len(both) == 1200
    # The standard deviation of a correlation of 1,200 unrelated numbers is 0.029.
    assert abs(np.corrcoef(both["noise"], both["noise_then"])[0, 1]) < 0.15
    assert int((both["home"].astype(str) == both["home_then"].astype(str)).sum()) <= 3 * 8


def test_the_same_release_again_has_the_same_bytes_also_under_another_title(tmp_path):
    first = released(tmp_path / "first", panel(), OURS)
    again = released(
        tmp_path / "again",
        panel(),
        OURS,
        ("name: panel", "name: panel\ntitle: A panel of households\nlimits: {threads: 1}"),
    )
    pd.testing.assert_frame_equal(first, again)


@pytest.mark.slow
def test_a_seed_that_looks_like_a_date_does_not_give_the_noise_away(tmp_path):
    noise = released(tmp_path / "first", panel(), OURS)
    values = np.sort(noise["noise"].to_numpy())
    days = [date(2015, 1, 1) + timedelta(days=day) for day in range(15 * 366)]
    names = ["method", "noisy", "1", "additive_noise"]
    for day in days:
        seed = int(f"{day:%Y%m%d}")
        known = hashlib.sha256("\x1f".join([str(seed), *names]).encode()).digest()
        guessed = np.random.Generator(np.random.PCG64(int.from_bytes(known[:16], "big"))).standard_normal(5)
        scaled = 0.2 * panel()["income"].std() * guessed
        assert np.abs(values[:, np.newaxis] - scaled).min(axis=0).max() > 1e-9, seed
    public = (
        Randomness.from_seed(SEED).of_candidate("noisy", []).stream(*names[:1], *names[2:]).standard_normal(5)
    )
    assert np.abs(values[:, np.newaxis] - 0.2 * panel()["income"].std() * public).min(axis=0).max() > 1e-9


def test_a_stream_is_the_key_stream_of_chacha20():
    randomness = Randomness(bytes(range(32)))
    stream = randomness.stream("order")
    key = randomness.below("stream", "order").key
    expected = Cipher(algorithms.ChaCha20(key, bytes(16)), mode=None).encryptor().update(bytes(800))
    assert stream.bit_generator.random_raw(100).astype("<u8").tobytes() == expected


def test_streams_and_their_children_are_unlike_each_other_and_the_same_again():
    randomness = Randomness(bytes(range(32)))
    stream = randomness.stream("order")
    first, second = stream.spawn(2)
    (third,) = stream.spawn(1)
    drawn = [
        tuple(each.integers(2**63, size=4))
        for each in (
            stream,
            first,
            second,
            third,
            randomness.stream("order", "1"),
            randomness.stream("noise"),
        )
    ]
    assert len(set(drawn)) == len(drawn)
    assert tuple(randomness.stream("order").integers(2**63, size=4)) == drawn[0]
    assert tuple(randomness.stream("order").spawn(3)[2].integers(2**63, size=4)) == drawn[3]


def test_keys_are_neither_shown_nor_written_down():
    randomness, secret = Randomness(b"k" * 32), Secret(b"k" * 32)
    for shown in (
        repr(randomness),
        str(randomness),
        repr(secret),
        randomness.fingerprint,
        secret.fingerprint,
    ):
        assert "kkkk" not in shown
        assert "6b6b" not in shown
    with pytest.raises(TypeError, match="never written down"):
        pickle.dumps(randomness.stream("order"))


def test_a_home_makes_its_secret_once_for_its_owner_only(tmp_path, monkeypatch):
    monkeypatch.delenv("SDC_SECRET")
    home = Home.at(tmp_path / "home")
    first = Secret.of(home)
    assert stat.S_IMODE(home.secret.stat().st_mode) == 0o600
    assert len(bytes.fromhex(home.secret.read_text())) == 32
    assert Secret.of(home) == first != Secret.of(Home.at(tmp_path / "other"))
    assert [place.name for place in home.path.iterdir() if "secret" in place.name] == ["secret"]


def test_a_secret_may_come_from_outside_and_must_be_one(tmp_path, monkeypatch):
    home = Home.at(tmp_path / "home")
    monkeypatch.setenv("SDC_SECRET", "ab" * 32)
    assert Secret.of(home).key == b"\xab" * 32
    assert not home.secret.exists()
    for wrong in ("", "20250127", "ab" * 31, "xy" * 32):
        monkeypatch.setenv("SDC_SECRET", wrong)
        with pytest.raises(SecretUnusable, match=r"SDC_SECRET.*256 random bits") as refused:
            Secret.of(home)
        assert not wrong or wrong not in str(refused.value)
    monkeypatch.delenv("SDC_SECRET")
    place = tmp_path / "secret"
    monkeypatch.setenv("SDC_SECRET_FILE", str(place))
    with pytest.raises(SecretUnusable, match="does not exist"):
        Secret.of(home)
    place.write_text("cd" * 32 + "\n")
    place.chmod(0o644)
    with pytest.raises(SecretUnusable, match="chmod 600"):
        Secret.of(home)
    place.chmod(0o600)
    assert Secret.of(home).key == b"\xcd" * 32
