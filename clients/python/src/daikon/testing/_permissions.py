from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timezone
from typing import Any, TypeVar, cast

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from ..errors import DaikonError, InvalidArgumentError, NotFoundError, invalid_argument
from ..types import (
    Condition,
    ConditionDeclaration,
    DeclaredType,
    Permission,
    Requirement,
    RoleDeclaration,
    Visibility,
)
from ..v1 import acknowledgement_pb2, links_pb2, permissions_pb2
from ._declarations import (
    count_below,
    count_uses,
    declare,
    delete_declaration,
    require_condition,
    require_free_type,
    require_valid,
)
from ._names import find_grantee, find_owner, is_in_workspace, require_id, require_member
from ._rights import Rights
from ._views import add_ancestors, add_names, view_created_link, view_link, view_resource, view_share, view_type
from ._world import Link, Registered, Share, World

Item = TypeVar("Item")
Result = TypeVar("Result")

_max_chain_length = 32


class FakePermissions:
    """The methods of PermissionService that change resources, links and types."""

    def __init__(self, world: World, rights: Rights) -> None:
        self.world = world
        self.rights = rights

    def methods(self) -> dict[str, Callable[[Any, str | None], Message]]:
        return {
            "PermissionService/Register": lambda request, _: view_resource(self._register(request)),
            "PermissionService/RegisterBatch": self._register_batch,
            "PermissionService/GetResource": self._get_resource,
            "PermissionService/Unregister": self._unregister,
            "PermissionService/Share": self._share,
            "PermissionService/ShareBatch": self._share_batch,
            "PermissionService/RevokeShare": self._revoke_share,
            "PermissionService/UpdateVisibility": self._update_visibility,
            "PermissionService/UpdateAttributes": self._update_attributes,
            "PermissionService/UpdateResource": self._update_resource,
            "PermissionService/UpdateParent": self._update_parent,
            "PermissionService/TransferOwnership": self._transfer_ownership,
            "PermissionService/CreateLink": self._create_link,
            "PermissionService/ListLinks": self._list_links,
            "PermissionService/DeleteLink": self._delete_link,
            "PermissionService/RegisterActions": self._register_actions,
            "PermissionService/PutResourceType": self._put_resource_type,
            "PermissionService/ListResourceTypes": self._list_resource_types,
            "PermissionService/DeleteResourceType": self._delete_resource_type,
        }

    def _register(self, request: permissions_pb2.RegisterResourceRequest) -> Registered:
        workspace_id = request.workspace_id
        require_free_type(request.resource_type)
        require_id(self.world, "workspace_id", workspace_id)
        field, owner_id = find_owner(self.world, request)
        key = request.resource_type, request.resource_id
        known = self.world.resources.get(key)
        if known is not None:
            if (known.workspace_id, known.owner_id) == (workspace_id, owner_id):
                return known
            message = "The resource is registered with another workspace or owner"
            raise DaikonError("already_exists", "RESOURCE_REGISTERED", message)
        if workspace_id not in self.world.workspaces:
            raise NotFoundError("WORKSPACE_NOT_FOUND", "Workspace not found")
        require_member(self.world, workspace_id, field, owner_id)
        visibility = request.visibility or "private"
        self.world.require_visibility(request.resource_type, visibility)
        created = Registered(
            type=request.resource_type,
            id=request.external_id or request.resource_id,
            resource_id=request.resource_id,
            workspace_id=workspace_id,
            owner_id=owner_id,
            visibility=cast(Visibility, visibility),
            parent=self._require_parent(workspace_id, request) if request.HasField("parent") else None,
            inherits=True,
            created_at=datetime.now(timezone.utc),
            attributes=MessageToDict(request.attributes),
            display_name=request.display_name if request.HasField("display_name") else None,
        )
        self.world.resources[key] = created
        return created

    def _register_batch(
        self, request: permissions_pb2.RegisterBatchRequest, _token: str | None
    ) -> permissions_pb2.RegisterBatchResponse:
        before = dict(self.world.resources)

        def undo() -> None:
            self.world.resources = before

        registered = _with_fields("resources", request.resources, self._register, undo)
        views = [view_resource(resource) for resource in registered]
        return permissions_pb2.RegisterBatchResponse(resources=views)

    def _get_resource(
        self, request: permissions_pb2.GetResourceRequest, _token: str | None
    ) -> permissions_pb2.ResourcePermissionResponse:
        found = self.rights.require_resource(request)
        view = view_resource(found)
        if request.with_ancestors:
            add_ancestors(view, found)
        if request.with_names:
            add_names(self.world, view)
            for ancestor in view.ancestors:
                add_names(self.world, ancestor)
        return view

    def _unregister(
        self, request: permissions_pb2.UnregisterRequest, token: str | None
    ) -> permissions_pb2.UnregisterResponse:
        found = self.rights.require_manageable(request, token)
        resources = list(self.world.resources.items())
        for key, resource in resources:
            if resource is found or (request.cascade and _depth_below(resource, found) > 0):
                del self.world.resources[key]
        for child in self.world.resources.values():
            if child.parent is found:
                child.parent = None
        return permissions_pb2.UnregisterResponse()

    def _share(self, request: permissions_pb2.ShareRequest, token: str | None) -> permissions_pb2.ShareResponse:
        self.rights.require_user(token)
        found = self.rights.require_manageable(request, token)
        return view_share(self._grant(found, request, token, request.context))

    def _share_batch(
        self, request: permissions_pb2.ShareBatchRequest, token: str | None
    ) -> permissions_pb2.ShareBatchResponse:
        resources = [
            self.world.resources.get((item.resource_type, item.resource_id)) for item in request.shares
        ]
        before = [(resource, resource.shares) for resource in resources if resource is not None]
        named: set[tuple[str, str, str]] = set()

        def grant(item: permissions_pb2.ShareItem) -> Share:
            found = self.world.resources.get((item.resource_type, item.resource_id))
            if found is None:
                raise invalid_argument(("resource_id", "is not a registered resource"))
            self.rights.require_manageable(item, token, request.context)
            field, type, id = find_grantee(self.world, found.workspace_id, item)
            if not is_in_workspace(self.world, found.workspace_id, type, id):
                raise invalid_argument((field, "is not in the workspace of the resource"))
            if (found.resource_id, type, id) in named:
                raise invalid_argument((field, "is duplicated"))
            named.add((found.resource_id, type, id))
            return self._grant(found, item, token, request.context)

        def undo() -> None:
            for resource, shares in before:
                resource.shares = shares

        granted = _with_fields("shares", request.shares, grant, undo)
        return permissions_pb2.ShareBatchResponse(shares=[view_share(share) for share in granted])

    def _grant(self, found: Registered, request: Any, token: str | None, context: Any) -> Share:
        terms = self._read_terms(found.type, request)
        actions = self.world.find_resource_role(found.type, request.role) if request.role else None
        if actions is not None and "manage" in actions:
            self.rights.require_ownership(found, token, context)
        _, type, id = find_grantee(self.world, found.workspace_id, request)
        if not is_in_workspace(self.world, found.workspace_id, type, id):
            raise NotFoundError("GRANTEE_NOT_FOUND", f"No such {type} in the workspace")
        known = _find_share(found, type, id)
        share = Share(
            id=known.id if known else str(uuid.uuid4()),
            grantee_type=type,
            grantee_id=id,
            # A service that shares without a user does so for the owner.
            granted_by=found.owner_id if token is None else self.rights.require_user(token)["sub"],
            granted_at=datetime.now(timezone.utc),
            **terms,
        )
        found.shares = [*(other for other in found.shares if other is not known), share]
        return share

    def _read_terms(self, type: str, request: Any) -> dict[str, Any]:
        """Reads the terms of a share or link."""
        if request.permission and request.permission not in ("view", "edit"):
            raise invalid_argument(("permission", "must be one of view, edit"))
        role = request.role if request.HasField("role") else None
        if role is not None and self.world.find_resource_role(type, role) is None:
            raise invalid_argument(("role", f"is not a role of {type}: {role}"))
        expires_at = None
        if request.HasField("expires_at"):
            expires_at = request.expires_at.ToDatetime(timezone.utc)
            if expires_at <= datetime.now(timezone.utc):
                raise invalid_argument(("expires_at", "must be in the future"))
        condition = None
        if request.HasField("condition"):
            condition = Condition(request.condition.name, MessageToDict(request.condition.params))
        require_condition(self.world, type, condition)
        return {
            "permission": cast(Permission, request.permission) if request.permission else None,
            "role": role,
            "expires_at": expires_at,
            "condition": condition,
        }

    def _revoke_share(
        self, request: permissions_pb2.ShareRequest, token: str | None
    ) -> acknowledgement_pb2.Acknowledgement:
        found = self.rights.require_manageable(request, token)
        _, type, id = find_grantee(self.world, found.workspace_id, request)
        share = _find_share(found, type, id)
        if share is None:
            raise NotFoundError("SHARE_NOT_FOUND", "Share not found")
        found.shares = [other for other in found.shares if other is not share]
        return acknowledgement_pb2.Acknowledgement()

    def _update_visibility(
        self, request: permissions_pb2.UpdateVisibilityRequest, token: str | None
    ) -> permissions_pb2.ResourcePermissionResponse:
        found = self.rights.require_manageable(request, token)
        self.world.require_visibility(found.type, request.visibility)
        found.visibility = cast(Visibility, request.visibility)
        return view_resource(found)

    def _update_attributes(
        self, request: permissions_pb2.UpdateAttributesRequest, token: str | None
    ) -> permissions_pb2.ResourcePermissionResponse:
        found = self.rights.require_manageable(request, token)
        found.attributes = _merge_patch(found.attributes, MessageToDict(request.attributes))
        return view_resource(found)

    def _update_resource(
        self, request: permissions_pb2.UpdateResourceRequest, token: str | None
    ) -> permissions_pb2.ResourcePermissionResponse:
        found = self.rights.require_manageable(request, token)
        found.display_name = request.display_name if request.HasField("display_name") else None
        return view_resource(found)

    def _update_parent(
        self, request: permissions_pb2.UpdateParentRequest, token: str | None
    ) -> permissions_pb2.ResourcePermissionResponse:
        found = self.rights.require_manageable(request, token)
        if request.HasField("parent"):
            parent = self._require_parent(found.workspace_id, request)
            if parent is not found.parent:
                self.rights.require_editable_parent(parent, token, request.context)
                self._move(found, parent)
        if request.detach:
            found.parent = None
        if request.HasField("inherits"):
            found.inherits = request.inherits
        return view_resource(found)

    def _require_parent(self, workspace_id: str, request: Any) -> Registered:
        reference = request.parent
        parent = self.world.resources.get((reference.resource_type, reference.resource_id))
        if parent is None or parent.workspace_id != workspace_id:
            raise invalid_argument(("parent", "must be a resource of the same service and workspace"))
        return parent

    def _move(self, resource: Registered, parent: Registered) -> None:
        if parent is resource or _depth_below(parent, resource) > 0:
            message = "A resource cannot be its own ancestor"
            raise DaikonError("already_exists", "PARENT_CYCLE", message)
        above, current = 1, parent
        while current.parent is not None:
            above, current = above + 1, current.parent
        below = max(_depth_below(other, resource) for other in self.world.resources.values())
        if above + 1 + below > _max_chain_length:
            message = f"must not be nested more than {_max_chain_length} levels deep"
            raise invalid_argument(("parent", message))
        resource.parent = parent

    def _transfer_ownership(
        self, request: permissions_pb2.TransferOwnershipRequest, token: str | None
    ) -> permissions_pb2.ResourcePermissionResponse:
        require_id(self.world, "owner_id", request.owner_id)
        found = self.rights.require_manageable(request, token)
        self.rights.require_ownership(found, token, request.context)
        require_member(self.world, found.workspace_id, "owner_id", request.owner_id)
        found.owner_id = request.owner_id
        return view_resource(found)

    def _create_link(self, request: links_pb2.CreateLinkRequest, token: str | None) -> links_pb2.CreatedLink:
        claims = self.rights.require_user(token)
        found = self.rights.require_manageable(request, token)
        terms = self._read_terms(found.type, request)
        if request.role and "manage" in (self.world.find_resource_role(found.type, request.role) or ()):
            raise invalid_argument(("role", "must not contain manage"))
        link = Link(
            id=str(uuid.uuid4()),
            token=f"dl_{uuid.uuid4()}",
            name=request.name if request.HasField("name") else None,
            created_by=claims["sub"],
            created_at=datetime.now(timezone.utc),
            **terms,
        )
        found.links.append(link)
        return view_created_link(link)

    def _list_links(
        self, request: links_pb2.ListLinksRequest, token: str | None
    ) -> links_pb2.ListLinksResponse:
        self.rights.require_user(token)
        found = self.rights.require_manageable(request, token)
        now = datetime.now(timezone.utc)
        links = [link for link in found.links if link.expires_at is None or link.expires_at > now]
        return links_pb2.ListLinksResponse(links=[view_link(link) for link in links])

    def _delete_link(
        self, request: links_pb2.DeleteLinkRequest, token: str | None
    ) -> links_pb2.DeleteLinkResponse:
        require_id(self.world, "link_id", request.link_id)
        self.rights.require_user(token)
        found = self.rights.require_manageable(request, token)
        kept = [link for link in found.links if link.id != request.link_id]
        if len(kept) == len(found.links):
            raise NotFoundError("LINK_NOT_FOUND", "Link not found")
        found.links = kept
        return links_pb2.DeleteLinkResponse()

    def _register_actions(
        self, request: permissions_pb2.RegisterActionsRequest, _token: str | None
    ) -> permissions_pb2.ServiceActions:
        self.world.actions.update(action.name for action in request.actions)
        return permissions_pb2.ServiceActions(service_name=request.service_name)

    def _put_resource_type(
        self, request: permissions_pb2.PutResourceTypeRequest, _token: str | None
    ) -> permissions_pb2.ResourceType:
        declared = DeclaredType(
            request.resource_type,
            request.description,
            request.allow_public,
            tuple(RoleDeclaration(role.name, tuple(role.actions), role.description) for role in request.roles),
            tuple(
                ConditionDeclaration(
                    condition.name,
                    condition.expression,
                    MessageToDict(condition.parameters),
                    condition.description,
                )
                for condition in request.conditions
            ),
            tuple(
                Requirement(requirement.action, requirement.condition, requirement.inherited)
                for requirement in request.requirements
            ),
        )
        view = view_type(self.world.service, declared)
        if not request.dry_run:
            declare(self.world, declared)
            return view
        require_valid(self.world, declared)
        uses = count_uses(self.world, declared.type)
        view.resources = uses.resources
        if any(requirement.inherited for requirement in declared.requirements):
            view.resources_below = count_below(self.world, declared.type)
        view.roles_used.update(dict(uses.roles))
        view.conditions_used.update(dict(uses.conditions))
        return view

    def _list_resource_types(
        self, _request: permissions_pb2.ListResourceTypesRequest, _token: str | None
    ) -> permissions_pb2.ListResourceTypesResponse:
        declared = self.world.resource_types.values()
        types = [view_type(self.world.service, declaration) for declaration in declared]
        return permissions_pb2.ListResourceTypesResponse(types=types)

    def _delete_resource_type(
        self, request: permissions_pb2.DeleteResourceTypeRequest, _token: str | None
    ) -> permissions_pb2.DeleteResourceTypeResponse:
        delete_declaration(self.world, request.resource_type)
        return permissions_pb2.DeleteResourceTypeResponse()


