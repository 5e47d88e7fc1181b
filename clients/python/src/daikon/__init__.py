"""Permission checks with daikon.

>>> import daikon
>>> client = daikon.Client("localhost:50051", service="docs", service_key="dk_…")
>>> client.close()

`Client` is for threads, `AsyncClient` for asyncio. `daikon.testing` contains fakes of both,
`daikon.fastapi` and `daikon.django` contain guards for views, and `daikon.v1` contains the messages of the
gRPC API.
"""

from ._arguments import resource_id
from ._async_client import AsyncClient
from ._client import Client
from ._watch import ActivityEvent, WatchMessage
from ._webhooks import InvalidWebhookError, WebhookEvent, verify_webhook
from .errors import (
    CancelledError,
    CursorGoneError,
    DaikonError,
    DeadlineExceededError,
    ErrorCode,
    Field,
    InvalidArgumentError,
    InvalidTokenError,
    NotFoundError,
    PermissionDeniedError,
    UnauthenticatedError,
    UnavailableError,
)
from .types import (
    AccessTokenClaims,
    Agent,
    Ancestor,
    Check,
    Condition,
    ConditionDeclaration,
    Context,
    DeclaredType,
    Explanation,
    Grantee,
    Link,
    NewLink,
    NewShare,
    Permission,
    Reason,
    RegisteredResource,
    Registration,
    Requirement,
    Resource,
    ResourceKey,
    Role,
    RoleDeclaration,
    Share,
    Subject,
    TlsOptions,
    TypeUses,
    Visibility,
)

__all__ = [
    "AccessTokenClaims",
    "Agent",
    "Ancestor",
    "ActivityEvent",
    "AsyncClient",
    "CancelledError",
    "Check",
    "Client",
    "Condition",
    "ConditionDeclaration",
    "Context",
    "CursorGoneError",
    "DaikonError",
    "DeadlineExceededError",
    "DeclaredType",
    "ErrorCode",
    "Explanation",
    "Field",
    "Grantee",
    "InvalidArgumentError",
    "InvalidTokenError",
    "InvalidWebhookError",
    "Link",
    "NewLink",
    "NewShare",
    "NotFoundError",
    "Permission",
    "PermissionDeniedError",
    "Reason",
    "RegisteredResource",
    "Registration",
    "Requirement",
    "Resource",
    "ResourceKey",
    "Role",
    "RoleDeclaration",
    "Share",
    "Subject",
    "TlsOptions",
    "TypeUses",
    "UnauthenticatedError",
    "UnavailableError",
    "Visibility",
    "WatchMessage",
    "WebhookEvent",
    "resource_id",
    "verify_webhook",
]
