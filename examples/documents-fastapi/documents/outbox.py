"""Calls to daikon that must happen because a transaction was committed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal, TypedDict

from daikon import AsyncClient, DaikonError, NotFoundError, Resource
from psycopg.types.json import Jsonb

from .database import Connection, Pool

log = logging.getLogger(__name__)


class RegisterCall(TypedDict):
    kind: Literal["register"]
    id: str
    workspace_id: str
    owner_id: str


class UnregisterCall(TypedDict):
    kind: Literal["unregister"]
    id: str


OutboxCall = RegisterCall | UnregisterCall


async def enqueue(transaction: Connection, call: OutboxCall) -> None:
    """Writes a call in the transaction of the change that needs it: both are committed, or neither."""
    await transaction.execute("insert into outbox (call) values (%s)", [Jsonb(call)])


async def deliver(pool: Pool, daikon: AsyncClient) -> None:
    """Makes the calls that are due, in order, and deletes those that succeeded. Stops at the first one for
    which daikon is not available. Several processes may run this: only one at a time delivers."""
    async with pool.connection() as transaction:
        cursor = await transaction.execute("select pg_try_advisory_xact_lock(hashtext('outbox')) as is_locked")
        row = await cursor.fetchone()
        if row and row["is_locked"]:
            while await _deliver_next(transaction, daikon):
                pass


@asynccontextmanager
async def start_delivery(pool: Pool, daikon: AsyncClient) -> AsyncIterator[None]:
    """Delivers every second what could not be delivered immediately."""

    async def run() -> None:
        while True:
            try:
                await deliver(pool, daikon)
            except Exception as error:
                log.error("outbox: %s", error)
            await asyncio.sleep(1)

    task = asyncio.create_task(run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _deliver_next(transaction: Connection, daikon: AsyncClient) -> bool:
    cursor = await transaction.execute("select id, call from outbox where error is null order by id limit 1")
    entry = await cursor.fetchone()
    if entry is None:
        return False
    try:
        await _send(daikon, entry["call"])
    except DaikonError as error:
        if error.code in ("unavailable", "deadline_exceeded", "resource_exhausted", "cancelled"):
            return False
        # A mistake that a retry does not correct: keep it for a person to look at.
        await transaction.execute("update outbox set error = %s where id = %s", [str(error), entry["id"]])
        return True
    await transaction.execute("delete from outbox where id = %s", [entry["id"]])
    return True


async def _send(daikon: AsyncClient, call: Any) -> None:
    """Both calls may run twice: registering again changes nothing, and so does a resource that is gone."""
    resource = Resource("document", call["id"])
    if call["kind"] == "register":
        await daikon.register(resource, workspace_id=call["workspace_id"], owner_id=call["owner_id"])
        return
    try:
        await daikon.unregister(resource)
    except NotFoundError:
        pass
