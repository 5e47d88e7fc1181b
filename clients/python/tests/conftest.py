from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

root = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Server:
    """A running server with the world of clients/cases.json."""

    address: str
    service_key: str
    values: dict[str, str]


def start_server() -> Iterator[Server]:
    command = ["node", "test/support/client-cases-server.ts"]
    with subprocess.Popen(
        command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout
        line = process.stdout.readline()
        facts = json.loads(line or "null")
        assert facts, "the server did not start"
        yield Server(facts["address"], facts["serviceKey"], facts["values"])
        process.stdin.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The server whose world the cases of the synchronous client change."""
    yield from start_server()


@pytest.fixture
def other_server() -> Iterator[Server]:
    """A separate server."""
    yield from start_server()
