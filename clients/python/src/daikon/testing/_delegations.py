from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Literal

from ..types import Explanation, Reason
from ._world import Delegation, Registered, World


def decide_delegated(
    world: World,
    delegation: Delegation,
    action: str,
    type: str,
    resource: Registered | None,
    of_user: Explanation,
) -> Explanation:
    """Adds to a decision about a user what the delegation of an agent says."""
    denial = _find_denial(world, delegation, action, type, resource)
    if denial is not None:
        return Explanation(False, (*(() if of_user.allowed else of_user.reasons), denial))
    if not of_user.allowed:
        return of_user
    return Explanation(True, (*of_user.reasons, _reason("delegation", delegation)))


def _find_denial(
    world: World, delegation: Delegation, action: str, type: str, resource: Registered | None
) -> Reason | None:
    user = world.users[delegation.user_id]
    if not user.is_active or world.find_role(delegation.workspace_id, user.id) is None:
        return _reason("delegation_ended", delegation)
    if delegation.expires_at is not None and delegation.expires_at <= datetime.now(timezone.utc):
        return _reason("delegation_expired", delegation)
    # `manage` and workspaces are covered by name alone.
    if not _covers_name(delegation.actions, action, "manage"):
        return _reason("delegation_does_not_cover", delegation, "action")
    if not _covers_name(delegation.resource_types, type, "workspace"):
        return _reason("delegation_does_not_cover", delegation, "type")
    if delegation.service != world.service or not _covers_resource(delegation, resource):
        return _reason("delegation_does_not_cover", delegation, "resource")
    return None


def _covers_name(names: Sequence[str] | None, name: str, only_by_name: str) -> bool:
    return name != only_by_name if names is None else name in names


def _covers_resource(delegation: Delegation, resource: Registered | None) -> bool:
    if resource is not None and resource.workspace_id != delegation.workspace_id:
        return False
    if delegation.resources is None:
        return True
    # A resource that is registered again is another one.
    listed = {id(each) for each in delegation.resources}
    return resource is not None and any(id(each) in listed for each in resource.reached())


def _reason(
    rule: Literal["delegation", "delegation_ended", "delegation_expired", "delegation_does_not_cover"],
    delegation: Delegation,
    uncovered: Literal["action", "type", "resource"] | None = None,
) -> Reason:
    return Reason(
        rule,
        delegation_id=delegation.id,
        agent=delegation.agent,
        expires_at=delegation.expires_at,
        uncovered=uncovered,
    )
