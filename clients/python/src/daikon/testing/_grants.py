from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timezone

from ..types import Reason, ResourceKey
from . import _access as access
from ._conditions import Evaluate
from ._subjects import FakeSubject, has_guest
from ._world import Link, Registered, Share, World


@dataclass(frozen=True, slots=True)
class Found:
    """A grant and its bits of `_access`: none if it does not count."""

    bits: int
    reason: Reason
    withheld_bits: int = 0
    """The bits that it would have if it counted."""
    failure: Reason | None = None
    """Why it does not count, if that is the reason for a denial."""


def find_grants(
    world: World, subject: FakeSubject, action: str, resource: Registered, evaluate: Evaluate
) -> list[Found]:
    """The grants of a subject on a resource and on the ancestors that it inherits from."""
    group_ids = _find_groups(world, subject.id)
    # Inherited from a public resource by one that may not be public, the visibility means `workspace`.
    allows_public = world.find_declaration(resource.type).allow_public
    is_guest = has_guest(world, subject, resource.workspace_id)
    found: list[Found] = []
    current: Registered | None = resource
    while current is not None:
        ancestor = None if current is resource else ResourceKey(current.type, current.resource_id)
        grants: list[Found] = []
        if current.owner_id == subject.id:
            grants.append(Found(access.OWNER, Reason("owner")))
        if current.visibility == "public" and allows_public:
            grants.append(Found(access.WORKSPACE | access.PUBLIC, Reason("public")))
        elif current.visibility != "private" and subject.kind != "link":
            # The holder of a link is no member.
            reason = Reason("workspace_visibility")
            if is_guest:
                failure = Reason("guest", inherited_from=ancestor)
                grants.append(Found(0, reason, access.WORKSPACE, failure))
            else:
                grants.append(Found(access.WORKSPACE, reason))
        for share in current.shares:
            reason = Reason("share", share_id=share.id)
            if share.grantee_type == "user" and share.grantee_id == subject.id:
                grants += _judge(world, current.type, share, action, reason, evaluate)
            if share.grantee_type == "group" and share.grantee_id in group_ids:
                reason = replace(reason, rule="group_share", group_id=share.grantee_id)
                grants += _judge(world, current.type, share, action, reason, evaluate)
        for link in current.links:
            if subject.kind == "link" and link.id == subject.id:
                reason = Reason("link", link_id=link.id)
                grants += _judge(world, current.type, link, action, reason, evaluate)
        if ancestor is not None:
            grants = [replace(grant, reason=replace(grant.reason, inherited_from=ancestor)) for grant in grants]
        found += grants
        current = current.parent if current.inherits else None
    return found


def find_custom_roles(world: World, subject: FakeSubject, action: str, workspace_id: str) -> list[Reason]:
    """The custom roles with which a subject may perform a registered action."""
    if action not in world.actions:
        return []
    roles = [
        role
        for role in world.custom_roles
        if role["workspace_id"] == workspace_id and action in role["actions"]
    ]
    group_ids = _find_groups(world, subject.id)
    direct = [Reason("custom_role", role=role["name"]) for role in roles if subject.id in role["members"]]
    of_groups = [
        Reason("custom_role", role=role["name"], group_id=group_id)
        for role in roles
        for group_id in role.get("groups", [])
        if group_id in group_ids
    ]
    return direct + of_groups


def _judge(
    world: World, type: str, granted: Share | Link, action: str, reason: Reason, evaluate: Evaluate
) -> list[Found]:
    """What a share or link grants; nothing after its end."""
    if granted.expires_at is not None and granted.expires_at <= datetime.now(timezone.utc):
        return []
    condition = granted.condition
    reason = replace(
        reason,
        permission=granted.permission,
        role=granted.role,
        expires_at=granted.expires_at,
        condition=None if condition is None else condition.name,
    )
    bits = _bits_of(world, type, granted, action)
    if condition is None:
        return [Found(bits, reason)]
    verdict = evaluate(condition)
    if not verdict.has_failed:
        return [Found(bits if verdict.is_true else 0, reason)]
    failure = Reason(
        "condition_failed",
        condition=reason.condition,
        share_id=reason.share_id,
        link_id=reason.link_id,
    )
    return [Found(0, reason, bits, failure)]


def _bits_of(world: World, type: str, granted: Share | Link, action: str) -> int:
    if granted.role is None:
        return access.EDIT | access.VIEW if granted.permission == "edit" else access.VIEW
    actions = world.find_resource_role(type, granted.role) or ()
    bits = access.VIEW if any(name in actions for name in access.BUILT_IN_ACTIONS) else 0
    if "edit" in actions:
        bits |= access.EDIT
    if "manage" in actions:
        bits |= access.MANAGE
    if action in actions:
        bits |= access.ACTION
    return bits


def _find_groups(world: World, id: str) -> set[str]:
    """The groups that contain the user, directly or through other groups, or the group itself."""
    found = {group_id for group_id, group in world.groups.items() if id in group.members or group_id == id}
    unvisited = list(found)
    while unvisited:
        child = unvisited.pop()
        for group_id, group in world.groups.items():
            if child in group.groups and group_id not in found:
                found.add(group_id)
                unvisited.append(group_id)
    return found
