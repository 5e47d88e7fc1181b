from __future__ import annotations

import time
from typing import Any

from . import _arguments as arguments
from ._transport import ChannelOptions, channel_options, create_credentials
from .types import AgentCredentials, TlsOptions

# The number of deadlines since the last response after which a connection is replaced.
_max_missed = 2


class Settings:
    """The validated options of a client."""

    def __init__(
        self,
        address: str,
        *,
        service: str,
        service_key: str | None,
        development_mode: bool,
        tls: bool | TlsOptions | None,
        timeout: float,
        max_in_flight: int,
        grpc_options: ChannelOptions,
        agent: AgentCredentials | None,
    ) -> None:
        arguments.require_options(
            address, service, service_key, development_mode, timeout, max_in_flight, agent
        )
        self.address = address
        self.service = service
        self.service_key = service_key
        self.agent = agent
        self.timeout = timeout
        self.max_in_flight = max_in_flight
        self._credentials = create_credentials(address, tls)
        self.uses_tls = self._credentials is not None
        self._channel_options = channel_options(address, tls, grpc_options)

    def create_channel(self, grpc_module: Any) -> Any:
        """Creates a channel of `grpc` or `grpc.aio`."""
        if self._credentials is None:
            return grpc_module.insecure_channel(self.address, self._channel_options)
        return grpc_module.secure_channel(self.address, self._credentials, self._channel_options)

    def deadline(self, timeout: float | None) -> float:
        """The deadline of an operation, on the clock of `time.monotonic`."""
        seconds = self.timeout if timeout is None else arguments.require_timeout(timeout)
        return time.monotonic() + seconds


class Carrier:
    """A channel, with the calls that it carries."""

    def __init__(self, channel: Any) -> None:
        self.channel = channel
        self.methods: dict[str, Any] = {}
        self.running = 0
        """The number of running calls."""
        self._missed = 0
        self._missed_at = float("-inf")

    def find_method(self, method: str, response_type: Any) -> Any:
        found = self.methods.get(method)
        if found is None:
            found = self.methods[method] = create_method(self.channel, method, response_type)
        return found

    def clear_missed(self) -> None:
        """Reports a response."""
        self._missed = 0

    def miss(self, started_at: float) -> bool:
        """Reports a deadline that a call has met. Returns whether to open another connection: pings would take
        longer to find out that nothing arrives any more."""
        # Calls that ran at the same time count once.
        if started_at < self._missed_at:
            return False
        self._missed_at = time.monotonic()
        self._missed += 1
        return self._missed >= _max_missed


def create_method(channel: Any, method: str, response_type: Any) -> Any:
    path = method if method.startswith("/") else f"/daikon.v1.{method}"
    return channel.unary_unary(
        path,
        request_serializer=_serialize,
        response_deserializer=response_type.FromString,
    )


def _serialize(message: Any) -> bytes:
    data: bytes = message.SerializeToString()
    return data
