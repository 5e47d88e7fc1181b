from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from ._async_client import AsyncClient
from ._http import RequestUser, read_bearer
from .errors import InvalidTokenError, PermissionDeniedError, UnauthenticatedError, invalid_argument


class ResourceTokenError(UnauthenticatedError):
    """The token is missing or not valid for the API (RFC 9728, section 5.1)."""

    challenge: str
    """The value of `WWW-Authenticate`."""

    def __init__(self, error: InvalidTokenError, challenge: str) -> None:
        super().__init__(error.reason, str(error))
        self.challenge = challenge


class InsufficientScopeError(PermissionDeniedError):
    """The token lacks a scope (RFC 6750, section 3.1)."""

    challenge: str
    """The value of `WWW-Authenticate`."""

    def __init__(self, challenge: str) -> None:
        super().__init__("INSUFFICIENT_SCOPE", "The access token lacks a scope that is required")
        self.challenge = challenge


class ResourceGuard:
    """The guard of an API. All addresses come from `resource`, because a client chooses the Host of its
    requests."""

    metadata_path: str
    """The path of the metadata, `/.well-known/oauth-protected-resource` with the path of the API."""

    def __init__(self, client: AsyncClient, resource: str, scopes: Iterable[str], agents: bool) -> None:
        """Raises InvalidArgumentError for settings that cannot be right."""
        problems: list[tuple[str, str]] = []
        found = re.fullmatch(r"(https?://[^/]+)(/.*)?", resource) if _is_uri(resource) else None
        if found is None:
            problems.append(("resource", "must be an http or https URI without a query or fragment"))
        required = () if isinstance(scopes, str) else tuple(scopes)
        if isinstance(scopes, str) or not all(map(_is_scope, required)):
            problems.append(("scopes", "must be a list of scopes"))
        if found is None or problems:
            raise invalid_argument(*problems)
        origin, path = found[1], found[2] or ""
        self.metadata_path = f"/.well-known/oauth-protected-resource{'' if path == '/' else path}"
        self._client = client
        self._agents = agents
        self._resource = resource
        self._scopes = required
        self._metadata = f'resource_metadata="{origin}{self.metadata_path}"'
        self._scope = [f'scope="{" ".join(required)}"'] if required else []

    async def read_metadata(self) -> dict[str, object]:
        """The metadata (RFC 9728, section 2)."""
        return {
            "resource": self._resource,
            "authorization_servers": [await self._client._read_issuer()],
            "scopes_supported": list(self._scopes),
            "bearer_methods_supported": ["header"],
        }

    async def authenticate(self, authorization: str | None) -> RequestUser:
        """Verifies the token of a request, and its scopes."""
        try:
            token = read_bearer(authorization)
            claims = await self._client.verify_access_token(
                token, audience=self._resource, delegated=self._agents
            )
        except InvalidTokenError as error:
            cause = [] if error.reason == "TOKEN_MISSING" else ['error="invalid_token"']
            raise ResourceTokenError(error, _bearer(self._metadata, *self._scope, *cause)) from error
        granted = tuple(claims.get("scope", "").split())
        if not set(self._scopes) <= set(granted):
            raise InsufficientScopeError(_bearer('error="insufficient_scope"', *self._scope, self._metadata))
        return RequestUser(claims, token, claims.get("client_id"), granted)


def _bearer(*parameters: str) -> str:
    return f"Bearer {', '.join(parameters)}"


def _is_uri(resource: object) -> bool:
    """Whether this is a URI that can stand in a header as it is."""
    if not isinstance(resource, str) or not re.fullmatch(r"[!$-;=@-\[\]_a-z~%]+", resource):
        return False
    try:
        return urlsplit(resource).hostname is not None
    except ValueError:
        return False


def _is_scope(scope: object) -> bool:
    return isinstance(scope, str) and re.fullmatch(r"[!#-\[\]-~]+", scope) is not None
