"""The errors that operations raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

ErrorCode = Literal[
    "cancelled",
    "unknown",
    "invalid_argument",
    "deadline_exceeded",
    "not_found",
    "already_exists",
    "permission_denied",
    "resource_exhausted",
    "failed_precondition",
    "aborted",
    "out_of_range",
    "unimplemented",
    "internal",
    "unavailable",
    "data_loss",
    "unauthenticated",
]
"""The gRPC status of an error, in snake_case."""


class Field(NamedTuple):
    """A problem with one field of a request."""

    field: str
    message: str


class DaikonError(Exception):
    """The error that every operation raises.

    Compare `code` and `reason` in programs; the message is for people and may change.
    """

    code: ErrorCode
    """The kind of error."""
    reason: str
    """A stable identifier of the cause, such as `RESOURCE_NOT_FOUND`."""
    fields: tuple[Field, ...]
    """Every invalid field of an `invalid_argument` error."""
    request_id: str | None
    """Identifies the request in the server's log."""
    retry_after: float | None
    """Seconds after which a retry may succeed."""

    def __init__(
        self,
        code: ErrorCode,
        reason: str,
        message: str,
        *,
        fields: Sequence[Field] = (),
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.fields = tuple(fields)
        self.request_id = request_id
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross process boundaries in task queues and test runners.
        return (_restore, (type(self), str(self), self.__dict__))


def _restore(cls: type[DaikonError], message: str, state: dict[str, object]) -> DaikonError:
    error = cls.__new__(cls, message)
    error.__dict__.update(state)
    return error


class _CodedError(DaikonError):
    _code: ErrorCode
    _reason: str
    _message: str

    def __init__(
        self,
        reason: str | None = None,
        message: str | None = None,
        *,
        fields: Sequence[Field] = (),
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(
            self._code,
            self._reason if reason is None else reason,
            self._message if message is None else message,
            fields=fields,
            request_id=request_id,
            retry_after=retry_after,
        )


class UnauthenticatedError(_CodedError):
    """The service key or access token is missing, invalid or expired."""

    _code = "unauthenticated"
    _reason = "UNAUTHENTICATED"
    _message = "The credentials are not valid"


class InvalidTokenError(UnauthenticatedError):
    """An access token is malformed, expired, or not signed by this daikon."""

    _reason = "TOKEN_INVALID"
    _message = "The access token is not valid"


class PermissionDeniedError(_CodedError):
    """The user may not make the change, or the key belongs to another service."""

    _code = "permission_denied"
    _reason = "PERMISSION_DENIED"
    _message = "The operation is not permitted"


class NotFoundError(_CodedError):
    """The resource, workspace, grantee or share does not exist."""

    _code = "not_found"
    _reason = "NOT_FOUND"
    _message = "Not found"


class InvalidArgumentError(_CodedError):
    """An argument is missing or malformed; `fields` names each."""

    _code = "invalid_argument"
    _reason = "INVALID_REQUEST"
    _message = "An argument is not valid"


class CursorGoneError(_CodedError):
    """The cursor of a watch is older than the retention, or from before a restore of the database."""

    _code = "out_of_range"
    _reason = "CURSOR_GONE"
    _message = "The cursor is too old; read from the beginning"


class UnavailableError(_CodedError):
    """daikon cannot be reached, or cannot reach its database."""

    _code = "unavailable"
    _reason = "UNREACHABLE"
    _message = "daikon is not available"


class DeadlineExceededError(_CodedError):
    """The deadline passed before there was a result."""

    _code = "deadline_exceeded"
    _reason = "DEADLINE_EXCEEDED"
    _message = "The deadline passed"


class CancelledError(_CodedError):
    """The client was closed during the operation, or before it.

    A task that is cancelled raises `asyncio.CancelledError` as usual.
    """

    _code = "cancelled"
    _reason = "CANCELLED"
    _message = "The operation was cancelled"


_subclasses: dict[str, type[_CodedError]] = {
    "unauthenticated": UnauthenticatedError,
    "permission_denied": PermissionDeniedError,
    "not_found": NotFoundError,
    "invalid_argument": InvalidArgumentError,
    "out_of_range": CursorGoneError,
    "unavailable": UnavailableError,
    "deadline_exceeded": DeadlineExceededError,
    "cancelled": CancelledError,
}


def create_error(
    code: ErrorCode,
    reason: str,
    message: str,
    *,
    fields: Sequence[Field] = (),
    request_id: str | None = None,
    retry_after: float | None = None,
) -> DaikonError:
    """Returns an error of the class for the code."""
    subclass = _subclasses.get(code)
    if subclass is None:
        return DaikonError(code, reason, message, fields=fields, request_id=request_id, retry_after=retry_after)
    return subclass(reason, message, fields=fields, request_id=request_id, retry_after=retry_after)


def invalid_argument(*fields: tuple[str, str]) -> InvalidArgumentError:
    """Returns the error for missing or malformed arguments. Each field is a pair of a name and a problem."""
    message = "; ".join(f"{name} {problem}" for name, problem in fields)
    named = [Field(name, problem) for name, problem in fields]
    return InvalidArgumentError("INVALID_REQUEST", message, fields=named)


def closed_error() -> CancelledError:
    return CancelledError("CANCELLED", "The client was closed. Call close() only when it is no longer needed")


def queue_deadline_error() -> DeadlineExceededError:
    return DeadlineExceededError(
        "DEADLINE_EXCEEDED",
        "The deadline passed while the operation waited for others. Start fewer concurrently, or raise "
        "max_in_flight",
    )


def response_deadline_error() -> DeadlineExceededError:
    return DeadlineExceededError(
        "DEADLINE_EXCEEDED",
        "daikon did not respond before the deadline. If it never responds, check the address, network and "
        "firewall; otherwise check the load of daikon and its database, or raise timeout",
    )
