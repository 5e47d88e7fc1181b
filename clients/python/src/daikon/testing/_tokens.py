from __future__ import annotations

import base64
import json
import time
import uuid
from typing import cast

from .._tokens import decode_token, token_expired, token_invalid
from ..types import AccessTokenClaims

# The tokens of fakes are not signed, so no server accepts them.
_issuer = "daikon-fake"


def create_fake_token(user_id: str, workspace_id: str, seconds: float) -> str:
    now = int(time.time())
    claims: AccessTokenClaims = {
        "sub": user_id,
        "jti": str(uuid.uuid4()),
        "email": "",
        "name": "",
        "wid": workspace_id,
        "wslug": "",
        "wrole": "viewer",
        "iss": _issuer,
        "aud": "daikon",
        "type": "access",
        "iat": now,
        "exp": now + int(seconds),
    }
    header = {"alg": "none", "typ": "at+jwt"}
    return f"{_encode(header)}.{_encode(claims)}.fake"


def read_fake_token(token: str) -> AccessTokenClaims:
    """Raises InvalidTokenError for tokens that have expired or were not issued by a fake."""
    decoded = decode_token(token)
    if decoded is None:
        raise token_invalid("it is not a JSON Web Token")
    claims = cast(AccessTokenClaims, decoded.claims)
    if claims.get("iss") != _issuer:
        raise token_invalid("create tokens of a fake with fake.token()")
    if claims["exp"] <= time.time():
        raise token_expired()
    return claims


def _encode(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
