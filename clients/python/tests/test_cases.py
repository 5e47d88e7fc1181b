from __future__ import annotations

import asyncio
from collections.abc import Iterator

from daikon import AsyncClient, Client, DaikonError
from daikon.testing import AsyncFakeDaikon, FakeDaikon

from .cases import Call, Table
from .conftest import Server


def run_cases(client: Client, table: Table, values: dict[str, str]) -> None:
    for case in table.cases:
        try:
            call = Call(case, values)
            result = getattr(client, call.operation)(*call.args, **call.kwargs)
            call.compare(list(result) if isinstance(result, Iterator) else result)
        except DaikonError as error:
            call.compare_error(error)


async def run_cases_async(client: AsyncClient, table: Table, values: dict[str, str]) -> None:
    for case in table.cases:
        try:
            call = Call(case, values)
            pending = getattr(client, call.operation)(*call.args, **call.kwargs)
            if call.operation == "resource_id":
                call.compare(pending)
            elif call.operation == "accessible":
                call.compare([id async for id in pending])
            else:
                call.compare(await pending)
        except DaikonError as error:
            call.compare_error(error)


def add_tokens(fake: FakeDaikon | AsyncFakeDaikon, table: Table) -> dict[str, str]:
    values = dict(table.values)
    for row in table.world["tokens"]:
        seconds = -60 if row.get("state") == "expired" else 900
        token = fake.token(row["userId"], row["workspaceId"], seconds=seconds)
        if row.get("state") == "revoked":
            fake.revoke_token(token)
        values[row["name"]] = token
    return values


def test_client(server: Server) -> None:
    table = Table()
    key = server.service_key
    with Client(server.address, service=table.service, service_key=key, timeout=30) as client:
        run_cases(client, table, server.values)


def test_async_client(other_server: Server) -> None:
    async def run() -> None:
        table = Table()
        key = other_server.service_key
        async with AsyncClient(
            other_server.address, service=table.service, service_key=key, timeout=30
        ) as client:
            await run_cases_async(client, table, other_server.values)

    asyncio.run(run())


def test_fake() -> None:
    table = Table()
    fake = FakeDaikon(**table.fake_options())
    run_cases(fake, table, add_tokens(fake, table))


def test_async_fake() -> None:
    table = Table()
    fake = AsyncFakeDaikon(**table.fake_options())
    asyncio.run(run_cases_async(fake, table, add_tokens(fake, table)))
