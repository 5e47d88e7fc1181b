"""Arguments and results of the operations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, TypedDict
from uuid import UUID

Id = str | UUID
"""An ID. UUIDs are sent as text, in lower case."""

Visibility = Literal["private", "workspace"]
"""`private`: only the owner, those it is shared with, and owners and admins of the workspace have access.

`workspace`: every member of the workspace may view it.
"""

Permission = Literal["view", "edit"]
"""What a share allows."""

Role = Literal["viewer", "editor", "admin", "owner"]
"""A role in a workspace, from lowest to highest."""

Rule = Literal[
    "owner",
    "workspace_role",
    "workspace_visibility",
    "share",
    "group_share",
    "custom_role",
    "user_unknown",
    "user_inactive",
    "not_a_member",
    "resource_unknown",
    "action_unknown",
    "no_grant",
]
"""The kind of a grant that allows an action, or why it is denied."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """Who acts: the user of an access token, or a user by ID, e-mail address or `external_id`.

    Give exactly one of the four. Prefer the token of the request: daikon verifies it with every
    check, so a sign-out takes effect at once.

    >>> Subject(user_id="0a000000-0000-4000-8000-00000000000b").user_id
    '0a000000-0000-4000-8000-00000000000b'
    """

    token: str | None = None
    user_id: Id | None = None
    email: str | None = None
    external_id: str | None = None

    def __repr__(self) -> str:
        if self.token is not None:
            return "Subject(token=…)"
        return f"Subject(user_id={self.user_id}, email={self.email}, external_id={self.external_id})"


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource of your service. The ID is a UUID or any other text of at most 255 characters."""

    type: str
    id: Id


@dataclass(frozen=True, kw_only=True, slots=True)
class Grantee:
    """With whom a resource is shared: a user or a group of its workspace. Give exactly one."""

    user_id: Id | None = None
    group_id: Id | None = None


class Check(NamedTuple):
    """One check of `check_many`; a plain tuple does as well."""

    subject: Subject
    action: str
    resource: Resource


@dataclass(frozen=True, slots=True)
class ResourceKey:
    """A resource by the UUID under which daikon knows it."""

    type: str
    resource_id: str


@dataclass(frozen=True, slots=True)
class Share:
    """A permission on a resource that a user or a group has."""

    id: str
    grantee: Grantee
    permission: Permission
    granted_by: str
    """The ID of the user who shared the resource."""
    granted_at: datetime
    expires_at: datetime | None
    """When the share ends; None if it does not."""


@dataclass(frozen=True, slots=True)
class RegisteredResource:
    """A resource as daikon has registered it."""

    type: str
    id: str
    resource_id: str
    """The UUID by which daikon knows the resource. It equals `id` if that is a UUID."""
    workspace_id: str
    owner_id: str
    visibility: Visibility
    parent: ResourceKey | None
    inherits: bool
    """Whether grants of the parent apply."""
    created_at: datetime
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """A grant that allows an action, or why it is denied. What does not apply is None."""

    rule: Rule
    permission: Permission | None = None
    """The permission of a share."""
    role: str | None = None
    """The role in the workspace, or the name of a custom role."""
    group_id: str | None = None
    share_id: str | None = None
    expires_at: datetime | None = None
    inherited_from: ResourceKey | None = None
    """The ancestor that has the grant."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Whether an action is allowed, and why."""

    allowed: bool
    reasons: tuple[Reason, ...]


class _RequiredClaims(TypedDict):
    sub: str
    """The ID of the user."""
    jti: str
    """The ID of the token."""
    email: str
    name: str
    wid: str
    """The ID of the workspace."""
    wslug: str
    """The slug of the workspace."""
    wrole: Role
    """The role in the workspace when the token was issued. Decide with `check`, not with the role."""
    iss: str
    aud: str
    type: Literal["access"]
    iat: int
    """Seconds since the epoch."""
    exp: int
    """Seconds since the epoch."""


class AccessTokenClaims(_RequiredClaims, total=False):
    """The claims of a verified access token (RFC 7519)."""

    groups: list[str]
    """The IDs of the user's groups when the token was issued; absent if there are more than 100."""
    groups_overage: bool


@dataclass(frozen=True, slots=True, repr=False)
class TlsOptions:
    """Certificates in PEM."""

    ca: str | bytes | None = None
    """The certificate authority of the server. By default, those that gRPC contains."""
    cert: str | bytes | None = None
    """The certificate of this client, for a server that requires one (mutual TLS)."""
    key: str | bytes | None = None
    """The private key of `cert`."""
    server_name: str | None = None
    """The name in the certificate of the server, if it is not the host of the address."""
