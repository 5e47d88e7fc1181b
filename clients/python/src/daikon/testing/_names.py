from __future__ import annotations

from typing import Any

from .._arguments import is_uuid
from ..errors import invalid_argument
from ._world import World


def find_grantee(world: World, workspace_id: str, request: Any) -> tuple[str, str, str]:
    """The field that names a grantee, the type of the grantee, and its ID; empty if it does not exist."""
    if request.HasField("group_name"):
        name = request.group_name.strip()
        groups = world.groups.items()
        found = (id for id, group in groups if group.workspace_id == workspace_id and group.name == name)
        return "group_name", "group", next(found, "")
    if request.HasField("grantee_email"):
        return "grantee_email", "user", _find_by_email(world, request.grantee_email)
    if request.HasField("grantee_external_id"):
        return "grantee_external_id", "user", _find_by_external_id(world, request.grantee_external_id)
    require_id(world, "grantee_id", request.grantee_id)
    return "grantee_id", request.grantee_type, request.grantee_id


def is_in_workspace(world: World, workspace_id: str, type: str, id: str) -> bool:
    """Whether a user or group belongs to a workspace."""
    if type == "user":
        return world.find_role(workspace_id, id) is not None
    group = world.groups.get(id)
    return group is not None and group.workspace_id == workspace_id


def find_owner(world: World, request: Any) -> tuple[str, str]:
    """The field that names an owner, and the ID of the owner; empty if there is none."""
    if request.HasField("owner_email"):
        return "owner_email", _find_by_email(world, request.owner_email)
    if request.HasField("owner_external_id"):
        return "owner_external_id", _find_by_external_id(world, request.owner_external_id)
    require_id(world, "owner_id", request.owner_id)
    return "owner_id", request.owner_id


def require_member(world: World, workspace_id: str, field: str, user_id: str) -> None:
    if world.find_role(workspace_id, user_id) is None:
        raise invalid_argument((field, "must be a member of the workspace"))


def require_id(world: World, field: str, id: str) -> None:
    """Requires a UUID, as the server does. The IDs of users, workspaces and groups may be any text."""
    if not (is_uuid(id) or id in world.users or id in world.workspaces or id in world.groups):
        raise invalid_argument((field, "must be a UUID"))


def _find_by_email(world: World, email: str) -> str:
    address = email.strip().lower()
    return next((user.id for user in world.users.values() if user.email.lower() == address), "")


def _find_by_external_id(world: World, external_id: str) -> str:
    return next((user.id for user in world.users.values() if user.external_id == external_id), "")