def _with_fields(
    list_name: str, items: Iterable[Item], read: Callable[[Item], Result], undo: Callable[[], None]
) -> list[Result]:
    """Reads each item. If any fails, undoes all and raises the problems with fields such as
    `shares[3].grantee_id`."""
    results: list[Result] = []
    problems: list[tuple[str, str]] = []
    for index, item in enumerate(items):
        try:
            results.append(read(item))
        except InvalidArgumentError as error:
            problems += [(f"{list_name}[{index}].{field.field}", field.message) for field in error.fields]
        except DaikonError:
            undo()
            raise
    if problems:
        undo()
        raise invalid_argument(*problems)
    return results


def _depth_below(resource: Registered, above: Registered) -> int:
    """How far a resource is below another one; 0 if it is not."""
    depth, parent = 1, resource.parent
    while parent is not None:
        if parent is above:
            return depth
        depth, parent = depth + 1, parent.parent
    return 0


def _merge_patch(target: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Applies a merge patch (RFC 7396) to an object."""
    merged = dict(target)
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, dict):
            before = merged.get(name)
            merged[name] = _merge_patch(before if isinstance(before, dict) else {}, value)
        else:
            merged[name] = value
    return merged


def _find_share(resource: Registered, type: str, id: str) -> Share | None:
    return next(
        (share for share in resource.shares if (share.grantee_type, share.grantee_id) == (type, id)), None
    )
