"""Arguments and results of the operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal, NamedTuple, TypedDict
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
    "link",
    "user_unknown",
    "link_unknown",
    "wrong_audience",
    "user_inactive",
    "not_a_member",
    "resource_unknown",
    "action_unknown",
    "requirement_not_met",
    "context_missing",
    "condition_failed",
    "guest",
    "delegation",
    "delegation_ended",
    "delegation_expired",
    "delegation_does_not_cover",
    "no_grant",
]
"""The kind of a grant that allows an action, or the reason for a denial."""


Context = Mapping[str, Any]
"""What conditions read as `context`: JSON values by name, at most 16 KiB."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """The user who acts, identified by an access token, ID, e-mail address or `external_id`; the service
    account of an API key (also accepted as `token`); a group; the holder of a link; a delegation, by its ID; or
    anyone at all.

    Set exactly one field. A group may do what every one of its members may do. Prefer the access token of
    the request: daikon verifies it with every check, so a sign-out takes effect immediately.

    >>> Subject(user_id="0a000000-0000-4000-8000-00000000000b").user_id
    '0a000000-0000-4000-8000-00000000000b'
    """

    token: str | None = None
    user_id: Id | None = None
    email: str | None = None
    external_id: str | None = None
    group_id: Id | None = None
    api_key: str | None = None
    link: str | None = None
    """The token of a link (`dl_…`)."""
    delegation: Id | None = None
    """The ID of a delegation, by which an agent acts for a user."""
    anonymous: bool = False

    def __repr__(self) -> str:
        for name in ("token", "api_key", "link"):
            if getattr(self, name) is not None:
                return f"Subject({name}=…)"
        if self.anonymous:
            return "Subject(anonymous=True)"
        if self.group_id is not None:
            return f"Subject(group_id={self.group_id})"
        if self.delegation is not None:
            return f"Subject(delegation={self.delegation})"
        return f"Subject(user_id={self.user_id}, email={self.email}, external_id={self.external_id})"


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource of your service. The ID is a UUID or any other text of at most 255 characters. The type
    `workspace` stands for a workspace of daikon, by its ID or slug."""

    type: str
    id: Id


@dataclass(frozen=True, kw_only=True, slots=True)
class Grantee:
    """The user or group that a resource is shared with. Set exactly one field."""

    user_id: Id | None = None
    group_id: Id | None = None
    email: str | None = None
    external_id: str | None = None
    group: str | None = None
    """The name of a group."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that your service declared for the type, with values of its parameters."""

    name: str
    params: Mapping[str, Any] | None = None


class Check(NamedTuple):
    """One check of `check_many`. A plain tuple also works."""

    subject: Subject
    action: str
    resource: Resource
    context: Context | None = None
    """Overrides the `context` of the call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Registration:
    """One resource of `register_many`. Set exactly one of the owners, a member of the workspace."""

    resource: Resource
    workspace_id: Id
    owner_id: Id | None = None
    owner_email: str | None = None
    owner_external_id: str | None = None
    visibility: Visibility | None = None
    """`private` by default."""
    parent: Resource | None = None
    """The resource in the same workspace whose grants it inherits."""
    attributes: Mapping[str, Any] | None = None
    """What conditions read as `resource.attributes`: JSON values by name, at most 4 KiB."""
    display_name: str | None = None
    """The name for people, at most 255 characters."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewShare:
    """One share of `share_many`. Set either permission or role."""

    resource: Resource
    grantee: Grantee
    permission: Permission | None = None
    role: str | None = None
    expires_at: datetime | None = None
    """When the share ends, with a time zone."""
    condition: Condition | None = None
    """The condition under which the share counts. By default, it always does."""


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
    condition: Condition | None = None
    """The condition under which the share counts, or None if it always counts."""
    grantee_name: str | None = None
    """The name of the user or group: only of `shares` and `get`, and None if the user has none."""
    grantee_email: str | None = None
    """The e-mail address of the user: only of `shares` and `get`."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a resource. Anyone who has its token may do what the link grants."""

    id: str
    permission: Permission | None
    """None if the link has a role."""
    role: str | None
    """The role of the resource type, or None if the link has a permission."""
    name: str | None
    created_by: str | None
    """The ID of the user who created the link, or None if that user has been deleted."""
    created_at: datetime
    expires_at: datetime | None
    last_used_on: date | None
    """The day of the last use in UTC, or None if the link has not been used."""
    condition: Condition | None
    """The condition under which the link counts, or None if it always counts."""


@dataclass(frozen=True, slots=True)
class NewLink(Link):
    """A link with its token, for checks with `Subject(link=token)`."""

    token: str

    def __repr__(self) -> str:
        return f"NewLink(id={self.id!r}, name={self.name!r}, token=…)"


@dataclass(frozen=True, slots=True)
class RoleDeclaration:
    """A role that shares and links of a type can name. Its actions are `view`, `edit`, `manage` and actions
    that your service has registered."""

    name: str
    actions: Sequence[str]
    description: str = ""


