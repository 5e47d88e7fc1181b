from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, TypedDict

from .._arguments import is_uuid, resource_id
from ..errors import invalid_argument
from ..types import (
    Agent,
    AgentType,
    Condition,
    ConditionDeclaration,
    DeclaredType,
    Permission,
    Requirement,
    Resource,
    Role,
    RoleDeclaration,
    Visibility,
)
from ._conditions import WorldCondition

_label = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_email = re.compile(rf"[A-Za-z0-9.!#$%&'*+/=?^_`{{|}}~-]{{1,64}}@{_label}(?:\.{_label})*")
_max_email_length = 254

UNDECLARED = DeclaredType("", "", False, (), (), ())


class _User(TypedDict):
    id: str


class WorldUser(_User, total=False):
    """A user. Users in `members` need not be listed."""

    name: str
    email: str
    external_id: str
    is_active: bool


class _Workspace(TypedDict):
    id: str


class WorldWorkspace(_Workspace, total=False):
    """A workspace. Workspaces in `members` need not be listed."""

    slug: str


class _Member(TypedDict):
    workspace_id: str
    user_id: str
    role: Role


class WorldMember(_Member, total=False):
    """A user in a workspace, with IDs that may be any text. A `guest` has the role `viewer`. From `expires_at`
    on, the user is not a member.
    """

    guest: bool
    expires_at: datetime | None


class _Group(TypedDict):
    id: str
    workspace_id: str


class WorldGroup(_Group, total=False):
    """A group, with IDs of users and of child groups."""

    name: str
    members: list[str]
    groups: list[str]


class _Role(TypedDict):
    name: str
    workspace_id: str
    actions: list[str]
    members: list[str]


class WorldRole(_Role, total=False):
    """A custom role. `groups` contains IDs of groups, whose members have the role, too."""

    groups: list[str]


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
    attributes: Mapping[str, Any]
    display_name: str


class _ResourceType(TypedDict):
    type: str


class WorldResourceType(_ResourceType, total=False):
    """What the service has declared about a resource type, as in `declare_type`."""

    description: str
    allow_public: bool
    roles: Sequence[RoleDeclaration]
    conditions: Sequence[ConditionDeclaration]
    requirements: Sequence[Requirement]


class _Share(TypedDict):
    resource: Resource


class WorldShare(_Share, total=False):
    """A share with a user or a group, of either a permission or a role."""

    permission: Permission
    role: str
    user_id: str
    group_id: str
    expires_at: datetime
    condition: Condition


class _Agent(TypedDict):
    type: AgentType
    id: str


class WorldAgent(_Agent, total=False):
    """The agent of a delegation."""

    name: str


class _Delegation(TypedDict):
    id: str
    user_id: str
    workspace_id: str


class WorldDelegation(_Delegation, total=False):
    """A delegation of a user to an agent. A list that is absent stands for all, and at least one is required.
    `service_name` is by default the service of the world. An `ended` delegation was ended before it expired;
    one ends with the membership of its user, too.
    """

    agent: WorldAgent
    service_name: str
    actions: Sequence[str]
    resource_types: Sequence[str]
    resources: Sequence[Resource]
    expires_at: datetime
    ended: bool


@dataclass(eq=False, slots=True)
class User:
    id: str
    email: str = ""
    name: str = ""
    external_id: str = ""
    is_active: bool = True


@dataclass(eq=False, slots=True)
class Share:
    id: str
    grantee_type: str
    grantee_id: str
    permission: Permission | None
    role: str | None
    granted_by: str
    granted_at: datetime
    expires_at: datetime | None
    condition: Condition | None


@dataclass(eq=False, slots=True)
class Link:
    id: str
    token: str
    permission: Permission | None
    role: str | None
    name: str | None
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    condition: Condition | None


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
    attributes: dict[str, Any] = field(default_factory=dict)
    display_name: str | None = None
    shares: list[Share] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)

    def reached(self) -> list[Registered]:
        """The resource and the ancestors that it inherits from."""
        above = self.parent.reached() if self.parent is not None and self.inherits else []
        return [self, *above]


