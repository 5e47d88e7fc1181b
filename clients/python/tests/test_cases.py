from __future__ import annotations

import asyncio
from collections.abc import Iterator

from daikon import AsyncClient, Client, DaikonError
from daikon.testing import AsyncFakeDaikon, FakeDaikon

from .cases import Call, Table
from .conftest import Server


def run_cases(client: Client, other: Client, table: Table, values: dict[str, str]) -> None:
    """Runs the cases in order. `other` names the service of the cases that have one."""
    for case in table.cases_for(client):
        try:
            call = Call(case, values)
            caller = other if "service" in case else client
            result = getattr(caller, call.operation)(*call.args, **call.kwargs)
            call.compare(list(result) if isinstance(result, Iterator) else result)
        except DaikonError as error:
            call.compare_error(error)


async def run_cases_async(
    client: AsyncClient, other: AsyncClient, table: Table, values: dict[str, str]
) -> None:
    for case in table.cases_for(client):
        try:
            call = Call(case, values)
            caller = other if "service" in case else client
            pending = getattr(caller, call.operation)(*call.args, **call.kwargs)
            if call.operation == "resource_id":
                call.compare(pending)
            elif call.operation in ("accessible", "subjects"):
                call.compare([id async for id in pending])
            else:
                call.compare(await pending)
        except DaikonError as error:
            call.compare_error(error)


def add_tokens(fake: FakeDaikon | AsyncFakeDaikon, table: Table) -> dict[str, str]:
    values = dict(table.values)
    for row in table.world["tokens"]:
        seconds = -60 if row.get("state") == "expired" else 900
        access = {"resource": row.get("resource"), "scopes": row.get("scopes", ())}
        access["delegation"] = row.get("delegation")
        token = fake.token(row["userId"], row["workspaceId"], seconds=seconds, **access)
        if row.get("state") == "revoked":
            fake.revoke_token(token)
        if row.get("state") == "forged":
            header, claims, _ = token.split(".")
            token = f"{header}.{claims}.{claims}"
        values[row["name"]] = token
    return values


def test_client(server: Server) -> None:
    table = Table()
    key = server.service_key

    def connect(service: str) -> Client:
        return Client(server.address, service=service, service_key=key, timeout=30)

    with connect(table.service) as client, connect(table.other_service) as other:
        run_cases(client, other, table, server.values)


def test_async_client(other_server: Server) -> None:
    async def run() -> None:
        table = Table()
        key = other_server.service_key

        def connect(service: str) -> AsyncClient:
            return AsyncClient(other_server.address, service=service, service_key=key, timeout=30)

        async with connect(table.service) as client, connect(table.other_service) as other:
            await run_cases_async(client, other, table, other_server.values)

    asyncio.run(run())


def test_fake() -> None:
    table = Table()
    fake, other = (FakeDaikon(**options) for options in (table.fake_options(), table.other_options()))
    run_cases(fake, other, table, add_tokens(fake, table))


def test_async_fake() -> None:
    table = Table()
    fake, other = (AsyncFakeDaikon(**options) for options in (table.fake_options(), table.other_options()))
    asyncio.run(run_cases_async(fake, other, table, add_tokens(fake, table)))
