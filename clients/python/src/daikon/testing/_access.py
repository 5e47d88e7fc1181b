"""The access rules of the server: a port of src/permissions/access.ts. clients/cases.json tests both."""

from __future__ import annotations

from typing import Final

from ..types import Role

# The grants that can give a user access to a resource, as bits. An action is allowed if the user has at least
# one of the grants that are sufficient for it.
REGISTERED: Final = 1
"""The resource is registered in the workspace."""
OWNER: Final = 2
WORKSPACE: Final = 4
"""The visibility of the resource is `workspace` or `public`."""
VIEW: Final = 8
"""The resource is shared with the user or one of their groups, with permission `view`."""
EDIT: Final = 16
MANAGE: Final = 256
"""A role of the user on the resource contains `manage`."""
ACTION: Final = 512
"""A role of the user on the resource contains the action of the check, which is registered."""
PUBLIC: Final = 1024
"""Everybody may view the resource."""

# Bits about an action that a service registered.
ACTION_REGISTERED: Final = 32
ACTION_GRANTED: Final = 64
"""A custom role of the user grants the action."""

_VISIBLE: Final = WORKSPACE | VIEW | EDIT

BUILT_IN_ACTIONS: Final = ("view", "edit", "manage")


def covers_workspace(role: Role) -> bool:
    """Whether a role gives access to every resource of its workspace."""
    return role in ("owner", "admin")


def sufficient_grants(role: Role, action: str, facts: int) -> int:
    """Returns the grants that each allow the action on their own for a member with this role."""
    if action not in BUILT_IN_ACTIONS and not facts & ACTION_REGISTERED:
        return 0
    if covers_workspace(role):
        return REGISTERED
    if action == "manage":
        return OWNER | MANAGE
    if action == "view":
        return OWNER | _VISIBLE
    if action == "edit":
        return OWNER | EDIT | (WORKSPACE if role == "editor" else 0)
    return OWNER | ACTION | (_VISIBLE if facts & ACTION_GRANTED else 0)


def is_allowed(role: Role, action: str, facts: int) -> bool:
    everybody = PUBLIC if action == "view" else 0
    return bool((sufficient_grants(role, action, facts) | everybody) & facts)
