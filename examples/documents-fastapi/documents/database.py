"""The table `documents`."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import AsyncConnection
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

Document = dict[str, Any]
"""A row of the table."""

Connection = AsyncConnection[Document]
Pool = AsyncConnectionPool[Connection]

Position = tuple[datetime, UUID]
"""The end of the previous page."""


def create_pool(url: str) -> Pool:
    """Creates a pool that is not open yet."""
    return AsyncConnectionPool(
        url,
        connection_class=AsyncConnection[Document],
        kwargs={"row_factory": dict_row},
        open=False,
    )


async def find_document(db: Connection, id: UUID) -> Document | None:
    cursor = await db.execute("select * from documents where id = %s", [id])
    return await cursor.fetchone()


async def insert_document(
    db: Connection, *, id: UUID, workspace_id: str, owner_id: str, title: str, body: str
) -> Document | None:
    cursor = await db.execute(
        """insert into documents (id, workspace_id, owner_id, title, body)
           values (%s, %s, %s, %s, %s) returning *""",
        [id, workspace_id, owner_id, title, body],
    )
    return await cursor.fetchone()


async def update_document(db: Connection, id: UUID, *, title: str, body: str) -> Document | None:
    cursor = await db.execute(
        "update documents set title = %s, body = %s, updated_at = now() where id = %s returning *",
        [title, body, id],
    )
    return await cursor.fetchone()


async def delete_document(db: Connection, id: UUID) -> None:
    await db.execute("delete from documents where id = %s", [id])


async def list_documents(
    db: Connection,
    workspace_id: str,
    ids: list[str] | None,
    limit: int,
    after: Position | None,
) -> list[Document]:
    """A page of the documents of a workspace, newest first. `ids` are those that the user may view; without
    them, the user may view all."""
    cursor = await db.execute(
        """select * from documents
           where workspace_id = %(workspace_id)s
             and (%(ids)s::uuid[] is null or id = any(%(ids)s::uuid[]))
             and (%(time)s::timestamptz is null or (updated_at, id) < (%(time)s, %(id)s::uuid))
           order by updated_at desc, id desc limit %(limit)s""",
        {
            "workspace_id": workspace_id,
            "ids": ids,
            "time": after and after[0],
            "id": after and after[1],
            "limit": limit,
        },
    )
    return await cursor.fetchall()
