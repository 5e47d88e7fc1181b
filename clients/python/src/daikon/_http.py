from __future__ import annotations

import math
import re
from dataclasses import dataclass

from .errors import DaikonError, InvalidTokenError, NotFoundError, PermissionDeniedError
from .types import AccessTokenClaims, Resource, Subject

_statuses = {
    "unauthenticated": (401, "Unauthorized"),
    "permission_denied": (403, "Forbidden"),
    "not_found": (404, "Not Found"),
    "invalid_argument": (400, "Bad Request"),
    "unavailable": (503, "Service Unavailable"),
    "deadline_exceeded": (503, "Service Unavailable"),
    "resource_exhausted": (503, "Service Unavailable"),
}


@dataclass(frozen=True, slots=True)
class RequestUser:
    """The user of an HTTP request."""

    claims: AccessTokenClaims
    """The verified claims of the access token."""
    token: str
    """The access token, for `as_`."""

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
    status, title = _statuses[error.code]
    headers: dict[str, str] = {}
    detail = str(error)
    if status == 401:
        headers["WWW-Authenticate"] = _challenge(error)
    if status == 503:
        seconds = 1 if error.retry_after is None else error.retry_after
        headers["Retry-After"] = str(math.ceil(seconds))
        detail = "Permissions cannot be checked right now"
    body = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": detail,
        "reason": error.reason,
    }
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
