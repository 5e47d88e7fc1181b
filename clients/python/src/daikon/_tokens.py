from __future__ import annotations

import base64
import json
import math
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import jwt
from google.protobuf.struct_pb2 import Struct

from ._advice import with_advice
from .errors import InvalidTokenError
from .types import AccessTokenClaims
from .v1.auth_pb2 import Key

_max_age = 5 * 60.0
# Seconds between reloads, so that forged tokens cannot cause a flood of calls.
_min_reload = 5.0


@dataclass(frozen=True)
class DecodedToken:
    """The parts of an unverified JSON Web Token."""

    header: dict[str, Any]
    claims: dict[str, Any]


def decode_token(token: str) -> DecodedToken | None:
    """Decodes a token; None if it is not a JSON Web Token (RFC 7519)."""
    parts = token.split(".") if isinstance(token, str) else []
    if len(parts) != 3 or not all(parts):
        return None
    try:
        header, claims = (json.loads(_decode_base64url(part)) for part in parts[:2])
    except ValueError:
        return None
    if isinstance(header, dict) and isinstance(claims, dict):
        return DecodedToken(header, claims)
    return None


def denied_token_error(subject_type: str, subject_id: str, context: Struct) -> InvalidTokenError | None:
    """Returns an error if the token of a denied subject is not valid. `context` comes from the response."""
    if subject_type != "access_token":
        return None
    return _read_token_error(context) or _impossible_token_error(subject_id)


def _read_token_error(context: Struct) -> InvalidTokenError | None:
    if "subject_error" not in context.fields:
        return None
    fields = context.fields["subject_error"].struct_value.fields
    reason = fields["reason"].string_value
    if not reason:
        return None
    return InvalidTokenError(reason, with_advice(reason, fields["message"].string_value))


def _impossible_token_error(token: str) -> InvalidTokenError | None:
    """Returns an error if a token cannot be valid. A server older than this client does not report it."""
    expires_at = _read_expiry(token)
    if expires_at is None:
        return token_invalid("it is not a JSON Web Token")
    return token_expired() if expires_at <= time.time() else None


# Decoding a token takes as long as some checks, and a user is often denied more than once.
@lru_cache(maxsize=2000)
def _read_expiry(token: str) -> float | None:
    """The end of a token, which may be infinite; None if it is not a JSON Web Token."""
    decoded = decode_token(token)
    if decoded is None:
        return None
    exp = decoded.claims.get("exp")
    return cast(float, exp) if _is_number(exp) else math.inf


_delegated_audience = "daikon:delegated"


def require_accepted(token: DecodedToken, audience: str | None, delegated: bool) -> None:
    """Raises InvalidTokenError unless a token is for the API, or for everything if `audience` is None.

    Tokens with which an agent acts for a user are accepted only if `delegated`. An origin is one API with and
    without a slash. A list of audiences is for none of them.
    """
    aud, type, typ = token.claims.get("aud"), token.claims.get("type"), token.header.get("typ")
    is_delegated = typ == "dt+jwt" and type == "delegated"
    if is_delegated and not delegated:
        raise token_invalid("an agent acts for the user, see `delegated`")
    if not is_delegated and typ != "at+jwt":
        raise token_invalid("it is not a daikon access token")
    if audience is None:
        if not (aud == _delegated_audience if is_delegated else aud == "daikon" and type == "access"):
            raise token_invalid("it is not an access token")
        return
    is_for_api = aud != _delegated_audience if is_delegated else type == "resource_access"
    if not is_for_api or not isinstance(aud, str) or _trim(aud) != _trim(audience):
        raise token_invalid(f"it is not for {audience}")


def to_access_claims(claims: Mapping[str, Any]) -> AccessTokenClaims:
    """Fills in what tokens for an API and delegated ones do not say about the person."""
    unknown = {"email": "", "name": "", "wslug": "", "wrole": "viewer"}
    return cast(AccessTokenClaims, {**unknown, **claims})


