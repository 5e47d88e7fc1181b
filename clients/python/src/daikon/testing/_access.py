"""The access rules of the server: a port of src/permissions/access.ts. clients/cases.json tests both."""

from __future__ import annotations

from typing import Final

from ..types import Role

# The reasons for which a user may have access to a resource, as bits. One bit in common with those that
# are sufficient for an action is a permission.
REGISTERED: Final = 1
"""The resource is registered in the workspace."""
OWNER: Final = 2
WORKSPACE: Final = 4
"""The visibility of the resource is `workspace`."""
VIEW: Final = 8
"""The resource is shared with the user or one of their groups, with permission `view`."""
EDIT: Final = 16

# Facts about an action that a service registered.
ACTION_REGISTERED: Final = 32
ACTION_GRANTED: Final = 64
"""A custom role of the user grants the action."""

_VISIBLE: Final = WORKSPACE | VIEW | EDIT

BUILT_IN_ACTIONS: Final = ("view", "edit", "manage")


def covers_workspace(role: Role) -> bool:
    """Whether a role gives access to every resource of its workspace."""
    return role in ("owner", "admin")


def sufficient_grants(role: Role, action: str, facts: int) -> int:
    """Returns the grants of which any one allows the action for a member with this role."""
    if action not in BUILT_IN_ACTIONS and not facts & ACTION_REGISTERED:
        return 0
    if covers_workspace(role):
        return REGISTERED
    if action == "manage":
        return OWNER
    if action == "view":
        return OWNER | _VISIBLE
    if action == "edit":
        return OWNER | EDIT | (WORKSPACE if role == "editor" else 0)
    return OWNER | (_VISIBLE if facts & ACTION_GRANTED else 0)


def is_allowed(role: Role, action: str, facts: int) -> bool:
    return bool(sufficient_grants(role, action, facts) & facts)
