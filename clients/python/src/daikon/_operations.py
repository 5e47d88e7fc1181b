from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Generic, TypedDict, TypeVar, cast
from uuid import UUID

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from . import _arguments as arguments
from ._advice import with_advice
from ._arguments import Evaluation, SubjectName
from ._tokens import denied_token_error, token_invalid
from .errors import DaikonError, PermissionDeniedError
from .types import (
    AccessTokenClaims,
    Explanation,
    Grantee,
    Permission,
    Reason,
    RegisteredResource,
    Resource,
    ResourceKey,
    Share,
    Visibility,
)
from .v1 import access_pb2, acknowledgement_pb2, auth_pb2, oauth_pb2, permissions_pb2

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Operation(Generic[Result]):
    """A call, with a function that converts its response."""

    method: str
    """The method, such as `PermissionService/Register`."""
    request: Message
    response_type: type[Message]
    read: Callable[[Any], Result]
    """Converts the response; may raise a DaikonError."""
    retry: bool = True
    """Whether the call may run twice."""
    token: str | None = None
    """The access token to send with the call."""
    success_reason: str | None = None
    """The error reason that means an earlier attempt succeeded."""


class _Key(TypedDict):
    service_name: str
    resource_type: str
    resource_id: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page of resource IDs, with the token of the next page."""

    ids: list[str]
    next_token: str


def evaluate_batch(evaluations: list[Evaluation]) -> Operation[list[bool | DaikonError]]:
    request = access_pb2.EvaluateBatchRequest()
    add = request.evaluations.add
    for subject_type, subject_id, action, resource_type, resource_id in evaluations:
        item = add()
        item.subject.type = subject_type
        item.subject.id = subject_id
        item.action.name = action
        item.resource.type = resource_type
        item.resource.id = resource_id

    def read(response: access_pb2.EvaluateBatchResponse) -> list[bool | DaikonError]:
        token_errors: dict[str, DaikonError | None] = {}
        results: list[bool | DaikonError] = []
        for index, evaluation in enumerate(evaluations):
            found = response.evaluations[index] if index < len(response.evaluations) else None
            if found is not None and found.decision:
                results.append(True)
                continue
            error = found and _read_item_error(found)
            if not error and evaluation.subject_type == "access_token":
                id = evaluation.subject_id
                if id not in token_errors:
                    token_errors[id] = denied_token_error("access_token", id)
                error = token_errors[id]
            results.append(error or False)
        return results

    response_type = access_pb2.EvaluateBatchResponse
    return Operation("AccessService/EvaluateBatch", request, response_type, read)


def explain(evaluation: Evaluation) -> Operation[Explanation]:
    subject_type, subject_id, action, resource_type, resource_id = evaluation
    request = access_pb2.EvaluateRequest(
        subject=access_pb2.AccessSubject(type=subject_type, id=subject_id),
        action=access_pb2.AccessAction(name=action),
        resource=access_pb2.AccessResource(type=resource_type, id=resource_id),
    )
    request.context.update({"explain": True})

    def read(response: access_pb2.Evaluation) -> Explanation:
        error = None if response.decision else denied_token_error(subject_type, subject_id)
        if error:
            raise error
        context = MessageToDict(response.context)
        reasons = tuple(_read_reason(reason) for reason in context.get("reasons", []))
        return Explanation(response.decision, reasons)

    return Operation("AccessService/Evaluate", request, access_pb2.Evaluation, read)


def search_resources(
    subject: SubjectName, action: str, type: str, workspace_id: str | None, page_token: str
) -> Operation[Page]:
    request = access_pb2.SearchResourcesRequest(
        subject=access_pb2.AccessSubject(type=subject.type, id=subject.id),
        action=access_pb2.AccessAction(name=action),
        resource=access_pb2.ResourceSearch(type=type),
    )
    if workspace_id is not None:
        request.context.update({"workspace_id": workspace_id})
    if page_token:
        request.page.token = page_token

    def read(response: access_pb2.SearchResourcesResponse) -> Page:
        if not page_token and not response.results:
            error = denied_token_error(subject.type, subject.id)
            if error:
                raise error
        return Page([result.id for result in response.results], response.page.next_token)

    response_type = access_pb2.SearchResourcesResponse
    return Operation("AccessService/SearchResources", request, response_type, read)


def register(
    service: str,
    resource: Resource,
    workspace_id: str | UUID,
    owner_id: str | UUID,
    visibility: Visibility | None,
    parent: Resource | None,
) -> Operation[RegisteredResource]:
    request = permissions_pb2.RegisterResourceRequest(
        **_key(service, resource),
        workspace_id=arguments.require_text("workspace_id", workspace_id),
        owner_id=arguments.require_text("owner_id", owner_id),
    )
    id = arguments.text(resource.id)
    if not arguments.is_uuid(id):
        request.external_id = id
    if visibility is not None:
        request.visibility = arguments.require_text("visibility", visibility)
    if parent is not None:
        key = _key(service, parent)
        request.parent.resource_type = key["resource_type"]
        request.parent.resource_id = key["resource_id"]
    return _change("Register", request, permissions_pb2.ResourcePermissionResponse, read_resource)


def unregister(service: str, resource: Resource, token: str | None) -> Operation[None]:
    request = permissions_pb2.UnregisterRequest(**_key(service, resource))
    return _change(
        "Unregister",
        request,
        permissions_pb2.UnregisterResponse,
        _ignore,
        token=token,
        success_reason="RESOURCE_NOT_FOUND",
    )


def share(
    service: str,
    resource: Resource,
    grantee: Grantee,
    permission: Permission | None,
    role: str | None,
    expires_at: datetime | None,
    token: str | None,
) -> Operation[Share]:
    request = _share_request(service, resource, grantee, permission, role)
    if expires_at is not None:
        request.expires_at.FromDatetime(arguments.require_time("expires_at", expires_at))
    return _change("Share", request, permissions_pb2.ShareResponse, read_share, token=token)


def revoke(service: str, resource: Resource, grantee: Grantee, token: str | None) -> Operation[None]:
    # Older servers require a permission; none compares it with the share's.
    request = _share_request(service, resource, grantee, "view", None)
    return _change(
        "RevokeShare",
        request,
        acknowledgement_pb2.Acknowledgement,
        _ignore,
        token=token,
        success_reason="SHARE_NOT_FOUND",
    )


def set_visibility(
    service: str, resource: Resource, visibility: Visibility, token: str | None
) -> Operation[RegisteredResource]:
    request = permissions_pb2.UpdateVisibilityRequest(
        **_key(service, resource), visibility=arguments.require_text("visibility", visibility)
    )
    response_type = permissions_pb2.ResourcePermissionResponse
    return _change("UpdateVisibility", request, response_type, read_resource, token=token)


def transfer(
    service: str, resource: Resource, user_id: str | UUID, token: str | None
) -> Operation[RegisteredResource]:
    request = permissions_pb2.TransferOwnershipRequest(
        **_key(service, resource), owner_id=arguments.require_text("owner_id", user_id)
    )
    response_type = permissions_pb2.ResourcePermissionResponse
    # After a transfer, the user of the token may no longer own the resource.
    retry = token is None
    return _change("TransferOwnership", request, response_type, read_resource, token=token, retry=retry)


def get_issuer() -> Operation[str]:
    def read(response: auth_pb2.Configuration) -> str:
        return response.issuer

    request = auth_pb2.GetConfigurationRequest()
    return Operation("AuthService/GetConfiguration", request, auth_pb2.Configuration, read)


def verify_api_key(key: str) -> Operation[AccessTokenClaims]:
    def read(found: oauth_pb2.TokenIntrospection) -> AccessTokenClaims:
        if not found.active or found.token_type != "api_key":
            raise token_invalid("the API key is unknown, or has ended")
        claims = {
            "sub": found.sub,
            "wid": found.wid,
            "wslug": found.wslug,
            "wrole": found.wrole,
            "jti": "",
            "email": "",
            "name": "",
            "iss": "",
            "aud": "daikon",
            "type": "api_key",
            "iat": 0,
            "exp": found.exp if found.HasField("exp") else math.inf,
        }
        return cast(AccessTokenClaims, claims)

    request = oauth_pb2.IntrospectTokenRequest(token=key)
    return Operation("OAuthService/IntrospectToken", request, oauth_pb2.TokenIntrospection, read)


def get_keys() -> Operation[list[auth_pb2.Key]]:
    def read(response: auth_pb2.KeySet) -> list[auth_pb2.Key]:
        return list(response.keys)

    return Operation("AuthService/GetKeySet", auth_pb2.GetKeySetRequest(), auth_pb2.KeySet, read)


def read_resource(record: permissions_pb2.ResourcePermissionResponse) -> RegisteredResource:
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
    )


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
    )


def _change(
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


def _key(service: str, resource: Resource) -> _Key:
    arguments.require_resource(resource)
    return {
        "service_name": service,
        "resource_type": resource.type,
        "resource_id": arguments.resource_id(service, resource.type, resource.id),
    }


def _share_request(
    service: str, resource: Resource, grantee: Grantee, permission: Permission | None, role: str | None
) -> permissions_pb2.ShareRequest:
    key = _key(service, resource)
    grantee_type, grantee_id = arguments.name_grantee(grantee)
    granted_permission, granted_role = arguments.name_grant(permission, role)
    return permissions_pb2.ShareRequest(
        **key,
        grantee_type=grantee_type,
        grantee_id=grantee_id,
        permission=granted_permission,
        role=granted_role,
    )


def _read_item_error(evaluation: access_pb2.Evaluation) -> DaikonError | None:
    """The error of an item that the server finds invalid, or that names another service."""
    if "error" not in evaluation.context.fields:
        return None
    error = MessageToDict(evaluation.context)["error"]
    reason = error.get("reason")
    if error.get("status") == 403 and reason:
        return PermissionDeniedError(reason, with_advice(reason, error.get("message", "")))
    problems = [(problem["field"], problem["message"]) for problem in error.get("errors", [])]
    return arguments.item_error(error.get("message", "The check is not valid"), problems)


def _read_reason(record: dict[str, Any]) -> Reason:
    parent = record.get("inherited_from")
    expires_at = record.get("expires_at")
    return Reason(
        rule=record["rule"],
        permission=record.get("permission"),
        role=record.get("role"),
        group_id=record.get("group_id"),
        share_id=record.get("share_id"),
        expires_at=datetime.fromisoformat(expires_at.replace("Z", "+00:00")) if expires_at else None,
        inherited_from=ResourceKey(parent["resource_type"], parent["resource_id"]) if parent else None,
    )


def _ignore(_response: Message) -> None:
    return None