def _trim(uri: str) -> str:
    return re.sub(r"^(https?://[^/]+)/$", r"\1", uri, flags=re.IGNORECASE)


def token_expired() -> InvalidTokenError:
    message = with_advice("TOKEN_EXPIRED", "The access token has expired")
    return InvalidTokenError("TOKEN_EXPIRED", message)


def token_invalid(cause: str) -> InvalidTokenError:
    message = with_advice("TOKEN_INVALID", f"The access token is not valid: {cause}")
    return InvalidTokenError("TOKEN_INVALID", message)


class KeyCache:
    """The public keys of the issuer by `kid`, and the rules for reloading them."""

    def __init__(self, issuer: str | None) -> None:
        self._required_issuer = issuer
        self._issuer: str | None = None
        self._keys: Mapping[str, Any] = {}
        self._loaded_at = float("-inf")
        self._last_attempt = float("-inf")

    def needs_load(self, token: str) -> bool:
        """Whether keys must be loaded before `verify`."""
        kid = self._read_kid(token)
        if kid is None:
            return False
        now = time.monotonic()
        if self._issuer is None:
            return True
        if kid in self._keys and now - self._loaded_at < _max_age:
            return False
        return now - self._last_attempt >= _min_reload

    def has_key(self, token: str) -> bool:
        """Whether the key of a token is loaded. If reloading fails, the old keys stay in use."""
        return self._read_kid(token) in self._keys

    def begin_load(self) -> None:
        self._last_attempt = time.monotonic()

    def store(self, issuer: str, keys: Iterable[Key]) -> None:
        self._keys = {key.kid: _import_key(key) for key in keys}
        self._issuer = issuer
        self._loaded_at = time.monotonic()

    def needs_issuer(self) -> bool:
        """Whether keys must be loaded before `issuer`."""
        return self._required_issuer is None and self._issuer is None

    def issuer(self) -> str:
        """The issuer of the tokens that are accepted."""
        issuer = self._issuer if self._required_issuer is None else self._required_issuer
        assert issuer is not None
        return issuer

    def verify(self, token: str, audience: str | None = None, delegated: bool = False) -> AccessTokenClaims:
        """Verifies a token with the loaded keys. With an audience, it must be limited to that API."""
        self._read_kid(token)
        decoded = decode_token(token)
        if decoded is None:
            raise token_invalid("it is not a JSON Web Token")
        claims = decoded.claims
        key = self._keys.get(str(decoded.header.get("kid")))
        if key is None:
            raise token_invalid("daikon has no key of this kid. Was it issued by another daikon?")
        try:
            jwt.api_jws.decode(token, key, algorithms=["RS256"])
        except jwt.InvalidTokenError as error:
            raise token_invalid("the signature does not match") from error
        if claims.get("iss") != self._issuer or claims.get("iss") != self.issuer():
            raise token_invalid(f"its issuer is {json.dumps(claims.get('iss'))}, not {self.issuer()}")
        require_accepted(decoded, audience, delegated)
        if not _is_number(claims.get("exp")):
            raise token_invalid("it has no exp")
        if _has_expired(claims):
            raise token_expired()
        return to_access_claims(claims)

    def _read_kid(self, token: str) -> str | None:
        """Raises InvalidTokenError if no key could make the token valid."""
        decoded = decode_token(token)
        if decoded is None:
            raise token_invalid("it is not a JSON Web Token")
        if decoded.header.get("alg") != "RS256" or decoded.header.get("typ") not in ("at+jwt", "dt+jwt"):
            raise token_invalid("it is not a daikon access token")
        kid = decoded.header.get("kid")
        return kid if isinstance(kid, str) else None


def _import_key(key: Key) -> Any:
    return jwt.PyJWK({"kty": key.kty, "n": key.n, "e": key.e, "alg": "RS256"}).key


def _has_expired(claims: dict[str, Any]) -> bool:
    exp = claims.get("exp")
    return _is_number(exp) and cast(float, exp) <= time.time()


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _decode_base64url(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
