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

# The namespace of the UUIDs of resources with other IDs, the same for every daikon.
_namespace = bytes.fromhex("f8e1572e33cb4304a2f6032bcbfe9088")

_uuid = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


class Evaluation(NamedTuple):
    """A check in the words of the Access API. Equal evaluations have equal results."""

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
    """Returns the UUID by which daikon knows a resource: its ID if that is a UUID, otherwise the UUID of
    version 5 (RFC 9562) of `service/type/id`."""
    id = text(id)
    if is_uuid(id):
        return id.lower()
    name = f"{service}/{type}/{id}".encode()
    digest = hashlib.sha1(_namespace + name, usedforsecurity=False).digest()
    return str(UUID(bytes=digest[:16], version=5))


def text(id: str | UUID) -> str:
    return str(id) if isinstance(id, UUID) else id


def name_subject(subject: Subject) -> SubjectName:
    """Only the lengths and the presence of arguments are checked here, so that a mistake fails where it
    is made; daikon checks the rest."""
    if isinstance(subject, Subject):
        given = [
            value
            for value in (subject.token, subject.user_id, subject.email, subject.external_id)
            if value is not None
        ]
        if len(given) == 1:
            id = text(given[0])
            if subject.token is not None:
                if _is_text(id, _max_token_length):
                    return SubjectName("access_token", id)
            elif _is_text(id, _max_id_length):
                return SubjectName("user", id)
    raise invalid_argument(
        (
            "subject",
            "must be a Subject with exactly one of token, user_id, email and external_id, a non-empty string",
        )
    )


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
    # Half of a surrogate pair cannot be sent.
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
