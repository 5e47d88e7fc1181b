from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any, cast

from google.protobuf.message import Message

from .._advice import with_advice
from .._arguments import is_uuid
from ..errors import (
    DaikonError,
    InvalidTokenError,
    NotFoundError,
    PermissionDeniedError,
    UnauthenticatedError,
    invalid_argument,
)
from ..types import AccessTokenClaims, Explanation, Permission, Resource, Visibility
from ..v1 import access_pb2, acknowledgement_pb2, permissions_pb2
from ._decide import decide, find_denial, is_owner
from ._tokens import read_fake_token
from ._world import Registered, Share, User, World


class FakeServer:
    """An in-memory server for one client."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.revoked: set[str] = set()
        self.failure: DaikonError | None = None
        self.delay = 0.0
        self._methods: dict[str, Callable[[Any, str | None], Message]] = {
            "AccessService/EvaluateBatch": self._evaluate_batch,
            "AccessService/Evaluate": self._evaluate,
            "AccessService/SearchResources": self._search_resources,
            "PermissionService/Accessible": self._accessible,
            "PermissionService/Register": self._register,
            "PermissionService/Unregister": self._unregister,
            "PermissionService/Share": self._share,
            "PermissionService/RevokeShare": self._revoke_share,
            "PermissionService/UpdateVisibility": self._update_visibility,
            "PermissionService/TransferOwnership": self._transfer_ownership,
            "PermissionService/PutResourceType": self._put_resource_type,
        }

    def handle(self, method: str, request: Message, token: str | None) -> Message:
        if self.failure is not None:
            raise self.failure
        handler = self._methods.get(method)
        service = getattr(request, "service_name", self.world.service)
        if service != self.world.service:
            raise self._other_service()
        if handler is None:
            message = f"The fake does not have {method}. It has {', '.join(self._methods)}"
            raise DaikonError("unimplemented", "UNIMPLEMENTED", message)
        return handler(request, token)

    def verify(self, token: str) -> AccessTokenClaims:
        if self.failure is not None:
            raise self.failure
        return read_fake_token(token)

    def _evaluate_batch(
        self, request: access_pb2.EvaluateBatchRequest, _token: str | None
    ) -> access_pb2.EvaluateBatchResponse:
        response = access_pb2.EvaluateBatchResponse()
        for item in request.evaluations:
            try:
                response.evaluations.add(decision=self._explain(item).allowed)
            except PermissionDeniedError as error:
                denied = response.evaluations.add(decision=False)
                denied.context.update({"error": {"status": 403, "reason": error.reason, "message": str(error)}})
        return response

    def _evaluate(self, request: access_pb2.EvaluateRequest, _token: str | None) -> access_pb2.Evaluation:
        explanation = self._explain(request)
        records: list[Any] = []
        for reason in explanation.reasons:
            parent, end = reason.inherited_from, reason.expires_at
            record = {
                "rule": reason.rule,
                "permission": reason.permission,
                "role": reason.role,
                "group_id": reason.group_id,
                "share_id": reason.share_id,
                "expires_at": end and end.isoformat(),
                "inherited_from": parent and {"resource_type": parent.type, "resource_id": parent.resource_id},
            }
            records.append({key: value for key, value in record.items() if value is not None})
        evaluation = access_pb2.Evaluation(decision=explanation.allowed)
        evaluation.context.update({"reasons": records})
        return evaluation

    def _search_resources(
        self, request: access_pb2.SearchResourcesRequest, _token: str | None
    ) -> access_pb2.SearchResourcesResponse:
        workspace_id = None
        if "workspace_id" in request.context.fields:
            workspace_id = request.context.fields["workspace_id"].string_value
            if not is_uuid(workspace_id):
                raise invalid_argument(("context.workspace_id", "must be a UUID"))
        user, token_workspace = self._find_subject(request.subject)
        self._require_own_type(request.resource.type)
        response = access_pb2.SearchResourcesResponse()
        for resource in self.world.resources.values():
            if (
                self._typename(resource.type) == request.resource.type
                and workspace_id in (None, resource.workspace_id)
                and find_denial(self.world, user, token_workspace, resource) is None
                and decide(self.world, user, token_workspace, request.action.name, resource).allowed
            ):
                response.results.add(type=resource.type, id=resource.id)
        return response

    def _accessible(
        self, request: permissions_pb2.AccessibleResourcesRequest, token: str | None
    ) -> permissions_pb2.AccessibleResourcesResponse:
        claims = self._require_change_token(token)
        workspace_id = claims["wid"]
        if request.workspace_id != workspace_id:
            message = "The token was issued for another workspace"
            raise PermissionDeniedError("OTHER_WORKSPACE", message)
        user = self.world.users.get(claims["sub"])
        role = self.world.find_role(workspace_id, claims["sub"])
        ids = [
            resource.resource_id
            for resource in self.world.resources.values()
            if resource.type == request.resource_type
            and resource.workspace_id == workspace_id
            and decide(self.world, user, workspace_id, request.action, resource).allowed
        ]
        if request.HasField("limit"):
            ids = ids[: request.limit]
        return permissions_pb2.AccessibleResourcesResponse(
            resource_ids=ids, has_full_access=role in ("owner", "admin")
        )

    def _register(
        self, request: permissions_pb2.RegisterResourceRequest, _token: str | None
    ) -> permissions_pb2.ResourcePermissionResponse:
        workspace_id, owner_id = request.workspace_id, request.owner_id
        _require_uuid("workspace_id", workspace_id)
        _require_uuid("owner_id", owner_id)
        key = request.resource_type, request.resource_id
        known = self.world.resources.get(key)
        if known is not None:
            if (known.workspace_id, known.owner_id) == (workspace_id, owner_id):
                return _view(known)
            message = "The resource is registered with another workspace or owner"
            raise DaikonError("already_exists", "RESOURCE_REGISTERED", message)
        if workspace_id not in self.world.workspace_ids:
            raise NotFoundError("WORKSPACE_NOT_FOUND", "Workspace not found")
        self._require_member(workspace_id, owner_id)
        visibility = request.visibility or "private"
        self.world.require_visibility(request.resource_type, visibility)
        parent = None
        if request.HasField("parent"):
            parent_key = request.parent.resource_type, request.parent.resource_id
            parent = self.world.resources.get(parent_key)
            if parent is None or parent.workspace_id != workspace_id:
                raise invalid_argument(("parent", "must be a resource of the workspace"))
        created = Registered(
            type=request.resource_type,
            id=request.external_id or request.resource_id,
            resource_id=request.resource_id,
            workspace_id=workspace_id,
            owner_id=owner_id,
            visibility=cast(Visibility, visibility),
            parent=parent,
            inherits=True,
            created_at=datetime.now(timezone.utc),
        )
        self.world.resources[key] = created
        return _view(created)

    def _unregister(
        self, request: permissions_pb2.UnregisterRequest, token: str | None
    ) -> permissions_pb2.UnregisterResponse:
        found = self._require_manageable(request, token)
        del self.world.resources[found.type, found.resource_id]
        for child in self.world.resources.values():
            if child.parent is found:
                child.parent = None
        return permissions_pb2.UnregisterResponse()

    def _share(self, request: permissions_pb2.ShareRequest, token: str | None) -> permissions_pb2.ShareResponse:
        if request.permission:
            _require_one_of("permission", request.permission, "view", "edit")
        expires_at = None
        if request.HasField("expires_at"):
            expires_at = request.expires_at.ToDatetime(timezone.utc)
            if expires_at <= datetime.now(timezone.utc):
                raise invalid_argument(("expires_at", "must be in the future"))
        claims = self._require_change_token(token)
        found = self._require_manageable(request, token)
        if request.HasField("role"):
            self._require_role(found, request.role, claims)
        self._require_grantee(found, request)
        known = _find_share(found, request)
        share = Share(
            id=known.id if known else str(uuid.uuid4()),
            grantee_type=request.grantee_type,
            grantee_id=request.grantee_id,
            permission=cast(Permission, request.permission) if request.permission else None,
            role=request.role if request.HasField("role") else None,
            granted_by=claims["sub"],
            granted_at=datetime.now(timezone.utc),
            expires_at=expires_at,
        )
        found.shares = [*(other for other in found.shares if other is not known), share]
        return _view_share(share)

    def _revoke_share(
        self, request: permissions_pb2.ShareRequest, token: str | None
    ) -> acknowledgement_pb2.Acknowledgement:
        found = self._require_manageable(request, token)
        share = _find_share(found, request)
        if share is None:
            raise NotFoundError("SHARE_NOT_FOUND", "Share not found")
        found.shares.remove(share)
        return acknowledgement_pb2.Acknowledgement()

    def _update_visibility(
        self, request: permissions_pb2.UpdateVisibilityRequest, token: str | None
    ) -> permissions_pb2.ResourcePermissionResponse:
        found = self._require_manageable(request, token)
        self.world.require_visibility(found.type, request.visibility)
        found.visibility = cast(Visibility, request.visibility)
        return _view(found)

    def _transfer_ownership(
        self, request: permissions_pb2.TransferOwnershipRequest, token: str | None
    ) -> permissions_pb2.ResourcePermissionResponse:
        _require_uuid("owner_id", request.owner_id)
        found = self._require_manageable(request, token)
        if token is not None:
            self._require_ownership(found, self._require_change_token(token))
        self._require_member(found.workspace_id, request.owner_id)
        found.owner_id = request.owner_id
        return _view(found)

    def _put_resource_type(
        self, request: permissions_pb2.PutResourceTypeRequest, _token: str | None
    ) -> permissions_pb2.ResourceType:
        roles = {role.name: list(role.actions) for role in request.roles}
        self.world.declare(request.resource_type, roles, request.allow_public)
        return permissions_pb2.ResourceType(
            service_name=request.service_name,
            resource_type=request.resource_type,
            allow_public=request.allow_public,
            roles=[
                permissions_pb2.ResourceRole(name=role.name, actions=role.actions) for role in request.roles
            ],
        )

    def _explain(self, request: access_pb2.EvaluateRequest | access_pb2.EvaluationItem) -> Explanation:
        user, workspace_id = self._find_subject(request.subject)
        self._require_own_type(request.resource.type)
        type = request.resource.type[len(self._typename("")) :]
        resource = self.world.find(Resource(type, request.resource.id))
        return decide(self.world, user, workspace_id, request.action.name, resource)

    def _find_subject(self, subject: access_pb2.AccessSubject) -> tuple[User | None, str | None]:
        """The user, and the workspace that a token restricts them to."""
        if subject.type == "access_token":
            try:
                claims = read_fake_token(subject.id)
            except InvalidTokenError:
                return None, None
            is_revoked = subject.id in self.revoked
            return None if is_revoked else self.world.users.get(claims["sub"]), claims["wid"]
        if subject.type == "group":
            is_known = subject.id in self.world.groups
            return User(subject.id, is_group=True) if is_known else None, None
        return self.world.find_user(subject.id) or User("", is_unknown=True), None

    def _require_manageable(self, request: Any, token: str | None) -> Registered:
        """Finds a resource. If there is a token, its user must be allowed to manage the resource."""
        claims = None if token is None else self._require_change_token(token)
        found = self.world.resources.get((request.resource_type, request.resource_id))
        if found is None or (claims and claims["wid"] != found.workspace_id):
            raise NotFoundError("RESOURCE_NOT_FOUND", "Resource not found")
        if claims is None:
            return found
        user = self.world.users.get(claims["sub"])
        if decide(self.world, user, claims["wid"], "manage", found).allowed:
            return found
        raise PermissionDeniedError(
            "NOT_THE_OWNER",
            "Requires the owner of the resource, an owner or admin of its workspace, or a role with manage",
        )

    def _require_role(self, resource: Registered, name: str, claims: AccessTokenClaims) -> None:
        actions = self.world.find_resource_role(resource.type, name)
        if actions is None:
            raise invalid_argument(("role", f"is not a role of {resource.type}: {name}"))
        if "manage" in actions:
            self._require_ownership(resource, claims)

    def _require_ownership(self, resource: Registered, claims: AccessTokenClaims) -> None:
        """Requires that the user may do what a role with `manage` is not enough for."""
        user = self.world.users.get(claims["sub"])
        if user is None or not is_owner(self.world, user, resource):
            raise PermissionDeniedError(
                "NOT_THE_OWNER",
                "Requires the owner of the resource, or an owner or admin of its workspace",
            )

    def _require_change_token(self, token: str | None) -> AccessTokenClaims:
        if token is None:
            message = with_advice("TOKEN_MISSING", "The access token is missing")
            raise UnauthenticatedError("TOKEN_MISSING", message)
        claims = read_fake_token(token)
        is_member = self.world.find_role(claims["wid"], claims["sub"]) is not None
        if token in self.revoked or not is_member:
            message = with_advice("TOKEN_REVOKED", "The token was revoked")
            raise UnauthenticatedError("TOKEN_REVOKED", message)
        return claims

    def _require_member(self, workspace_id: str, user_id: str) -> None:
        if self.world.find_role(workspace_id, user_id) is None:
            raise invalid_argument(("owner_id", "must be a member of the workspace"))

    def _require_grantee(self, resource: Registered, request: permissions_pb2.ShareRequest) -> None:
        id = request.grantee_id
        _require_uuid("grantee_id", id)
        if request.grantee_type == "user":
            is_known = self.world.find_role(resource.workspace_id, id) is not None
        else:
            group = self.world.groups.get(id)
            is_known = group is not None and group.workspace_id == resource.workspace_id
        if not is_known:
            message = f"No such {request.grantee_type} in the workspace"
            raise NotFoundError("GRANTEE_NOT_FOUND", message)

    def _require_own_type(self, type: str) -> None:
        if not type.startswith(self._typename("")):
            raise self._other_service()

    def _other_service(self) -> PermissionDeniedError:
        message = f"The service key is limited to {self.world.service}"
        return PermissionDeniedError("OTHER_SERVICE", with_advice("OTHER_SERVICE", message))

    def _typename(self, type: str) -> str:
        return f"{self.world.service}:{type}"


def _require_uuid(field: str, value: str) -> None:
    if not is_uuid(value):
        raise invalid_argument((field, "must be a UUID"))


def _require_one_of(field: str, value: str, *values: str) -> None:
    if value not in values:
        raise invalid_argument((field, f"must be one of {', '.join(values)}"))


def _find_share(resource: Registered, request: permissions_pb2.ShareRequest) -> Share | None:
    grantee = request.grantee_type, request.grantee_id
    for share in resource.shares:
        if (share.grantee_type, share.grantee_id) == grantee:
            return share
    return None


def _view(resource: Registered) -> permissions_pb2.ResourcePermissionResponse:
    view = permissions_pb2.ResourcePermissionResponse(
        resource_type=resource.type,
        resource_id=resource.resource_id,
        workspace_id=resource.workspace_id,
        owner_id=resource.owner_id,
        visibility=resource.visibility,
        created_at=resource.created_at,
        inherits=resource.inherits,
        shares=[_view_share(share) for share in resource.shares],
    )
    if not is_uuid(resource.id):
        view.external_id = resource.id
    if resource.parent is not None:
        view.parent.resource_type = resource.parent.type
        view.parent.resource_id = resource.parent.resource_id
    return view


def _view_share(share: Share) -> permissions_pb2.ShareResponse:
    return permissions_pb2.ShareResponse(
        id=share.id,
        grantee_type=share.grantee_type,
        grantee_id=share.grantee_id,
        permission=share.permission,
        role=share.role,
        granted_by=share.granted_by,
        granted_at=share.granted_at,
        expires_at=share.expires_at,
    )
