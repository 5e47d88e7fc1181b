"""Follows the activity log."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any
from uuid import UUID

from google.protobuf.json_format import MessageToDict

from ._arguments import require_text
from .errors import DaikonError, UnavailableError, invalid_argument
from .v1 import activity_pb2

OnDisconnect = Callable[[DaikonError], None]

# The maximum delays before the first attempt to reconnect and before later ones, in seconds.
_first_delay = 0.1
_later_delay = 5.0

# Errors that the next attempt would return, too.
_final_codes = (
    "invalid_argument",
    "out_of_range",
    "unauthenticated",
    "permission_denied",
    "not_found",
    "failed_precondition",
    "unimplemented",
)


@dataclass(frozen=True)
class ActivityEvent:
    """An entry of the activity log. Its actions and their details are listed in docs/activity-log.md."""

    id: str
    action: str
    """What happened, such as `permission.shared`."""
    target_type: str
    """The type of the target, such as `permission`."""
    target_id: str | None
    actor_id: str | None
    """The ID of the user, service account or management app that performed the action, if any."""
    actor_type: str | None
    workspace_id: str | None
    detail: dict[str, Any]
    """Details that depend on the action."""
    created_at: datetime
    service_app_id: str | None
    """The service app that authenticated the request."""
    key_prefix: str | None
    """The first characters of the service key."""
    api_key_prefix: str | None
    """The first characters of the API key of a service account."""
    request_id: str | None
    agent_type: str | None = None
    """`service_account` or `client`, if an agent acted for the user."""
    agent_id: str | None = None
    delegation_id: str | None = None
    """The delegation by which the agent acted."""


@dataclass(frozen=True)
class WatchMessage:
    """An event, or a bookmark, which only says that all events up to its cursor were received."""

    cursor: str
    """Continues a watch after this message."""
    event: ActivityEvent | None
    """`None` for a bookmark."""


class Follower:
    """How far a watch has come, and when it connects again."""

    def __init__(
        self,
        cursor: str | None,
        workspace_id: str | UUID | None,
        actions: Iterable[str],
        on_disconnect: OnDisconnect | None,
    ) -> None:
        if isinstance(actions, str):
            raise invalid_argument(("actions", "must be a list of strings"))
        workspace = None if workspace_id is None else require_text("workspace_id", workspace_id)
        self.request = activity_pb2.WatchActivityRequest(cursor=cursor, workspace_id=workspace, actions=actions)
        self._on_disconnect = on_disconnect
        self._failures = 0

    def receive(self, response: activity_pb2.WatchActivityResponse) -> WatchMessage:
        self.request.cursor = response.cursor
        self._failures = 0
        return _read_message(response)

    def delay(self, error: DaikonError | None) -> float:
        """Seconds to wait after the end of a stream. Raises the error if another attempt is pointless."""
        if error is None:
            error = UnavailableError("STREAM_ENDED", "The server has ended the stream")
        if error.code in _final_codes or error.reason == "TLS_FAILED":
            raise error
        if self._on_disconnect is not None:
            self._on_disconnect(error)
        delay = min(_first_delay * float(2**self._failures), _later_delay) * (0.5 + random.random() / 2)
        self._failures = min(self._failures + 1, 16)
        return max(delay, error.retry_after or 0)


def create_stream(channel: Any) -> Any:
    """Returns the method that opens a stream on a channel of `grpc` or `grpc.aio`."""
    return channel.unary_stream(
        "/daikon.v1.ActivityService/Watch",
        request_serializer=activity_pb2.WatchActivityRequest.SerializeToString,
        response_deserializer=activity_pb2.WatchActivityResponse.FromString,
    )


def _read_message(response: activity_pb2.WatchActivityResponse) -> WatchMessage:
    if not response.HasField("event"):
        return WatchMessage(response.cursor, None)
    entry = response.event

    def optional(name: str) -> str | None:
        return getattr(entry, name) if entry.HasField(name) else None

    event = ActivityEvent(
        id=entry.id,
        action=entry.action,
        target_type=entry.target_type,
        target_id=optional("target_id"),
        actor_id=optional("actor_id"),
        actor_type=optional("actor_type"),
        workspace_id=optional("workspace_id"),
        detail=MessageToDict(entry.detail),
        created_at=entry.created_at.ToDatetime(timezone.utc),
        service_app_id=optional("service_app_id"),
        key_prefix=optional("key_prefix"),
        api_key_prefix=optional("api_key_prefix"),
        request_id=optional("request_id"),
        agent_type=optional("agent_type"),
        agent_id=optional("agent_id"),
        delegation_id=optional("delegation_id"),
    )
    return WatchMessage(response.cursor, event)