@dataclass(frozen=True, slots=True)
class ConditionDeclaration:
    """A condition that shares, links and requirements of a type can name: an expression in CEL, and the types
    of its parameters by name, such as `{"until": "timestamp"}`."""

    name: str
    expression: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    description: str = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition that must be true for an action, whatever grants it."""

    action: str
    condition: str
    inherited: bool = False
    """Whether it also binds everything that inherits from a resource of the type. The condition is then judged
    with that resource."""


@dataclass(frozen=True, slots=True)
class TypeUses:
    """The number of resources of a type, and of the shares and links by role and by condition."""

    resources: int
    roles: Mapping[str, int]
    conditions: Mapping[str, int]
    resources_below: int | None = None
    """The resources that inherit from one of the type, if a requirement of the new declaration is inherited."""


@dataclass(frozen=True, slots=True)
class DeclaredType:
    """What your service has declared about a resource type."""

    type: str
    description: str
    allow_public: bool
    """Whether resources of the type may be public."""
    roles: tuple[RoleDeclaration, ...]
    conditions: tuple[ConditionDeclaration, ...]
    requirements: tuple[Requirement, ...]
    uses: TypeUses | None = None
    """With `dry_run`, what uses the current declaration."""


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
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """What conditions read as `resource.attributes`."""
    display_name: str | None = None
    """The name for people."""
    owner_name: str | None = None
    """The name of the owner: only of `get`, and None if the owner has none."""
    owner_email: str | None = None
    """The e-mail address of the owner: only of `get`."""
    ancestors: tuple[Ancestor, ...] = ()
    """What the resource inherits, nearest ancestor first: only of `get`."""


@dataclass(frozen=True, slots=True)
class Ancestor:
    """An ancestor that a resource inherits from. Its owner, visibility and shares count for the resource."""

    type: str
    id: str
    resource_id: str
    display_name: str | None
    owner_id: str
    owner_name: str | None
    owner_email: str | None
    visibility: Visibility
    shares: tuple[Share, ...]


AgentType = Literal["service_account", "client"]
"""What an agent is: a service account, or a client app."""


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent that acts for a user."""

    type: AgentType
    id: str
    name: str


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
    link_id: str | None = None
    condition: str | None = None
    """The condition of a share or link, or the one that is required."""
    missing: tuple[str, ...] = ()
    """With `context_missing`, what the condition needs, such as `context.amount`."""
    required_by: ResourceKey | None = None
    """The resource whose requirement is not met: the one that was asked about, or an ancestor."""
    delegation_id: str | None = None
    """The delegation by which an agent asks."""
    agent: Agent | None = None
    """The agent that asks."""
    uncovered: Literal["action", "type", "resource"] | None = None
    """What the delegation does not cover."""


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
    """`daikon`, the URI of the API that the token is limited to, or `daikon:delegated`."""
    type: Literal["access", "api_key", "resource_access", "delegated"]
    """`api_key` for the API key of a service account, of which only `sub`, `wid`, `wslug`, `wrole` and `exp`
    are known; `resource_access` for a token that is limited to an API, which names no person; `delegated` for a
    token with which an agent acts for the user."""
    iat: int
    """Seconds since the epoch."""
    exp: float
    """Seconds since the epoch; `math.inf` for an API key that does not expire."""


class TokenActor(TypedDict):
    """The agent that acts for a user (RFC 8693, section 4.1)."""

    sub: str
    """The ID of the agent."""
    typ: AgentType


class AccessTokenClaims(_RequiredClaims, total=False):
    """The claims of a verified access token (RFC 7519)."""

    groups: list[str]
    """The IDs of the user's groups when the token was issued; absent if there are more than 100."""
    groups_overage: bool
    guest: bool
    """Whether the user was a guest of the workspace when the token was issued; absent for others."""
    auth_time: int
    """When the user signed in, in seconds since the epoch. Absent for API keys."""
    auth_time_unconfirmed: bool
    """Whether the identity provider did not say when the user signed in. `auth_time` is then when the user
    came back from it."""
    amr: list[str]
    """The methods of the sign-in (RFC 8176), as the identity provider reports them."""
    acr: str
    """The class of the sign-in."""
    client_id: str
    """The client app, if it obtained the token at `/oauth/token`."""
    scope: str
    """The scopes of the token, separated by spaces."""
    act: TokenActor
    """The agent that acts for the user."""
    delegation_id: str
    """The delegation by which the agent acts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentCredentials:
    """Who acts for users: a service account, by its API key, or a confidential client app."""

    api_key: str | None = None
    client_id: str | None = None
    client_secret: str | None = None

    def __repr__(self) -> str:
        name = "api_key=…" if self.client_id is None else f"client_id={self.client_id!r}"
        return f"AgentCredentials({name})"


@dataclass(frozen=True, slots=True)
class DelegatedToken:
    """A token with which an agent acts for a user."""

    token: str
    scope: str
    """The scopes, separated by spaces; empty without a resource."""
    expires_at: datetime

    def __repr__(self) -> str:
        return f"DelegatedToken(token=…, scope={self.scope!r}, expires_at={self.expires_at!r})"


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
