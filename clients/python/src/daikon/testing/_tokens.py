from __future__ import annotations

import base64
import json
import time
import uuid
from collections.abc import Iterable, Mapping
from typing import Any, cast

from .._tokens import decode_token, require_accepted, to_access_claims, token_expired, token_invalid
from ..errors import InvalidTokenError
from ..types import AccessTokenClaims
from ..v1 import access_pb2
from ._world import Delegation

# The tokens of fakes are not signed, so no server accepts them.
fake_issuer = "daikon-fake"
_signature = "fake"


def create_fake_token(
    user_id: str,
    workspace_id: str,
    seconds: float,
    is_guest: bool,
    signed_in_at: float | None = None,
    access: Mapping[str, Any] | None = None,
) -> str:
    now = int(time.time())
    claims: AccessTokenClaims = {
        "sub": user_id,
        "jti": str(uuid.uuid4()),
        "email": "",
        "name": "",
        "wid": workspace_id,
        "wslug": "",
        "wrole": "viewer",
        "auth_time": now if signed_in_at is None else int(signed_in_at),
        "iss": fake_issuer,
        "aud": "daikon",
        "type": "access",
        "iat": now,
        "exp": now + int(seconds),
    }
    if is_guest:
        claims["guest"] = True
    claims = cast(AccessTokenClaims, {**claims, **(access or {})})
    header = {"alg": "none", "typ": "dt+jwt" if claims["type"] == "delegated" else "at+jwt"}
    return f"{_encode(header)}.{_encode(claims)}.{_signature}"


def resource_access(uri: str, scopes: Iterable[str], client_id: str) -> dict[str, str]:
    """The claims of a token that is limited to an API."""
    return {"aud": uri, "type": "resource_access", "client_id": client_id, "scope": " ".join(scopes)}


def delegated_access(delegation: Delegation, uri: str | None) -> dict[str, Any]:
    """The claims of a token with which an agent acts for a user."""
    act = {"sub": delegation.agent.id, "typ": delegation.agent.type}
    aud = "daikon:delegated" if uri is None else uri
    return {"aud": aud, "type": "delegated", "act": act, "delegation_id": delegation.id}


def read_fake_token(token: str) -> AccessTokenClaims:
    """Raises InvalidTokenError for tokens that have expired or were not issued by a fake."""
    decoded = decode_token(token)
    if decoded is None:
        raise token_invalid("it is not a JSON Web Token")
    claims = cast(AccessTokenClaims, decoded.claims)
    if claims.get("iss") != fake_issuer:
        raise token_invalid("create tokens of a fake with fake.token()")
    if token.rpartition(".")[2] != _signature:
        raise token_invalid("the signature does not match")
    if claims["exp"] <= time.time():
        raise token_expired()
    return claims


def verify_fake_token(token: str, audience: str | None, delegated: bool) -> AccessTokenClaims:
    """Raises InvalidTokenError for tokens that are not for the API, or for everything without an `audience`."""
    claims, decoded = read_fake_token(token), decode_token(token)
    assert decoded is not None
    require_accepted(decoded, audience, delegated)
    return to_access_claims(claims)


def describe_token_error(subject: access_pb2.AccessSubject) -> dict[str, Any]:
    """What the context of a response says about a token that is not valid."""
    if subject.type != "access_token":
        return {}
    try:
        read_fake_token(subject.id)
    except InvalidTokenError as error:
        has_expired = error.reason == "TOKEN_EXPIRED"
        message = "The token has expired" if has_expired else "The token is not valid"
        return {"subject_error": {"reason": error.reason, "message": message}}
    return {}


def _encode(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
