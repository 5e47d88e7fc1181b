"""Watches of a server are tested by test/clients/watch.test.ts."""

from __future__ import annotations

import asyncio

import pytest
from daikon import CancelledError, Client, DaikonError, InvalidArgumentError
from daikon.testing import AsyncFakeDaikon, FakeDaikon


def test_fakes_have_no_activity_log() -> None:
    with FakeDaikon() as fake, pytest.raises(DaikonError) as raised:
        next(fake.watch())
    assert raised.value.code == "unimplemented"

    async def watch() -> None:
        async with AsyncFakeDaikon() as fake:
            with pytest.raises(DaikonError) as raised:
                await anext(fake.watch())
            assert raised.value.code == "unimplemented"

    asyncio.run(watch())


def test_a_string_of_actions_is_rejected() -> None:
    with (
        Client("localhost:1", service="docs", service_key="dk") as client,
        pytest.raises(InvalidArgumentError) as raised,
    ):
        client.watch(actions="member.*")
    assert [field.field for field in raised.value.fields] == ["actions"]


def test_a_closed_client_does_not_watch() -> None:
    client = Client("localhost:1", service="docs", service_key="dk")
    client.close()
    with pytest.raises(CancelledError):
        next(client.watch())
