"""Operations on links."""

from __future__ import annotations

from datetime import date, datetime, timezone
from typing import Any, cast

from . import _arguments as arguments
from ._changes import change, ignore, key_of, read_condition, set_context, set_terms
from ._operations import Operation
from .types import Condition, Context, Link, NewLink, Permission, Resource
from .v1 import links_pb2


def create_link(
    service: str,
    resource: Resource,
    permission: Permission | None,
    role: str | None,
    name: str | None,
    expires_at: datetime | None,
    condition: Condition | None,
    token: str | None,
    context: Context | None,
) -> Operation[NewLink]:
    granted_permission, granted_role = arguments.name_grant(permission, role)
    request = links_pb2.CreateLinkRequest(
        **key_of(service, resource),
        permission=granted_permission,
        role=granted_role,
        name=None if name is None else arguments.require_text("name", name),
    )
    set_terms(request, expires_at, condition)
    set_context(request, context)

    def read(created: links_pb2.CreatedLink) -> NewLink:
        return NewLink(**_read_fields(created), token=created.token)

    # A repeated call would create another link.
    return change("CreateLink", request, links_pb2.CreatedLink, read, token=token, retry=False)


def list_links(
    service: str, resource: Resource, token: str | None, context: Context | None
) -> Operation[list[Link]]:
    request = links_pb2.ListLinksRequest(**key_of(service, resource))
    set_context(request, context)

    def read(response: links_pb2.ListLinksResponse) -> list[Link]:
        return [Link(**_read_fields(link)) for link in response.links]

    return change("ListLinks", request, links_pb2.ListLinksResponse, read, token=token)


def delete_link(
    service: str, resource: Resource, link_id: str, token: str | None, context: Context | None
) -> Operation[None]:
    request = links_pb2.DeleteLinkRequest(
        **key_of(service, resource), link_id=arguments.require_text("link_id", link_id)
    )
    set_context(request, context)
    response_type = links_pb2.DeleteLinkResponse
    return change("DeleteLink", request, response_type, ignore, token=token, success_reason="LINK_NOT_FOUND")


def _read_fields(link: links_pb2.ResourceLink | links_pb2.CreatedLink) -> dict[str, Any]:
    has_end, is_used = link.HasField("expires_at"), link.HasField("last_used_on")
    return {
        "id": link.id,
        "permission": cast(Permission, link.permission) if link.HasField("permission") else None,
        "role": link.role if link.HasField("role") else None,
        "name": link.name if link.HasField("name") else None,
        "created_by": link.created_by if link.HasField("created_by") else None,
        "created_at": link.created_at.ToDatetime(timezone.utc),
        "expires_at": link.expires_at.ToDatetime(timezone.utc) if has_end else None,
        "last_used_on": date.fromisoformat(link.last_used_on) if is_used else None,
        "condition": read_condition(link.condition) if link.HasField("condition") else None,
    }
