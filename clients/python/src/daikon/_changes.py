"""Operations on resources and their shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timezone
from typing import Any, Protocol, TypedDict, TypeVar, cast
from uuid import UUID

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct

from . import _arguments as arguments
from ._operations import Operation
from .types import (
    Ancestor,
    Condition,
    Context,
    Grantee,
    NewShare,
    Permission,
    RegisteredResource,
    Registration,
    Resource,
    ResourceKey,
    Share,
    Visibility,
)
from .v1 import acknowledgement_pb2, permissions_pb2

Result = TypeVar("Result")


class _Key(TypedDict):
    service_name: str
    resource_type: str
    resource_id: str


class _ConditionMessage(Protocol):
    name: str

    @property
    def params(self) -> Struct: ...


def register(service: str, registration: Registration) -> Operation[RegisteredResource]:
    request = _register_request(service, registration)
    return change("Register", request, permissions_pb2.ResourcePermissionResponse, _read_resource)


def register_many(service: str, registrations: Iterable[Registration]) -> Operation[list[RegisteredResource]]:
    resources = [_register_request(service, registration) for registration in registrations]

    def read(response: permissions_pb2.RegisterBatchResponse) -> list[RegisteredResource]:
        return [_read_resource(record) for record in response.resources]

    request = permissions_pb2.RegisterBatchRequest(resources=resources)
    return change("RegisterBatch", request, permissions_pb2.RegisterBatchResponse, read)


def get(service: str, resource: Resource) -> Operation[RegisteredResource]:
    request = permissions_pb2.GetResourceRequest(
        **key_of(service, resource), with_names=True, with_ancestors=True
    )
    return change("GetResource", request, permissions_pb2.ResourcePermissionResponse, _read_resource)


def unregister(
    service: str, resource: Resource, cascade: bool, token: str | None, context: Context | None
) -> Operation[None]:
    request = permissions_pb2.UnregisterRequest(**key_of(service, resource), cascade=cascade)
    set_context(request, context)
    return change(
        "Unregister",
        request,
        permissions_pb2.UnregisterResponse,
        ignore,
        token=token,
        success_reason="RESOURCE_NOT_FOUND",
    )


def share(service: str, new: NewShare, token: str | None, context: Context | None) -> Operation[Share]:
    permission, role = arguments.name_grant(new.permission, new.role)
    request = permissions_pb2.ShareRequest(
        **key_of(service, new.resource),
        **arguments.name_grantee(new.grantee),
        permission=permission,
        role=role,
    )
    set_terms(request, new.expires_at, new.condition)
    set_context(request, context)
    return change("Share", request, permissions_pb2.ShareResponse, read_share, token=token)


def share_many(
    service: str, shares: Iterable[NewShare], token: str | None, context: Context | None
) -> Operation[list[Share]]:
    request = permissions_pb2.ShareBatchRequest()
    for new in shares:
        permission, role = arguments.name_grant(new.permission, new.role)
        item = permissions_pb2.ShareItem(
            **key_of(service, new.resource),
            **arguments.name_grantee(new.grantee),
            permission=permission,
            role=role,
        )
        set_terms(item, new.expires_at, new.condition)
        request.shares.append(item)
    set_context(request, context)

    def read(response: permissions_pb2.ShareBatchResponse) -> list[Share]:
        return [read_share(record) for record in response.shares]

    return change("ShareBatch", request, permissions_pb2.ShareBatchResponse, read, token=token)


def revoke(
    service: str, resource: Resource, grantee: Grantee, token: str | None, context: Context | None
) -> Operation[None]:
    # Older servers require a permission; none compares it with the share's.
    request = permissions_pb2.ShareRequest(
        **key_of(service, resource), **arguments.name_grantee(grantee), permission="view"
    )
    set_context(request, context)
    return change(
        "RevokeShare",
        request,
        acknowledgement_pb2.Acknowledgement,
        ignore,
        token=token,
        success_reason="SHARE_NOT_FOUND",
    )


def set_visibility(
    service: str, resource: Resource, visibility: Visibility, token: str | None, context: Context | None
) -> Operation[RegisteredResource]:
    request = permissions_pb2.UpdateVisibilityRequest(
        **key_of(service, resource), visibility=arguments.require_text("visibility", visibility)
    )
    return _update("UpdateVisibility", request, token, context)


def set_attributes(
    service: str,
    resource: Resource,
    attributes: Mapping[str, Any],
    token: str | None,
    context: Context | None,
) -> Operation[RegisteredResource]:
    request = permissions_pb2.UpdateAttributesRequest(**key_of(service, resource))
    request.attributes.update(arguments.require_object("attributes", attributes))
    request.attributes.SetInParent()
    return _update("UpdateAttributes", request, token, context)


def set_display_name(
    service: str, resource: Resource, display_name: str | None, token: str | None, context: Context | None
) -> Operation[RegisteredResource]:
    request = permissions_pb2.UpdateResourceRequest(**key_of(service, resource))
    if display_name is None:
        request.remove_display_name = True
    else:
        request.display_name = arguments.require_text("display_name", display_name)
    return _update("UpdateResource", request, token, context)


def set_parent(
    service: str,
    resource: Resource,
    parent: Resource | None,
    inherits: bool | None,
    token: str | None,
    context: Context | None,
) -> Operation[RegisteredResource]:
    request = permissions_pb2.UpdateParentRequest(**key_of(service, resource))
    if inherits is not None:
        request.inherits = inherits
    if parent is None:
        request.detach = True
    else:
        _set_parent(request.parent, service, parent)
    # After a move, the user of the token may no longer manage the resource.
    return _update("UpdateParent", request, token, context, retry=token is None)


def transfer(
    service: str, resource: Resource, user_id: str | UUID, token: str | None, context: Context | None
) -> Operation[RegisteredResource]:
    request = permissions_pb2.TransferOwnershipRequest(
        **key_of(service, resource), owner_id=arguments.require_text("owner_id", user_id)
    )
    # After a transfer, the user of the token may no longer own the resource.
    return _update("TransferOwnership", request, token, context, retry=token is None)


def key_of(service: str, resource: Resource) -> _Key:
    """The natural key of a resource."""
    arguments.require_resource(resource)
    return {
        "service_name": service,
        "resource_type": resource.type,
        "resource_id": arguments.resource_id(service, resource.type, resource.id),
    }


def change(
    method: str,
    request: Message,
    response_type: type[Message],
    read: Callable[[Any], Result],
    *,
    token: str | None = None,
    retry: bool = True,
    success_reason: str | None = None,
) -> Operation[Result]:
    return Operation(
        f"PermissionService/{method}",
        request,
        response_type,
        read,
        retry=retry,
        token=arguments.require_token(token),
        success_reason=success_reason,
    )


def ignore(_response: Message) -> None:
    return None


def set_context(request: Any, context: Context | None) -> None:
    if context is not None:
        request.context.update(arguments.require_object("context", context))


def set_terms(request: Any, expires_at: datetime | None, condition: Condition | None) -> None:
    """Sets the terms of a share or link."""
    if expires_at is not None:
        request.expires_at.FromDatetime(arguments.require_time("expires_at", expires_at))
    if condition is not None:
        name, params = arguments.require_condition(condition)
        request.condition.name = name
        request.condition.params.update(params)


def read_condition(condition: _ConditionMessage) -> Condition:
    return Condition(condition.name, MessageToDict(condition.params))


def read_share(share: permissions_pb2.ShareResponse) -> Share:
    is_user = share.grantee_type == "user"
    return Share(
        id=share.id,
        grantee=Grantee(user_id=share.grantee_id) if is_user else Grantee(group_id=share.grantee_id),
        permission=cast(Permission, share.permission) if share.permission else None,
        role=share.role if share.HasField("role") else None,
        granted_by=share.granted_by,
        granted_at=share.granted_at.ToDatetime(timezone.utc),
        expires_at=share.expires_at.ToDatetime(timezone.utc) if share.HasField("expires_at") else None,
        condition=read_condition(share.condition) if share.HasField("condition") else None,
        grantee_name=share.grantee_name or None,
        grantee_email=share.grantee_email or None,
    )


def _read_resource(record: permissions_pb2.ResourcePermissionResponse) -> RegisteredResource:
    has_parent = record.HasField("parent")
    return RegisteredResource(
        type=record.resource_type,
        id=record.external_id if record.HasField("external_id") else record.resource_id,
        resource_id=record.resource_id,
        workspace_id=record.workspace_id,
        owner_id=record.owner_id,
        visibility=cast(Visibility, record.visibility),
        parent=ResourceKey(record.parent.resource_type, record.parent.resource_id) if has_parent else None,
        inherits=record.inherits,
        created_at=record.created_at.ToDatetime(timezone.utc),
        shares=tuple(read_share(share) for share in record.shares),
        attributes=MessageToDict(record.attributes),
        display_name=record.display_name if record.HasField("display_name") else None,
        owner_name=record.owner_name or None,
        owner_email=record.owner_email or None,
        ancestors=tuple(_read_ancestor(ancestor) for ancestor in record.ancestors),
    )


def _read_ancestor(record: permissions_pb2.InheritedGrants) -> Ancestor:
    return Ancestor(
        type=record.resource_type,
        id=record.external_id if record.HasField("external_id") else record.resource_id,
        resource_id=record.resource_id,
        display_name=record.display_name if record.HasField("display_name") else None,
        owner_id=record.owner_id,
        owner_name=record.owner_name or None,
        owner_email=record.owner_email or None,
        visibility=cast(Visibility, record.visibility),
        shares=tuple(read_share(share) for share in record.shares),
    )


def _register_request(service: str, registration: Registration) -> permissions_pb2.RegisterResourceRequest:
    resource, visibility = registration.resource, registration.visibility
    request = permissions_pb2.RegisterResourceRequest(
        **key_of(service, resource),
        **arguments.name_owner(registration.owner_id, registration.owner_email, registration.owner_external_id),
        workspace_id=arguments.require_text("workspace_id", registration.workspace_id),
    )
    id = arguments.text(resource.id)
    if not arguments.is_uuid(id):
        request.external_id = id
    if visibility is not None:
        request.visibility = arguments.require_text("visibility", visibility)
    if registration.parent is not None:
        _set_parent(request.parent, service, registration.parent)
    if registration.attributes is not None:
        request.attributes.update(arguments.require_object("attributes", registration.attributes))
    if registration.display_name is not None:
        request.display_name = arguments.require_text("display_name", registration.display_name)
    return request


def _set_parent(reference: permissions_pb2.ParentReference, service: str, parent: Resource) -> None:
    key = key_of(service, parent)
    reference.resource_type = key["resource_type"]
    reference.resource_id = key["resource_id"]


def _update(
    method: str, request: Any, token: str | None, context: Context | None, *, retry: bool = True
) -> Operation[RegisteredResource]:
    set_context(request, context)
    response_type = permissions_pb2.ResourcePermissionResponse
    return change(method, request, response_type, _read_resource, token=token, retry=retry)
