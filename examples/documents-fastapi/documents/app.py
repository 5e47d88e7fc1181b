"""Documents with a table of their own, and daikon to decide who may do what."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Literal
from uuid import UUID, uuid4

from daikon import AsyncClient, Grantee, Resource
from daikon.fastapi import Guards, RequestUser
from daikon.v1.permissions_pb2 import AccessibleResourcesRequest, AccessibleResourcesResponse
from fastapi import Depends, FastAPI, HTTPException
from pydantic import BaseModel

from .database import (
    Document,
    Pool,
    Position,
    delete_document,
    find_document,
    insert_document,
    list_documents,
    update_document,
)
from .outbox import deliver, enqueue, start_delivery

schema = Path(__file__).parent.parent / "schema.sql"
page_size = 20


class DocumentBody(BaseModel):
    title: str
    body: str = ""


class ShareBody(BaseModel):
    permission: Literal["view", "edit"]


def to_resource(id: UUID) -> Resource:
    return Resource("document", id)


def create_app(pool: Pool, daikon: AsyncClient) -> FastAPI:
    guards = Guards(daikon)
    may_view = Depends(guards.require_permission("view", to_resource, hide=True))
    may_edit = Depends(guards.require_permission("edit", to_resource))
    may_manage = Depends(guards.require_permission("manage", to_resource))
    user_of_token = Depends(guards.require_user)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with pool, daikon:
            async with pool.connection() as connection:
                await connection.execute(schema.read_bytes())
            async with start_delivery(pool, daikon):
                yield

    app = FastAPI(lifespan=lifespan)
    guards.handle_errors(app)

    @app.post("/documents", status_code=201)
    async def create(body: DocumentBody, user: RequestUser = user_of_token) -> Document | None:
        owner_id, workspace_id = user.claims["sub"], user.claims["wid"]
        id = uuid4()
        async with pool.connection() as transaction:
            await enqueue(
                transaction,
                {
                    "kind": "register",
                    "id": str(id),
                    "workspace_id": workspace_id,
                    "owner_id": owner_id,
                },
            )
            document = await insert_document(
                transaction,
                id=id,
                workspace_id=workspace_id,
                owner_id=owner_id,
                title=body.title,
                body=body.body,
            )
        # Usually the document is registered immediately. If not, the outbox does it later.
        await deliver(pool, daikon)
        return document

    @app.get("/documents")
    async def list_page(after: str | None = None, user: RequestUser = user_of_token) -> dict[str, Any]:
        ids = await find_viewable(user)
        workspace_id = user.claims["wid"]
        position = read_position(after)
        async with pool.connection() as connection:
            documents = await list_documents(connection, workspace_id, ids, page_size, position)
        is_full = len(documents) == page_size
        return {"documents": documents, "next": write_position(documents[-1]) if is_full else None}

    @app.get("/documents/{id}", dependencies=[may_view])
    async def read(id: UUID) -> Document:
        async with pool.connection() as connection:
            return found(await find_document(connection, id))

    @app.put("/documents/{id}", dependencies=[may_edit])
    async def save(id: UUID, body: DocumentBody) -> Document:
        async with pool.connection() as connection:
            return found(await update_document(connection, id, title=body.title, body=body.body))

    @app.delete("/documents/{id}", status_code=204, dependencies=[may_manage])
    async def delete(id: UUID) -> None:
        async with pool.connection() as transaction:
            await enqueue(transaction, {"kind": "unregister", "id": str(id)})
            await delete_document(transaction, id)
        await deliver(pool, daikon)

    # daikon itself requires that the user may manage the document.
    @app.put("/documents/{id}/shares/users/{user_id}", status_code=204)
    async def share(id: UUID, user_id: UUID, body: ShareBody, user: RequestUser = user_of_token) -> None:
        grantee = Grantee(user_id=user_id)
        await daikon.share(to_resource(id), grantee, body.permission, as_=user.token)

    @app.delete("/documents/{id}/shares/users/{user_id}", status_code=204)
    async def revoke(id: UUID, user_id: UUID, user: RequestUser = user_of_token) -> None:
        await daikon.revoke(to_resource(id), Grantee(user_id=user_id), as_=user.token)

    async def find_viewable(user: RequestUser) -> list[str] | None:
        """The IDs of the documents that the user may view; None if these are all of the workspace."""
        request = AccessibleResourcesRequest(
            service_name="docs",
            resource_type="document",
            action="view",
            workspace_id=user.claims["wid"],
            limit=1,
        )
        response = await daikon.call(
            "PermissionService/Accessible",
            request,
            AccessibleResourcesResponse,
            as_=user.token,
            retry=True,
        )
        if response.has_full_access:
            return None
        return [id async for id in daikon.accessible(user.subject, "view", "document") if is_uuid(id)]

    return app


def found(document: Document | None) -> Document:
    if document is None:
        raise HTTPException(404)
    return document


def is_uuid(text: str) -> bool:
    """Only documents with a UUID are in the table."""
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def write_position(document: Document) -> str:
    position = [document["updated_at"].isoformat(), str(document["id"])]
    return base64.urlsafe_b64encode(json.dumps(position).encode()).decode()


def read_position(text: str | None) -> Position | None:
    if text is None:
        return None
    try:
        time, id = json.loads(base64.urlsafe_b64decode(text))
        return datetime.fromisoformat(time), UUID(id)
    except (ValueError, TypeError, AttributeError) as error:
        raise HTTPException(400, "after must be the next of a previous response") from error