@dataclass(eq=False, slots=True)
class Group:
    workspace_id: str
    name: str
    members: set[str]
    groups: set[str]


@dataclass(eq=False, slots=True)
class Delegation:
    id: str
    user_id: str
    workspace_id: str
    agent: Agent
    service: str
    actions: Sequence[str] | None
    resource_types: Sequence[str] | None
    resources: Sequence[Registered] | None
    expires_at: datetime | None
    is_ended: bool


class World:
    """The data that a fake bases its decisions on. `build_world` adds what it is built with."""

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
        conditions: Mapping[str, WorldCondition],
    ) -> None:
        self.service = service
        self.users = {user["id"]: User(**user) for user in users}
        self.workspaces = {workspace["id"]: workspace.get("slug", "") for workspace in workspaces}
        """The slugs of workspaces by ID; empty if a workspace has none."""
        self.members: dict[tuple[str, str], WorldMember] = {}
        for member in members:
            workspace_id, user_id = member["workspace_id"], member["user_id"]
            if member.get("guest", False) and member["role"] != "viewer":
                raise ValueError(f"members: the guest {user_id} of {workspace_id} must have the role viewer")
            self.workspaces.setdefault(workspace_id, "")
            self.users.setdefault(user_id, User(user_id))
            self.members[workspace_id, user_id] = member
        self.groups = {
            group["id"]: Group(
                group["workspace_id"],
                group.get("name", ""),
                set(group.get("members", [])),
                set(group.get("groups", [])),
            )
            for group in groups
        }
        self.actions = set(actions)
        self.custom_roles = list(roles)
        self.resources: dict[tuple[str, str], Registered] = {}
        self.conditions = dict(conditions)
        self.resource_types: dict[str, DeclaredType] = {}
        self.delegations: dict[str, Delegation] = {}

    def find(self, resource: Resource) -> Registered | None:
        id = resource_id(self.service, resource.type, resource.id)
        return self.resources.get((resource.type, id))

    def find_declaration(self, type: str) -> DeclaredType:
        return self.resource_types.get(type, UNDECLARED)

    def find_resource_role(self, type: str, name: str) -> Sequence[str] | None:
        """The actions of a role of a resource type, or None if the type does not have the role."""
        roles = self.find_declaration(type).roles
        return next((role.actions for role in roles if role.name == name), None)

    def require_visibility(self, type: str, visibility: str) -> None:
        """Requires that a type allows a visibility."""
        if visibility not in ("private", "workspace", "public"):
            raise invalid_argument(("visibility", "must be one of private, workspace, public"))
        if visibility == "public" and not self.find_declaration(type).allow_public:
            message = f"must not be public: the declaration of {type} does not allow it"
            raise invalid_argument(("visibility", message))

    def find_user(self, name: str) -> User | None:
        """Finds a user as the server does: the format of a name determines whether it is an ID, an e-mail
        address or an external ID. Tests may also use IDs that are not UUIDs.
        """
        users = self.users.values()
        if is_uuid(name):
            return next((user for user in users if user.id.lower() == name.lower()), None)
        address = name.strip()
        if _email.fullmatch(address) and len(address) <= _max_email_length:
            return next((user for user in users if user.email.lower() == address.lower()), None)
        return next((user for user in users if name in (user.external_id, user.id)), None)

    def find_role(self, workspace_id: str, user_id: str) -> Role | None:
        """The role of a user in a workspace, or None if the user is not a member."""
        member = self._find_member(workspace_id, user_id)
        return None if member is None else member["role"]

    def is_guest(self, workspace_id: str, user_id: str) -> bool:
        member = self._find_member(workspace_id, user_id)
        return member is not None and member.get("guest", False)

    def _find_member(self, workspace_id: str, user_id: str) -> WorldMember | None:
        member = self.members.get((workspace_id, user_id))
        if member is None:
            return None
        expires_at = member.get("expires_at")
        if expires_at is not None and expires_at <= datetime.now(timezone.utc):
            return None
        return member
