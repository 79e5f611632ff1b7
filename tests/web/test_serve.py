"""The command `sdc serve`, as a process of its own."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from http.cookiejar import CookieJar

import pytest

from sdc.run.home import Home

pytestmark = pytest.mark.slow
SERVE = [sys.executable, "-m", "sdc", "serve"]


def test_the_printed_address_lets_in_and_the_log_does_not_have_the_token(
    home: Home, finished: Callable[..., str]
):
    run = finished()
    served = subprocess.Popen(
        [*SERVE, "--port", "0"],
        env={**os.environ, "SDC_HOME": str(home.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert served.stdout is not None
        address = next(line for line in served.stdout if line.startswith("http")).strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}", address)
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(address.partition("?")[0])  # noqa: S310
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        answer = browser.open(address)
        assert answer.url == address.partition("?")[0]
        assert run in answer.read().decode()
    finally:
        served.send_signal(signal.SIGINT)
    out, log = served.communicate(timeout=30)
    assert served.returncode in (0, 1, -signal.SIGINT)
    assert "GET / 401" in log
    assert "Traceback" not in log
    assert address.partition("token=")[2] not in log + out


def test_a_port_in_use_and_an_address_others_reach_are_refused_in_a_sentence(home: Home):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        asked = (
            ["--port", str(taken.getsockname()[1])],
            ["--host", "192.0.2.1"],
            ["--host", "0.0.0.0", "--beyond-this-machine"],
        )
        for arguments in asked:
            ended = subprocess.run(
                [*SERVE, *arguments],
                env={**os.environ, "SDC_HOME": str(home.path)},
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
            )
            assert ended.returncode == 2
            assert ended.stderr.startswith("sdc: ")
            assert ended.stderr.count("\n") == 1
