from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TypedDict

from .._arguments import resource_id
from ..types import Permission, Resource, Role, Visibility


class _User(TypedDict):
    id: str


class WorldUser(_User, total=False):
    """A user. The users of `members` exist without being listed."""

    email: str
    external_id: str
    is_active: bool


class WorldWorkspace(TypedDict):
    """A workspace. Those of `members` exist without being listed."""

    id: str


class WorldMember(TypedDict):
    """A user in a workspace."""

    workspace_id: str
    user_id: str
    role: Role


class _Group(TypedDict):
    id: str
    workspace_id: str


class WorldGroup(_Group, total=False):
    """A group, with IDs of users and of child groups."""

    members: list[str]
    groups: list[str]


class WorldRole(TypedDict):
    """A custom role."""

    name: str
    workspace_id: str
    actions: list[str]
    members: list[str]


class _Resource(TypedDict):
    type: str
    id: str
    workspace_id: str
    owner_id: str


class WorldResource(_Resource, total=False):
    """A registered resource. Its parent must come before it."""

    visibility: Visibility
    parent: Resource
    inherits: bool


class _Share(TypedDict):
    resource: Resource
    permission: Permission


class WorldShare(_Share, total=False):
    """A share with a user or a group."""

    user_id: str
    group_id: str
    expires_at: datetime


@dataclass(eq=False, slots=True)
class User:
    id: str
    email: str = ""
    external_id: str = ""
    is_active: bool = True


@dataclass(eq=False, slots=True)
class Share:
    id: str
    grantee_type: str
    grantee_id: str
    permission: Permission
    granted_by: str
    granted_at: datetime
    expires_at: datetime | None


@dataclass(eq=False, slots=True)
class Registered:
    type: str
    id: str
    resource_id: str
    workspace_id: str
    owner_id: str
    visibility: Visibility
    parent: Registered | None
    inherits: bool
    created_at: datetime
    shares: list[Share] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Group:
    workspace_id: str
    members: set[str]
    groups: set[str]


class World:
    """The facts by which a fake decides."""

    def __init__(
        self,
        *,
        service: str,
        users: Iterable[WorldUser],
        workspaces: Iterable[WorldWorkspace],
        members: Iterable[WorldMember],
        groups: Iterable[WorldGroup],
        actions: Iterable[str],
        roles: Iterable[WorldRole],
        resources: Iterable[WorldResource],
        shares: Iterable[WorldShare],
    ) -> None:
        self.service = service
        self.users = {user["id"]: User(**user) for user in users}
        self.workspace_ids = {workspace["id"] for workspace in workspaces}
        self.roles: dict[tuple[str, str], Role] = {}
        for member in members:
            workspace_id, user_id = member["workspace_id"], member["user_id"]
            self.workspace_ids.add(workspace_id)
            self.users.setdefault(user_id, User(user_id))
            self.roles[workspace_id, user_id] = member["role"]
        self.groups = {
            group["id"]: Group(
                group["workspace_id"], set(group.get("members", [])), set(group.get("groups", []))
            )
            for group in groups
        }
        self.actions = set(actions)
        self.custom_roles = list(roles)
        self.resources: dict[tuple[str, str], Registered] = {}
        for resource in resources:
            self._add_resource(resource)
        for share in shares:
            self._add_share(share)

    def find(self, resource: Resource) -> Registered | None:
        id = resource_id(self.service, resource.type, resource.id)
        return self.resources.get((resource.type, id))

    def _add_resource(self, resource: WorldResource) -> None:
        type, id = resource["type"], resource["id"]
        parent = None
        if "parent" in resource:
            parent = self.find(resource["parent"])
            if parent is None:
                raise ValueError(f"resources: list the parent of {type} {id} before it")
        if (resource["workspace_id"], resource["owner_id"]) not in self.roles:
            raise ValueError(f"resources: the owner of {type} {id} is not in members of its workspace")
        key = resource_id(self.service, type, id)
        self.resources[type, key] = Registered(
            type=type,
            id=id,
            resource_id=key,
            workspace_id=resource["workspace_id"],
            owner_id=resource["owner_id"],
            visibility=resource.get("visibility", "private"),
            parent=parent,
            inherits=resource.get("inherits", True),
            created_at=datetime.now(timezone.utc),
        )

    def _add_share(self, share: WorldShare) -> None:
        resource = share["resource"]
        found = self.find(resource)
        if found is None:
            raise ValueError(f"shares: {resource.type} {resource.id} is not in resources")
        group_id = share.get("group_id")
        if group_id is not None and group_id not in self.groups:
            raise ValueError(f"shares: the group {group_id} is not in groups")
        found.shares.append(
            Share(
                id=f"share-{len(found.shares) + 1}",
                grantee_type="user" if group_id is None else "group",
                grantee_id=share["user_id"] if group_id is None else group_id,
                permission=share["permission"],
                granted_by=found.owner_id,
                granted_at=datetime.now(timezone.utc),
                expires_at=share.get("expires_at"),
            )
        )
