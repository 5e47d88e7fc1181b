"""Arguments and results of the operations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, TypedDict
from uuid import UUID

Id = str | UUID
"""An ID. UUIDs are sent as text, in lower case."""

Visibility = Literal["private", "workspace", "public"]
"""`private`: only the owner, those it is shared with, and owners and admins of the workspace have access.

`workspace`: every member of the workspace may view it.

`public`: everybody may view it, signed in or not. The declaration of its type must allow it.
"""

Permission = Literal["view", "edit"]
"""What a share allows."""

Role = Literal["viewer", "editor", "admin", "owner"]
"""A role in a workspace, from lowest to highest."""

Rule = Literal[
    "owner",
    "workspace_role",
    "workspace_visibility",
    "public",
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
"""The kind of a grant that allows an action, or the reason for a denial."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """The user who acts, identified by an access token, ID, e-mail address or `external_id`, or a group.

    Set exactly one field. A group may do what each of its members may do at least. Prefer the access token of
    the request: daikon verifies it with every check, so a sign-out takes effect immediately.

    >>> Subject(user_id="0a000000-0000-4000-8000-00000000000b").user_id
    '0a000000-0000-4000-8000-00000000000b'
    """

    token: str | None = None
    user_id: Id | None = None
    email: str | None = None
    external_id: str | None = None
    group_id: Id | None = None

    def __repr__(self) -> str:
        if self.token is not None:
            return "Subject(token=…)"
        if self.group_id is not None:
            return f"Subject(group_id={self.group_id})"
        return f"Subject(user_id={self.user_id}, email={self.email}, external_id={self.external_id})"


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource of your service. The ID is a UUID or any other text of at most 255 characters."""

    type: str
    id: Id


@dataclass(frozen=True, kw_only=True, slots=True)
class Grantee:
    """The user or group that a resource is shared with. Set exactly one."""

    user_id: Id | None = None
    group_id: Id | None = None


class Check(NamedTuple):
    """One check of `check_many`. A plain tuple also works."""

    subject: Subject
    action: str
    resource: Resource


@dataclass(frozen=True, slots=True)
class ResourceKey:
    """A resource, identified by its UUID in the API."""

    type: str
    resource_id: str


@dataclass(frozen=True, slots=True)
class Share:
    """A permission or a role on a resource that a user or a group has."""

    id: str
    grantee: Grantee
    permission: Permission | None
    """None if the share has a role."""
    role: str | None
    """The role of the resource type, or None if the share has a permission."""
    granted_by: str
    """The ID of the user who shared the resource."""
    granted_at: datetime
    expires_at: datetime | None
    """When the share ends, or None if it does not."""


@dataclass(frozen=True, slots=True)
class RegisteredResource:
    """A resource that is registered with daikon."""

    type: str
    id: str
    resource_id: str
    """The UUID that identifies the resource in the API. It equals `id` if that is a UUID."""
    workspace_id: str
    owner_id: str
    visibility: Visibility
    parent: ResourceKey | None
    inherits: bool
    """Whether grants on the parent apply."""
    created_at: datetime
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """A grant that allows an action, or the reason for a denial. Fields that do not apply are None."""

    rule: Rule
    permission: Permission | None = None
    """The permission of the share, if the rule is `share` or `group_share`."""
    role: str | None = None
    """The role in the workspace, the role of a share, or the name of a custom role."""
    group_id: str | None = None
    share_id: str | None = None
    expires_at: datetime | None = None
    inherited_from: ResourceKey | None = None
    """The ancestor with the grant; None if the grant is on the resource itself."""


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
    type: Literal["access", "api_key"]
    """`api_key` for the API key of a service account, of which only `sub`, `wid`, `wslug`, `wrole` and `exp`
    are known."""
    iat: int
    """Seconds since the epoch."""
    exp: float
    """Seconds since the epoch; `math.inf` for an API key that does not expire."""


class AccessTokenClaims(_RequiredClaims, total=False):
    """The claims of a verified access token (RFC 7519)."""

    groups: list[str]
    """The IDs of the user's groups when the token was issued; absent if there are more than 100."""
    groups_overage: bool


@dataclass(frozen=True, slots=True, repr=False)
class TlsOptions:
    """PEM certificates."""

    ca: str | bytes | None = None
    """The CA of the server. By default, the CAs bundled with gRPC."""
    cert: str | bytes | None = None
    """The certificate of this client, if the server requires mutual TLS."""
    key: str | bytes | None = None
    """The private key of `cert`."""
    server_name: str | None = None
    """The name in the server's certificate, if it differs from the host in the address."""
