"""Verifies requests to webhooks (Standard Webhooks)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import UnauthenticatedError


class InvalidWebhookError(UnauthenticatedError):
    """The request was not sent by daikon, or too long ago."""


@dataclass(frozen=True)
class WebhookEvent:
    """An event that daikon has sent to a webhook."""

    id: str
    """The same for every attempt to deliver the event."""
    type: str
    """The action of the event, such as ``permission.shared``, or ``webhook.test``."""
    timestamp: str
    """When the event occurred (ISO 8601)."""
    position: int | None
    """The position of the event in the activity log; ``None`` for ``webhook.test``."""
    data: dict[str, Any]
    """The entry of the activity log."""


def verify_webhook(
    secret: str | Iterable[str],
    headers: Mapping[str, str],
    body: bytes | str,
    *,
    tolerance: float = 300,
) -> WebhookEvent:
    """Verify a request to a webhook and return its event.

    Pass the body as it was received, because parsing and formatting JSON changes it.

    Args:
        secret: The secret of the webhook (``whsec_…``), or several.
        headers: The headers of the request.
        body: The body of the request.
        tolerance: Seconds by which the clocks of daikon and this machine may differ.

    Raises:
        InvalidWebhookError: The request was not sent by daikon, or too long ago.
    """
    found = {name.lower(): value for name, value in headers.items()}
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    missing = [name for name in names if not found.get(name)]
    if missing:
        raise _invalid(f"The request has no header {missing[0]}")
    event_id, timestamp, signatures = (found[name] for name in names)
    is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    if not is_number or abs(time.time() - int(timestamp)) > tolerance:
        raise _invalid("The request is too old, or the clock of this machine is wrong")
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{event_id}.{timestamp}.".encode() + content
    secrets = [secret] if isinstance(secret, str) else list(secret)
    expected = [_sign(one, signed) for one in secrets]
    given = [one.encode() for one in signatures.split(" ")]
    if not any([hmac.compare_digest(a, b) for a in given for b in expected]):
        raise _invalid("The signature of the request is not valid")
    event = json.loads(content)
    return WebhookEvent(event_id, event["type"], event["timestamp"], event["position"], event["data"])


def _sign(secret: str, content: bytes) -> bytes:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    if not key:
        raise ValueError("The secret of the webhook is empty")
    return b"v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest())


def _invalid(message: str) -> InvalidWebhookError:
    return InvalidWebhookError("WEBHOOK_INVALID", message)
