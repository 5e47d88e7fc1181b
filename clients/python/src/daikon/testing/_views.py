from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from .._arguments import is_uuid
from ..types import Condition, DeclaredType
from ..v1 import links_pb2, permissions_pb2
from ._world import Link, Registered, Share, World


def view_resource(resource: Registered) -> permissions_pb2.ResourcePermissionResponse:
    now = datetime.now(timezone.utc)
    current = [share for share in resource.shares if share.expires_at is None or share.expires_at > now]
    view = permissions_pb2.ResourcePermissionResponse(
        resource_type=resource.type,
        resource_id=resource.resource_id,
        workspace_id=resource.workspace_id,
        owner_id=resource.owner_id,
        visibility=resource.visibility,
        created_at=resource.created_at,
        inherits=resource.inherits,
        shares=[view_share(share) for share in current],
        display_name=resource.display_name,
    )
    view.attributes.update(resource.attributes)
    if not is_uuid(resource.id):
        view.external_id = resource.id
    if resource.parent is not None:
        view.parent.resource_type = resource.parent.type
        view.parent.resource_id = resource.parent.resource_id
    return view


def add_ancestors(view: permissions_pb2.ResourcePermissionResponse, resource: Registered) -> None:
    """Adds what a resource inherits."""
    while resource.parent is not None and resource.inherits:
        resource = resource.parent
        ancestor = view_resource(resource)
        view.ancestors.add(
            resource_type=ancestor.resource_type,
            resource_id=ancestor.resource_id,
            external_id=ancestor.external_id or None,
            display_name=resource.display_name,
            owner_id=ancestor.owner_id,
            visibility=ancestor.visibility,
            shares=ancestor.shares,
        )


def add_names(
    world: World, view: permissions_pb2.ResourcePermissionResponse | permissions_pb2.InheritedGrants
) -> None:
    """Adds the names of the owner and of the users and groups with whom a resource is shared."""
    owner = world.users[view.owner_id]
    view.owner_name, view.owner_email = owner.name, owner.email
    for share in view.shares:
        if share.grantee_type == "group":
            share.grantee_name = world.groups[share.grantee_id].name
        elif user := world.users.get(share.grantee_id):
            share.grantee_name, share.grantee_email = user.name, user.email


def view_share(share: Share) -> permissions_pb2.ShareResponse:
    view = permissions_pb2.ShareResponse(
        id=share.id,
        grantee_type=share.grantee_type,
        grantee_id=share.grantee_id,
        permission=share.permission,
        role=share.role,
        granted_by=share.granted_by,
        granted_at=share.granted_at,
        expires_at=share.expires_at,
    )
    _set_condition(view, share.condition)
    return view


def view_link(link: Link) -> links_pb2.ResourceLink:
    view = links_pb2.ResourceLink(
        id=link.id,
        permission=link.permission,
        role=link.role,
        name=link.name,
        created_by=link.created_by,
        created_at=link.created_at,
        expires_at=link.expires_at,
    )
    _set_condition(view, link.condition)
    return view


def view_created_link(link: Link) -> links_pb2.CreatedLink:
    """A link with its token."""
    created = links_pb2.CreatedLink(token=link.token)
    view = view_link(link)
    for field, value in view.ListFields():
        if field.message_type is None:
            setattr(created, field.name, value)
        else:
            getattr(created, field.name).CopyFrom(value)
    return created


def view_type(service: str, declared: DeclaredType) -> permissions_pb2.ResourceType:
    view = permissions_pb2.ResourceType(
        service_name=service,
        resource_type=declared.type,
        description=declared.description,
        allow_public=declared.allow_public,
    )
    for role in declared.roles:
        view.roles.add(name=role.name, description=role.description, actions=role.actions)
    for condition in declared.conditions:
        added = view.conditions.add(
            name=condition.name, description=condition.description, expression=condition.expression
        )
        added.parameters.update(dict(condition.parameters))
    for requirement in declared.requirements:
        view.requirements.add(
            action=requirement.action, condition=requirement.condition, inherited=requirement.inherited
        )
    return view


def _set_condition(view: Any, condition: Condition | None) -> None:
    if condition is not None:
        view.condition.name = condition.name
        view.condition.params.update(dict(condition.params or {}))
