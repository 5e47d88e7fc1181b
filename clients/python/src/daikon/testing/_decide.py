from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

from ..types import Explanation, Reason, ResourceKey, Role, Rule
from . import _access as access
from ._world import Registered, User, World


def decide(
    world: World,
    user: User | None,
    workspace_id: str | None,
    action: str,
    resource: Registered | None,
) -> Explanation:
    """Decides by the rules of the server. `workspace_id` is that of an access token."""
    if user is None:
        return _deny("user_unknown")
    if not user.is_active:
        return _deny("user_inactive")
    if resource is None or workspace_id not in (None, resource.workspace_id):
        return _deny("resource_unknown")
    role = world.roles.get((resource.workspace_id, user.id))
    if role is None:
        return _deny("not_a_member")
    found = _find_grants(world, user, resource)
    custom_roles = _find_custom_roles(world, user, action, resource)
    facts = access.REGISTERED
    for bit, _ in found:
        facts |= bit
    if action in world.actions:
        facts |= access.ACTION_REGISTERED
    if custom_roles:
        facts |= access.ACTION_GRANTED
    if access.is_allowed(role, action, facts):
        return Explanation(True, _list_reasons(role, action, facts, found, custom_roles))
    is_known = access.is_allowed("owner", action, facts)
    return _deny("no_grant" if is_known else "action_unknown")


def _list_reasons(
    role: Role,
    action: str,
    facts: int,
    found: list[tuple[int, Reason]],
    custom_roles: list[Reason],
) -> tuple[Reason, ...]:
    is_covered = access.covers_workspace(role)
    sufficient = access.sufficient_grants("editor" if is_covered else role, action, facts)
    reasons = [Reason("workspace_role", role=role)] if is_covered else []
    reasons += [reason for bit, reason in found if bit & sufficient]
    is_visible = any(reason.rule not in ("workspace_role", "owner") for reason in reasons)
    if action not in access.BUILT_IN_ACTIONS and is_visible:
        reasons += custom_roles
    return tuple(reasons)


def _find_grants(world: World, user: User, resource: Registered) -> list[tuple[int, Reason]]:
    """The grants of a user on a resource, and on the ancestors from which it inherits."""
    group_ids = _find_groups(world, user.id)
    found: list[tuple[int, Reason]] = []
    now = datetime.now(timezone.utc)
    current: Registered | None = resource
    while current is not None:
        grants: list[tuple[int, Reason]] = []
        if current.owner_id == user.id:
            grants.append((access.OWNER, Reason("owner")))
        if current.visibility == "workspace":
            grants.append((access.WORKSPACE, Reason("workspace_visibility")))
        for share in current.shares:
            if share.expires_at is not None and share.expires_at <= now:
                continue
            bit = access.EDIT | access.VIEW if share.permission == "edit" else access.VIEW
            reason = Reason(
                "share",
                permission=share.permission,
                share_id=share.id,
                expires_at=share.expires_at,
            )
            if share.grantee_type == "user" and share.grantee_id == user.id:
                grants.append((bit, reason))
            if share.grantee_type == "group" and share.grantee_id in group_ids:
                grants.append((bit, replace(reason, rule="group_share", group_id=share.grantee_id)))
        if current is not resource:
            ancestor = ResourceKey(current.type, current.resource_id)
            grants = [(bit, replace(reason, inherited_from=ancestor)) for bit, reason in grants]
        found += grants
        current = current.parent if current.inherits else None
    return found


def _find_custom_roles(world: World, user: User, action: str, resource: Registered) -> list[Reason]:
    if action not in world.actions:
        return []
    return [
        Reason("custom_role", role=role["name"])
        for role in world.custom_roles
        if role["workspace_id"] == resource.workspace_id
        and action in role["actions"]
        and user.id in role["members"]
    ]


def _find_groups(world: World, user_id: str) -> set[str]:
    """The groups of a user: those that contain them, and the groups that contain these."""
    found = {id for id, group in world.groups.items() if user_id in group.members}
    unvisited = list(found)
    while unvisited:
        child = unvisited.pop()
        for id, group in world.groups.items():
            if child in group.groups and id not in found:
                found.add(id)
                unvisited.append(id)
    return found


def _deny(rule: Rule) -> Explanation:
    return Explanation(False, (Reason(rule),))
