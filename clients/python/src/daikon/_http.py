from __future__ import annotations

import math
import re
from dataclasses import dataclass

from .errors import DaikonError, InvalidTokenError, NotFoundError, PermissionDeniedError
from .types import AccessTokenClaims, AgentType, Resource, Subject

_unavailable = (503, "unavailable", "Unavailable")

# The problems of the server. Its limits are not those of the application's own callers.
_statuses = {
    "unauthenticated": (401, "unauthenticated", "Unauthenticated"),
    "permission_denied": (403, "permission-denied", "Permission denied"),
    "not_found": (404, "not-found", "Not found"),
    "invalid_argument": (422, "invalid-argument", "Invalid request"),
    "unavailable": _unavailable,
    "deadline_exceeded": _unavailable,
    "resource_exhausted": _unavailable,
}


@dataclass(frozen=True, slots=True)
class RequestAgent:
    """An agent that acts for a user."""

    type: AgentType
    id: str
    delegation_id: str
    """The delegation by which it acts."""


@dataclass(frozen=True, slots=True)
class RequestUser:
    """The user of an HTTP request."""

    claims: AccessTokenClaims
    """The verified claims of the access token."""
    token: str
    """The access token, for `as_`."""
    client_id: str | None = None
    """The client app, if the token is limited to an API."""
    scopes: tuple[str, ...] = ()
    """The scopes of the token, if it is limited to an API."""

    @property
    def agent(self) -> RequestAgent | None:
        """The agent that acts for the user, or None if the user acts."""
        act, delegation_id = self.claims.get("act"), self.claims.get("delegation_id")
        if act is None or delegation_id is None:
            return None
        return RequestAgent(act["typ"], act["sub"], delegation_id)

    @property
    def subject(self) -> Subject:
        """The subject for checks."""
        return Subject(token=self.token)

    def __repr__(self) -> str:
        return f"RequestUser({self.claims['sub']})"


@dataclass(frozen=True, slots=True)
class Problem:
    """An HTTP response with an error (RFC 9457)."""

    status: int
    headers: dict[str, str]
    body: dict[str, object]


def to_problem(error: DaikonError) -> Problem | None:
    """Converts an error to an HTTP response. Returns None for errors that the request did not
    cause, such as a wrong service key: the application should handle and log these."""
    if error.code not in _statuses:
        return None
    if error.reason.startswith("SERVICE_KEY_") or error.reason == "OTHER_SERVICE":
        return None
    status, type, title = _statuses[error.code]
    headers: dict[str, str] = {}
    detail = str(error)
    challenge: str | None = getattr(error, "challenge", None)
    if status == 401 or challenge is not None:
        headers["WWW-Authenticate"] = challenge or _challenge(error)
    if status == 503:
        seconds = 1 if error.retry_after is None else error.retry_after
        headers["Retry-After"] = str(math.ceil(seconds))
        detail = "Permissions cannot be checked right now"
    body: dict[str, object] = {
        "type": f"urn:daikon:problem:{type}",
        "title": title,
        "status": status,
        "detail": detail,
        "reason": error.reason,
    }
    if error.request_id:
        body["request_id"] = error.request_id
    if error.fields:
        body["errors"] = [{"field": each.field, "message": each.message} for each in error.fields]
    return Problem(status, headers, body)


def read_bearer(authorization: str | None) -> str:
    """Returns the access token of an `Authorization` header; raises InvalidTokenError without one."""
    match = re.fullmatch(r"Bearer +(\S+) *", authorization or "", re.IGNORECASE)
    if match:
        return match[1]
    message = 'The header "Authorization: Bearer <access token>" is missing'
    raise InvalidTokenError("TOKEN_MISSING", message)


def denied_error(action: str, resource: Resource, hide: bool) -> DaikonError:
    if hide:
        return NotFoundError("RESOURCE_NOT_FOUND", "Not found")
    message = f"You are not allowed to {action} this {resource.type}"
    return PermissionDeniedError("ACTION_DENIED", message)


def _challenge(error: DaikonError) -> str:
    """Returns the WWW-Authenticate header (RFC 6750, section 3)."""
    if error.reason == "TOKEN_MISSING":
        return "Bearer"
    description = "expired" if error.reason == "TOKEN_EXPIRED" else "not valid"
    return f'Bearer error="invalid_token", error_description="The access token is {description}"'
