from __future__ import annotations

# How to fix an error, by its reason. Appended to the server's message.
_advice = {
    "SERVICE_KEY_MISSING": "Set service_key: `npm run daikon -- service-app create` creates a key for your "
    "service.",
    "SERVICE_KEY_INVALID": "Check service_key: the key is wrong, was replaced, or its service app was "
    "deactivated.",
    "OTHER_SERVICE": "Set service to the service_name of your service key.",
    "TOKEN_MISSING": "Use `as_` to pass the access token of the user making the change.",
    "TOKEN_EXPIRED": "Let the user refresh it and try again.",
    "TOKEN_INVALID": 'Pass an access token that daikon has issued, without the word "Bearer".',
    "TOKEN_REVOKED": "The user must sign in again.",
}


def with_advice(reason: str, message: str) -> str:
    """Returns the server's message, with advice if there is any."""
    hint = _advice.get(reason)
    return f"{message}. {hint}" if hint else message
