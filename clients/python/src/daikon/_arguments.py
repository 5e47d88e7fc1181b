from __future__ import annotations

import hashlib
import re
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from .errors import InvalidArgumentError, invalid_argument
from .types import Grantee, Resource, Subject

_max_type_length = 200
_max_id_length = 255
_max_token_length = 16_384

# The UUIDv5 namespace for resource IDs that are not UUIDs. It is the same in all clients and servers.
_namespace = bytes.fromhex("f8e1572e33cb4304a2f6032bcbfe9088")

_uuid = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


class Evaluation(NamedTuple):
    """A check in the format of the Access API. It is hashable, so that identical checks are sent once."""

    subject_type: str
    subject_id: str
    action: str
    resource_type: str
    resource_id: str


class SubjectName(NamedTuple):
    type: str
    id: str


def is_uuid(value: str) -> bool:
    return _uuid.fullmatch(value) is not None


def resource_id(service: str, type: str, id: str | UUID) -> str:
    """Returns the UUID that identifies a resource in the API: its ID if that is a UUID, otherwise the
    version 5 UUID (RFC 9562) of `service/type/id`."""
    id = text(id)
    if is_uuid(id):
        return id.lower()
    name = f"{service}/{type}/{id}".encode()
    digest = hashlib.sha1(_namespace + name, usedforsecurity=False).digest()
    return str(UUID(bytes=digest[:16], version=5))


def text(id: str | UUID) -> str:
    return str(id) if isinstance(id, UUID) else id


def name_subject(subject: Subject) -> SubjectName:
    """Checks only that arguments are present and not too long, so that such mistakes fail before they are
    sent. The server checks the rest."""
    if isinstance(subject, Subject):
        given = [
            value
            for value in (
                subject.token,
                subject.user_id,
                subject.email,
                subject.external_id,
                subject.group_id,
            )
            if value is not None
        ]
        if len(given) == 1:
            id = text(given[0])
            if subject.token is not None:
                if _is_text(id, _max_token_length):
                    return SubjectName("api_key" if is_api_key(id) else "access_token", id)
            elif _is_text(id, _max_id_length):
                return SubjectName("user" if subject.group_id is None else "group", id)
    raise invalid_argument(
        (
            "subject",
            "must be a Subject with exactly one of token, user_id, email, external_id and group_id, "
            "a non-empty string",
        )
    )


def is_api_key(token: str) -> bool:
    """Whether a token is meant to be the API key of a service account."""
    return isinstance(token, str) and token.startswith("da_")


def require_action(action: str) -> None:
    if not _is_text(action, _max_type_length):
        raise invalid_argument(("action", "must be a string of 1 to 200 characters"))


def require_resource(resource: Resource) -> None:
    if not isinstance(resource, Resource):
        raise invalid_argument(("resource.type", "is missing: pass a Resource(type, id)"))
    problems = []
    if not _is_text(resource.type, _max_type_length):
        problems.append(("resource.type", "must be a string of 1 to 200 characters"))
    if not _is_text(text(resource.id), _max_id_length):
        problems.append(("resource.id", "must be a string of 1 to 255 characters"))
    if problems:
        raise invalid_argument(*problems)


def name_evaluation(service: str, subject: Subject, action: str, resource: Resource) -> Evaluation:
    name = name_subject(subject)
    require_action(action)
    require_resource(resource)
    type = f"{service}:{resource.type}"
    return Evaluation(name.type, name.id, action, type, text(resource.id))


def name_grantee(grantee: Grantee) -> tuple[str, str]:
    if isinstance(grantee, Grantee):
        if grantee.user_id is not None and grantee.group_id is None:
            return "user", require_text("grantee", grantee.user_id)
        if grantee.group_id is not None and grantee.user_id is None:
            return "group", require_text("grantee", grantee.group_id)
    problem = "must be a Grantee with either user_id or group_id"
    raise invalid_argument(("grantee", problem))


def name_grant(permission: str | None, role: str | None) -> tuple[str | None, str | None]:
    """Returns the permission or the role of a new share, the other as None."""
    if permission is not None and role is not None:
        raise invalid_argument(("role", "must not be combined with permission"))
    if role is not None:
        return None, require_text("role", role)
    if permission is None:
        raise invalid_argument(("permission", "is required, or role"))
    return require_text("permission", permission), None


def require_text(field: str, value: str | UUID) -> str:
    value = text(value)
    if isinstance(value, str) and _is_encodable(value):
        return value
    raise invalid_argument((field, "must be a string"))


def require_token(token: str | None) -> str | None:
    if token is None or (isinstance(token, str) and re.fullmatch(r"[\x21-\x7e]+", token)):
        return token
    raise invalid_argument(("as_", "must be an access token"))


def require_time(field: str, time: datetime) -> datetime:
    if isinstance(time, datetime) and time.tzinfo is not None:
        return time
    problem = "must be a datetime with a time zone, such as datetime.now(timezone.utc)"
    raise invalid_argument((field, problem))


def require_timeout(timeout: float) -> float:
    if isinstance(timeout, (int, float)) and 0 < timeout < float("inf"):
        return timeout
    raise invalid_argument(("timeout", "must be a positive number of seconds"))


def require_options(
    address: str,
    service: str,
    service_key: str | None,
    timeout: float,
    max_in_flight: int,
) -> None:
    for is_valid, field, problem in (
        (isinstance(address, str) and address != "", "address", "must be host:port"),
        (
            not re.match(r"https?://", str(address)),
            "address",
            "must be host:port of the gRPC server, not a URL",
        ),
        (
            re.search(r":\d+$|^unix:", str(address)),
            "address",
            "must have a port, such as localhost:50051",
        ),
        (
            isinstance(service, str) and service != "",
            "service",
            "is required: the service_name of your service key",
        ),
        (
            service_key is None or re.fullmatch(r"[\x21-\x7e]+", str(service_key)),
            "service_key",
            "must be a key of daikon (dk_…), without spaces or line breaks",
        ),
        (
            isinstance(max_in_flight, int) and max_in_flight > 0,
            "max_in_flight",
            "must be a positive integer",
        ),
    ):
        if not is_valid:
            raise invalid_argument((field, problem))
    require_timeout(timeout)


def item_error(message: str, problems: list[tuple[str, str]]) -> InvalidArgumentError:
    error = invalid_argument(*problems)
    return InvalidArgumentError("INVALID_REQUEST", message, fields=error.fields)


def _is_text(value: object, max_length: int) -> bool:
    return isinstance(value, str) and 0 < len(value) <= max_length and _is_encodable(value)


def _is_encodable(value: str) -> bool:
    # A lone surrogate cannot be encoded as UTF-8.
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
