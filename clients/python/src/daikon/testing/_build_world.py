from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timezone

from .._arguments import resource_id
from ..types import Agent, DeclaredType
from ._conditions import WorldCondition
from ._declarations import declare, require_condition
from ._world import (
    Delegation,
    Registered,
    Share,
    World,
    WorldAgent,
    WorldDelegation,
    WorldGroup,
    WorldMember,
    WorldResource,
    WorldResourceType,
    WorldRole,
    WorldShare,
    WorldUser,
    WorldWorkspace,
)


def build_world(
    *,
    service: str,
    users: Iterable[WorldUser],
    workspaces: Iterable[WorldWorkspace],
    members: Iterable[WorldMember],
    groups: Iterable[WorldGroup],
    actions: Iterable[str],
    roles: Iterable[WorldRole],
    resource_types: Iterable[WorldResourceType],
    conditions: Mapping[str, WorldCondition],
    resources: Iterable[WorldResource],
    shares: Iterable[WorldShare],
    delegations: Iterable[WorldDelegation],
) -> World:
    """Builds the world of a fake from the arguments of its constructor.

    Raises:
        ValueError: An argument refers to something that no other argument contains.
    """
    world = World(
        service=service,
        users=users,
        workspaces=workspaces,
        members=members,
        groups=groups,
        actions=actions,
        roles=roles,
        conditions=conditions,
    )
    for declared in resource_types:
        declaration = DeclaredType(
            declared["type"],
            declared.get("description", ""),
            declared.get("allow_public", False),
            tuple(declared.get("roles", ())),
            tuple(declared.get("conditions", ())),
            tuple(declared.get("requirements", ())),
        )
        declare(world, declaration)
    for resource in resources:
        _add_resource(world, resource)
    for share in shares:
        _add_share(world, share)
    for delegation in delegations:
        _add_delegation(world, delegation)
    return world


def _add_resource(world: World, resource: WorldResource) -> None:
    type, id = resource["type"], resource["id"]
    parent = None
    if "parent" in resource:
        parent = world.find(resource["parent"])
        if parent is None:
            raise ValueError(f"resources: list the parent of {type} {id} before it")
    if (resource["workspace_id"], resource["owner_id"]) not in world.members:
        raise ValueError(f"resources: the owner of {type} {id} is not in members of its workspace")
    world.require_visibility(type, resource.get("visibility", "private"))
    key = resource_id(world.service, type, id)
    world.resources[type, key] = Registered(
        type=type,
        id=id,
        resource_id=key,
        workspace_id=resource["workspace_id"],
        owner_id=resource["owner_id"],
        visibility=resource.get("visibility", "private"),
        parent=parent,
        inherits=resource.get("inherits", True),
        created_at=datetime.now(timezone.utc),
        attributes=dict(resource.get("attributes", {})),
        display_name=resource.get("display_name"),
    )


def _add_delegation(world: World, delegation: WorldDelegation) -> None:
    id, workspace_id, user_id = delegation["id"], delegation["workspace_id"], delegation["user_id"]
    if (workspace_id, user_id) not in world.members:
        raise ValueError(f"delegations: the user of {id} is not in members of its workspace")
    actions, types, listed = (delegation.get(key) for key in ("actions", "resource_types", "resources"))
    if actions is None and types is None and listed is None:
        raise ValueError(f"delegations: {id} needs actions, resource_types or resources")
    resources: list[Registered] | None = None
    if "resources" in delegation:
        resources = []
        for resource in delegation["resources"]:
            found = world.find(resource)
            if found is None:
                raise ValueError(f"delegations: {resource.type} {resource.id} is not in resources")
            resources.append(found)
    unnamed: WorldAgent = {"type": "service_account", "id": "agent"}
    agent = delegation.get("agent", unnamed)
    world.delegations[id] = Delegation(
        id=id,
        user_id=user_id,
        workspace_id=workspace_id,
        agent=Agent(agent["type"], agent["id"], agent.get("name", agent["id"])),
        service=delegation.get("service_name", world.service),
        actions=delegation.get("actions"),
        resource_types=delegation.get("resource_types"),
        resources=resources,
        expires_at=delegation.get("expires_at"),
        is_ended=delegation.get("ended", False),
    )


def _add_share(world: World, share: WorldShare) -> None:
    resource = share["resource"]
    found = world.find(resource)
    if found is None:
        raise ValueError(f"shares: {resource.type} {resource.id} is not in resources")
    group_id = share.get("group_id")
    if group_id is not None and group_id not in world.groups:
        raise ValueError(f"shares: the group {group_id} is not in groups")
    permission, role = share.get("permission"), share.get("role")
    if (permission is None) == (role is None):
        raise ValueError(f"shares: pass a permission or a role of {resource.type} {resource.id}")
    if role is not None and world.find_resource_role(resource.type, role) is None:
        raise ValueError(f"shares: the role {role} of {resource.type} is not in resource_types")
    require_condition(world, resource.type, share.get("condition"))
    found.shares.append(
        Share(
            id=f"share-{len(found.shares) + 1}",
            grantee_type="user" if group_id is None else "group",
            grantee_id=share["user_id"] if group_id is None else group_id,
            permission=permission,
            role=role,
            granted_by=found.owner_id,
            granted_at=datetime.now(timezone.utc),
            expires_at=share.get("expires_at"),
            condition=share.get("condition"),
        )
    )
