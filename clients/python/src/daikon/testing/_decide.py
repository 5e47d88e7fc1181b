from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

from ..types import Explanation, Reason, ResourceKey, Role, Rule
from . import _access as access
from ._world import Registered, Share, User, World


def decide(
    world: World,
    user: User | None,
    workspace_id: str | None,
    action: str,
    resource: Registered | None,
) -> Explanation:
    """Decides by the rules of the server. `workspace_id` is the token's workspace, or None."""
    denial = find_denial(world, user, workspace_id, resource)
    if denial is not None:
        reasons = _find_public(world, user, action, resource)
        return Explanation(True, reasons) if reasons else _deny(denial)
    assert user is not None and resource is not None
    role = _find_role(world, user, resource.workspace_id)
    assert role is not None
    found = _find_grants(world, user, action, resource)
    custom_roles = _find_custom_roles(world, user, action, resource)
    facts = access.REGISTERED
    for bits, _ in found:
        facts |= bits
    if action in world.actions:
        facts |= access.ACTION_REGISTERED
    if custom_roles:
        facts |= access.ACTION_GRANTED
    if access.is_allowed(role, action, facts):
        return Explanation(True, _list_reasons(role, action, facts, found, custom_roles))
    is_known = access.is_allowed("owner", action, facts)
    return _deny("no_grant" if is_known else "action_unknown")


def find_denial(
    world: World, user: User | None, workspace_id: str | None, resource: Registered | None
) -> Rule | None:
    """Why the user has no role in the workspace of the resource, or None if they do."""
    if user is None or user.is_unknown:
        return "user_unknown"
    if not user.is_active:
        return "user_inactive"
    if resource is None or workspace_id not in (None, resource.workspace_id):
        return "resource_unknown"
    return "not_a_member" if _find_role(world, user, resource.workspace_id) is None else None


def _find_public(
    world: World, user: User | None, action: str, resource: Registered | None
) -> tuple[Reason, ...]:
    """The reasons why everybody may perform an action, except users who are inactive."""
    if user is None or not user.is_active or resource is None or action != "view":
        return ()
    grants = _find_grants(world, User(""), action, resource)
    return tuple(reason for bits, reason in grants if bits & access.PUBLIC)


def _find_role(world: World, user: User, workspace_id: str) -> Role | None:
    if not user.is_group:
        return world.find_role(workspace_id, user.id)
    return "viewer" if world.groups[user.id].workspace_id == workspace_id else None


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
    reasons += [reason for bits, reason in found if bits & sufficient]
    # The role of a share can allow an action without view, which a custom role needs.
    if action not in access.BUILT_IN_ACTIONS and access.is_allowed(role, "view", facts):
        reasons += custom_roles
    return tuple(reasons)


def is_owner(world: World, user: User, resource: Registered) -> bool:
    """Whether a user owns a resource or an ancestor that it inherits from, or administers its workspace."""
    role = world.find_role(resource.workspace_id, user.id)
    if role is not None and access.covers_workspace(role):
        return True
    return any(bits & access.OWNER for bits, _ in _find_grants(world, user, "manage", resource))


def _find_grants(world: World, user: User, action: str, resource: Registered) -> list[tuple[int, Reason]]:
    """The grants of a user on a resource and on the ancestors that it inherits from."""
    group_ids = _find_groups(world, user.id)
    # Inherited from a public resource by one that may not be public, the visibility means `workspace`.
    allows_public = resource.type in world.public_types
    found: list[tuple[int, Reason]] = []
    now = datetime.now(timezone.utc)
    current: Registered | None = resource
    while current is not None:
        grants: list[tuple[int, Reason]] = []
        if current.owner_id == user.id:
            grants.append((access.OWNER, Reason("owner")))
        if current.visibility == "public" and allows_public:
            grants.append((access.WORKSPACE | access.PUBLIC, Reason("public")))
        elif current.visibility != "private":
            grants.append((access.WORKSPACE, Reason("workspace_visibility")))
        for share in current.shares:
            if share.expires_at is not None and share.expires_at <= now:
                continue
            bits = _share_bits(world, current.type, share, action)
            reason = Reason(
                "share",
                permission=share.permission,
                role=share.role,
                share_id=share.id,
                expires_at=share.expires_at,
            )
            if share.grantee_type == "user" and share.grantee_id == user.id:
                grants.append((bits, reason))
            if share.grantee_type == "group" and share.grantee_id in group_ids:
                grants.append((bits, replace(reason, rule="group_share", group_id=share.grantee_id)))
        if current is not resource:
            ancestor = ResourceKey(current.type, current.resource_id)
            grants = [(bits, replace(reason, inherited_from=ancestor)) for bits, reason in grants]
        found += grants
        current = current.parent if current.inherits else None
    return found


def _share_bits(world: World, type: str, share: Share, action: str) -> int:
    """The grants that a share of a resource gives for an action."""
    if share.role is None:
        return access.EDIT | access.VIEW if share.permission == "edit" else access.VIEW
    actions = world.find_resource_role(type, share.role) or []
    bits = access.VIEW if any(name in actions for name in access.BUILT_IN_ACTIONS) else 0
    if "edit" in actions:
        bits |= access.EDIT
    if "manage" in actions:
        bits |= access.MANAGE
    if action in actions:
        bits |= access.ACTION
    return bits


def _find_custom_roles(world: World, user: User, action: str, resource: Registered) -> list[Reason]:
    if action not in world.actions:
        return []
    roles = [
        role
        for role in world.custom_roles
        if role["workspace_id"] == resource.workspace_id and action in role["actions"]
    ]
    group_ids = _find_groups(world, user.id)
    direct = [Reason("custom_role", role=role["name"]) for role in roles if user.id in role["members"]]
    of_groups = [
        Reason("custom_role", role=role["name"], group_id=group_id)
        for role in roles
        for group_id in role.get("groups", [])
        if group_id in group_ids
    ]
    return direct + of_groups


def _find_groups(world: World, user_id: str) -> set[str]:
    """The groups that contain the user, directly or through other groups, or the group itself."""
    found = {id for id, group in world.groups.items() if user_id in group.members or id == user_id}
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
