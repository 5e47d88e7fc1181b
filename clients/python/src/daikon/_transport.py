from __future__ import annotations

import ipaddress
import random
import re
from collections.abc import Sequence
from typing import Any, cast

import grpc
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from ._advice import with_advice
from .errors import (
    DaikonError,
    ErrorCode,
    Field,
    create_error,
    invalid_argument,
    response_deadline_error,
)
from .types import TlsOptions

_max_attempts = 3
# The maximum delay before the first retry, in seconds; the minimum is half of it. Each further delay is twice
# as long.
_retry_delay = 0.05

ChannelOptions = Sequence[tuple[str, Any]]


def create_credentials(address: str, tls: bool | TlsOptions | None) -> grpc.ChannelCredentials | None:
    """Returns the credentials of a channel, or None for plaintext."""
    if tls is None:
        tls = not is_loopback(address)
    if tls is False:
        return None
    options = TlsOptions() if tls is True else tls
    ca, cert, key = _to_bytes(options.ca), _to_bytes(options.cert), _to_bytes(options.key)
    if (cert is None) != (key is None):
        raise invalid_argument(("tls", "must have both cert and key, or neither"))
    try:
        for certificates in (ca, cert):
            if certificates is not None:
                x509.load_pem_x509_certificates(certificates)
        if key is not None:
            load_pem_private_key(key, password=None)
    except (ValueError, TypeError) as error:
        message = f"has a certificate or key that is not valid PEM: {error}"
        raise invalid_argument(("tls", message)) from error
    return grpc.ssl_channel_credentials(ca, key, cert)


def channel_options(
    address: str, tls: bool | TlsOptions | None, extra: ChannelOptions
) -> list[tuple[str, Any]]:
    options: dict[str, Any] = {
        "grpc.enable_retries": 0,
        "grpc.service_config_disable_resolution": 1,
        # Do not share failed connections, and their backoff, with other clients.
        "grpc.use_local_subchannel_pool": 1,
        "grpc.initial_reconnect_backoff_ms": 100,
        "grpc.max_reconnect_backoff_ms": 5000,
        # Detects broken connections, and keeps load balancers from closing idle ones.
        "grpc.keepalive_time_ms": 10_000,
        "grpc.keepalive_timeout_ms": 5_000,
        "grpc.keepalive_permit_without_calls": 1,
        "grpc.http2.max_pings_without_data": 0,
    }
    if is_loopback(address):
        options["grpc.enable_http_proxy"] = 0
    if isinstance(tls, TlsOptions) and tls.server_name:
        options["grpc.ssl_target_name_override"] = tls.server_name
        options["grpc.default_authority"] = tls.server_name
    options.update(extra)
    return list(options.items())


def create_metadata(service_key: str | None, token: str | None) -> tuple[tuple[str, str], ...]:
    key = () if service_key is None else (("x-service-key", service_key),)
    return key if token is None else (*key, ("authorization", f"Bearer {token}"))


def retry_delay(error: DaikonError, attempt: int, may_run_twice: bool, remaining: float) -> float | None:
    """Seconds to wait before the next attempt, or None if there is no further attempt."""
    is_retryable = error.code == "unavailable" and error.reason != "TLS_FAILED"
    if not may_run_twice or not is_retryable or attempt >= _max_attempts:
        return None
    delay = _retry_delay * 2 ** (attempt - 1) * (0.5 + random.random() / 2)
    return delay if delay < remaining else None


def read_rpc_error(error: Any, target: str, uses_tls: bool) -> DaikonError:
    """Converts an error of grpcio. `target` names the server in messages."""
    status: grpc.StatusCode = error.code()
    details = error.details() or ""
    metadata = {key: value for key, value in error.trailing_metadata() or ()}
    status_details = metadata.get("grpc-status-details-bin")
    if isinstance(status_details, bytes):
        return _read_details(status, details, status_details, metadata.get("x-request-id"))
    if status is grpc.StatusCode.UNAVAILABLE:
        return _connection_error(details, target, uses_tls)
    if status is grpc.StatusCode.DEADLINE_EXCEEDED:
        return response_deadline_error()
    code = _code_name(status)
    return create_error(code, code.upper(), details or code)


def is_loopback(address: str) -> bool:
    host = host_of(address)
    if host == "localhost" or address.startswith("unix:"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(address: str) -> str:
    """The host of an address, without a resolver scheme, brackets and port."""
    authority = re.sub(r"^(dns|ipv4|ipv6):(//[^/]*/)?", "", address)
    return re.sub(r"^\[(.*)\]$", r"\1", re.sub(r":\d+$", "", authority))


def _read_details(
    status: grpc.StatusCode, message: str, details: bytes, request_id: str | bytes | None
) -> DaikonError:
    code = _code_name(status)
    reason = code.upper()
    fields: list[Field] = []
    retry_after: float | None = None
    for detail in Status.FromString(details).details:
        if detail.Is(ErrorInfo.DESCRIPTOR):
            reason = ErrorInfo.FromString(detail.value).reason
        elif detail.Is(BadRequest.DESCRIPTOR):
            violations = BadRequest.FromString(detail.value).field_violations
            fields = [Field(violation.field, violation.description) for violation in violations]
        elif detail.Is(RetryInfo.DESCRIPTOR):
            delay = RetryInfo.FromString(detail.value).retry_delay
            retry_after = delay.seconds + delay.nanos / 1e9
    return create_error(
        code,
        reason,
        with_advice(reason, message),
        fields=fields,
        request_id=None if request_id is None else str(request_id),
        retry_after=retry_after,
    )


def _connection_error(details: str, target: str, uses_tls: bool) -> DaikonError:
    text = re.sub(r"^failed to connect to all addresses; last error: (UNAVAILABLE|UNKNOWN): ", "", details)
    text = re.sub(r"\s+", " ", text).rstrip(".")
    is_protocol = re.search(r"WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST", text)
    is_certificate = re.search(
        r"(tls|ssl) handshake failed|CERTIFICATE|verification check|alert", text, re.IGNORECASE
    )
    if is_protocol or is_certificate:
        hint = (
            "The server does not use TLS on this port: check the address, or set tls=False."
            if is_protocol
            else "Set ca of TlsOptions (tls=TlsOptions(…)) to the certificate authority of the server, "
            "server_name if its certificate has another name, and cert and key if the server requires "
            "client certificates."
        )
        return create_error("unavailable", "TLS_FAILED", f"No TLS connection to {target}: {text}. {hint}")
    question = (
        "requires a client certificate (cert and key of TlsOptions)"
        if uses_tls
        else "uses TLS on this port (option tls)"
    )
    return create_error(
        "unavailable",
        "UNREACHABLE",
        f"No connection to {target}: {text}. Check the address (the gRPC port is 50051 by default), "
        f"whether daikon is running, and whether it {question}.",
    )


def _code_name(status: grpc.StatusCode) -> ErrorCode:
    return cast(ErrorCode, status.name.lower())


def _to_bytes(pem: str | bytes | None) -> bytes | None:
    return pem.encode() if isinstance(pem, str) else pem
