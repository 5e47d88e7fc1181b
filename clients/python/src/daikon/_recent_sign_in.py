from __future__ import annotations

import re
import time
from collections.abc import Callable

from .errors import UnauthenticatedError, invalid_argument
from .types import AccessTokenClaims

# A user who has just signed in would be sent to sign in again.
_min_max_age = 60

# The smallest max_age that the time of a callback can meet: the provider may have signed the user in long
# before.
_min_unconfirmed_age = 3600


class StepUpRequiredError(UnauthenticatedError):
    """The user must sign in again, or in another way (RFC 9470)."""

    challenge: str
    """The value of `WWW-Authenticate`."""

    def __init__(self, max_age: int | None, acr: str | None) -> None:
        message = "The user must sign in again"
        super().__init__("INSUFFICIENT_USER_AUTHENTICATION", message)
        self.challenge = f'Bearer error="insufficient_user_authentication", error_description="{message}"'
        if max_age is not None:
            self.challenge += f', max_age="{max_age}"'
        if acr is not None:
            self.challenge += f', acr_values="{acr}"'


def sign_in_check(max_age: int | None, acr: str | None) -> Callable[[AccessTokenClaims], None]:
    """Returns the check of access tokens; raises InvalidArgumentError for requirements that are none."""
    problems: list[tuple[str, str]] = []
    if max_age is not None and (type(max_age) is not int or max_age < _min_max_age):
        problems.append(("max_age", f"must be a whole number of seconds from {_min_max_age}"))
    if acr is not None and not re.fullmatch(r"[A-Za-z0-9_.:/-]{1,254}", acr):
        problems.append(("acr", "must be one value without spaces"))
    if max_age is None and acr is None:
        problems.append(("max_age", "or acr is required"))
    if problems:
        raise invalid_argument(*problems)

    def check(claims: AccessTokenClaims) -> None:
        is_recent = max_age is None or _is_within(claims, max_age)
        if not is_recent or (acr is not None and claims.get("acr") != acr):
            raise StepUpRequiredError(max_age, acr)

    return check


def _is_within(claims: AccessTokenClaims, max_age: int) -> bool:
    # API keys have no sign-in.
    if "auth_time" not in claims:
        return False
    if claims.get("auth_time_unconfirmed") and max_age < _min_unconfirmed_age:
        return False
    return time.time() - claims["auth_time"] <= max_age
