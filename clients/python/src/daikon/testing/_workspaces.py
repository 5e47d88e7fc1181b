from __future__ import annotations

from ..types import Explanation, Reason, Rule
from . import _access as access
from ._declarations import WORKSPACE_TYPE
from ._delegations import Asked, decide_delegated
from ._grants import find_custom_roles
from ._subjects import FakeSubject, find_role_of
from ._world import World


def is_workspace(type: str) -> bool:
    """Whether a type stands for workspaces of daikon."""
    return type == WORKSPACE_TYPE


def find_workspace(world: World, name: str) -> str | None:
    """Finds a workspace by its ID or slug."""
    if name in world.workspaces:
        return name
    return next((id for id, slug in world.workspaces.items() if slug == name), None)


def decide_workspace(world: World, subject: FakeSubject, action: str, workspace_id: str | None) -> Explanation:
    """Decides about a workspace itself: members may view it, owners and admins may do everything, and members
    who have a custom role with an action may perform it."""
    decided = _decide_user(world, subject, action, workspace_id)
    if subject.delegation is None:
        return decided
    asked = Asked(action, WORKSPACE_TYPE, None, workspace_id, is_known=True)
    return decide_delegated(world, subject.delegation, asked, decided)


def _decide_user(world: World, subject: FakeSubject, action: str, workspace_id: str | None) -> Explanation:
    if subject.kind == "link":
        return _deny("no_grant")
    if not subject.is_known:
        return _deny("user_unknown")
    if not subject.is_active:
        return _deny("user_inactive")
    if workspace_id is None or subject.workspace_id not in (None, workspace_id):
        return _deny("resource_unknown")
    role = find_role_of(world, subject, workspace_id)
    if role is None:
        return _deny("not_a_member")
    is_built_in = action in access.BUILT_IN_ACTIONS
    if not is_built_in and action not in world.actions:
        return _deny("action_unknown")
    custom_roles = [] if is_built_in else find_custom_roles(world, subject, action, workspace_id)
    if not access.covers_workspace(role) and action != "view" and not custom_roles:
        return _deny("no_grant")
    return Explanation(True, (Reason("workspace_role", role=role), *custom_roles))


def _deny(rule: Rule) -> Explanation:
    return Explanation(False, (Reason(rule),))
