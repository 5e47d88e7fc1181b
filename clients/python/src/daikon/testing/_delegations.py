from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Literal

from ..types import Explanation, Reason
from ._declarations import WORKSPACE_TYPE
from ._world import Delegation, Registered, World

_Limit = Literal["action", "type", "resource"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a delegation is asked to cover."""

    action: str
    type: str
    resource: Registered | None
    """None for a workspace itself."""
    workspace_id: str | None
    """The workspace of the resource, or the one that is asked about."""
    is_known: bool
    """Whether the resource exists for the user; otherwise it is no reason that it is not covered."""


def decide_delegated(world: World, delegation: Delegation, asked: Asked, of_user: Explanation) -> Explanation:
    """Adds to a decision about a user what the delegation of an agent says."""
    denials = _find_denials(world, delegation, asked)
    if denials:
        return Explanation(False, (*(() if of_user.allowed else of_user.reasons), *denials))
    if not of_user.allowed:
        return of_user
    granted = _reason("delegation", delegation, expires_at=delegation.expires_at)
    return Explanation(True, (*of_user.reasons, granted))


def _find_denials(world: World, delegation: Delegation, asked: Asked) -> list[Reason]:
    """Returns why a delegation does not allow what its user may do: nothing if it does."""
    user = world.users[delegation.user_id]
    is_member = user.is_active and world.find_role(delegation.workspace_id, user.id) is not None
    if delegation.is_ended or not is_member:
        return [_reason("delegation_ended", delegation)]
    expires_at = delegation.expires_at
    if expires_at is not None and expires_at <= datetime.now(timezone.utc):
        return [_reason("delegation_expired", delegation, expires_at=expires_at)]
    return [
        _reason("delegation_does_not_cover", delegation, uncovered)
        for uncovered in _find_exceeded(world, delegation, asked)
    ]


def _find_exceeded(world: World, delegation: Delegation, asked: Asked) -> Iterator[_Limit]:
    # `manage` and workspaces are covered by name alone.
    if not _covers_name(delegation.actions, asked.action, "manage"):
        yield "action"
    is_of_service = delegation.service == world.service
    if not is_of_service or not _covers_name(delegation.resource_types, asked.type, WORKSPACE_TYPE):
        yield "type"
    if asked.is_known and not _covers_resource(delegation, asked):
        yield "resource"


def _covers_name(names: Sequence[str] | None, name: str, only_by_name: str) -> bool:
    return name != only_by_name if names is None else name in names


def _covers_resource(delegation: Delegation, asked: Asked) -> bool:
    resource = asked.resource
    if asked.workspace_id != delegation.workspace_id:
        return False
    if delegation.resources is None:
        return True
    # A resource that is registered again is another one.
    listed = {id(each) for each in delegation.resources}
    return resource is not None and any(id(each) in listed for each in resource.reached())


def _reason(
    rule: Literal["delegation", "delegation_ended", "delegation_expired", "delegation_does_not_cover"],
    delegation: Delegation,
    uncovered: _Limit | None = None,
    expires_at: datetime | None = None,
) -> Reason:
    return Reason(
        rule,
        delegation_id=delegation.id,
        agent=delegation.agent,
        expires_at=expires_at,
        uncovered=uncovered,
    )
