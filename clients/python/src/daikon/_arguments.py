from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple, TypedDict, cast
from uuid import UUID

from ._advice import with_advice
from .errors import InvalidArgumentError, invalid_argument
from .types import AgentCredentials, Check, Condition, Context, Grantee, Resource, Subject

_max_type_length = 200
_max_id_length = 255
_max_token_length = 16_384

# The types of subjects whose ID is a secret.
_secret_types = ("access_token", "api_key", "link")

# The type of a subject by the field that names it.
_subject_types = (
    ("token", "access_token"),
    ("api_key", "api_key"),
    ("link", "link"),
    ("user_id", "user"),
    ("email", "user"),
    ("external_id", "user"),
    ("group_id", "group"),
    ("delegation", "delegation"),
)
_read_subject = attrgetter(*(field for field, _ in _subject_types))

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
    context: str = ""
    """The context as JSON; empty if there is none."""


class SubjectName(NamedTuple):
    type: str
    id: str


class GranteeName(TypedDict, total=False):
    """The fields that name a grantee in the API."""

    grantee_type: str
    grantee_id: str
    grantee_email: str
    grantee_external_id: str
    group_name: str


class OwnerName(TypedDict, total=False):
    """The field that names an owner in the API."""

    owner_id: str
    owner_email: str
    owner_external_id: str


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
    return SubjectName(*_name_subject(subject))


def _name_subject(subject: Subject) -> tuple[str, str]:
    if isinstance(subject, Subject):
        values = _read_subject(subject)
        if len(values) - values.count(None) + subject.anonymous == 1:
            type, id = "anonymous", "anonymous"
            for value, (_, field_type) in zip(values, _subject_types):
                if value is not None:
                    type, id = field_type, text(value)
                    break
            if _is_text(id, _max_token_length if type in _secret_types else _max_id_length):
                return "api_key" if type == "access_token" and is_api_key(id) else type, id
    raise invalid_argument(
        (
            "subject",
            "must be a Subject with exactly one of token, api_key, user_id, email, external_id, group_id, link "
            "and delegation, a non-empty string, or with anonymous=True",
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
    has_type, has_id = _is_text(resource.type, _max_type_length), _is_text(text(resource.id), _max_id_length)
    if has_type and has_id:
        return
    problems = []
    if not has_type:
        problems.append(("resource.type", "must be a string of 1 to 200 characters"))
    if not has_id:
        problems.append(("resource.id", "must be a string of 1 to 255 characters"))
    raise invalid_argument(*problems)


def name_evaluation(
    service: str, subject: Subject, action: str, resource: Resource, context: Context | None = None
) -> Evaluation:
    subject_type, subject_id = _name_subject(subject)
    require_action(action)
    require_resource(resource)
    type = f"{service}:{resource.type}"
    encoded = "" if context is None else encode_object("context", context)
    return Evaluation(subject_type, subject_id, action, type, text(resource.id), encoded)


def name_check(service: str, check: Check, context: Context | None) -> Evaluation:
    """Names a check. `context` applies unless the check has its own."""
    subject, action, resource, own = check
    return name_evaluation(service, subject, action, resource, context if own is None else own)


def search_context(context: Context | None, workspace_id: str | UUID | None) -> dict[str, Any]:
    """Returns the context of a search, of one workspace if there is an ID."""
    given = {} if context is None else require_object("context", context)
    if workspace_id is not None:
        given["workspace_id"] = require_text("context.workspace_id", workspace_id)
    return given


def encode_object(name: str, value: Mapping[str, Any]) -> str:
    """Returns an object as JSON."""
    if not isinstance(value, Mapping):
        raise invalid_argument((name, "must be a dict"))
    try:
        return json.dumps(dict(value), allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise invalid_argument((name, f"must contain only JSON values: {error}")) from error


def require_object(name: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a copy of an object that contains only JSON values."""
    copy: dict[str, Any] = json.loads(encode_object(name, value))
    return copy


def require_condition(condition: Condition) -> tuple[str, dict[str, Any]]:
    """Returns the name and the parameters of a condition."""
    if not isinstance(condition, Condition) or not _is_text(condition.name, _max_type_length):
        raise invalid_argument(("condition", "must be a Condition with a name"))
    return condition.name, require_object("condition.params", condition.params or {})


def require_type(type: str) -> None:
    require_resource(Resource(type, "any"))


def name_grantee(grantee: Grantee) -> GranteeName:
    if isinstance(grantee, Grantee):
        given = [
            (field, value)
            for field, value in (
                ("user", grantee.user_id),
                ("group", grantee.group_id),
                ("grantee_email", grantee.email),
                ("grantee_external_id", grantee.external_id),
                ("group_name", grantee.group),
            )
            if value is not None
        ]
        if len(given) == 1:
            [(field, value)] = given
            id = require_text("grantee", value)
            if field in ("user", "group"):
                return {"grantee_type": field, "grantee_id": id}
            return cast(GranteeName, {field: id})
    problem = "must be a Grantee with exactly one of user_id, email, external_id, group_id and group"
    raise invalid_argument(("grantee", problem))


def name_owner(
    owner_id: str | UUID | None, owner_email: str | None, owner_external_id: str | None
) -> OwnerName:
    owners = {"owner_id": owner_id, "owner_email": owner_email, "owner_external_id": owner_external_id}
    given = {field: require_text(field, value) for field, value in owners.items() if value is not None}
    if len(given) != 1:
        raise invalid_argument(("owner_id", "is required, or owner_email or owner_external_id: exactly one"))
    return cast(OwnerName, given)


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


_key_missing = (
    with_advice("SERVICE_KEY_MISSING", "is required")
    + " A server in development mode needs none: pass development_mode=True"
)


def require_options(
    address: str,
    service: str,
    service_key: str | None,
    development_mode: bool,
    timeout: float,
    max_in_flight: int,
    agent: AgentCredentials | None = None,
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
        (service_key is not None or agent is not None or development_mode is True, "service_key", _key_missing),
        (
            service_key is None or re.fullmatch(r"[\x21-\x7e]+", str(service_key)),
            "service_key",
            "must be a key of daikon (dk_…), without spaces or line breaks",
        ),
        (
            agent is None or _is_agent(agent),
            "agent",
            "must be an AgentCredentials with api_key, or with client_id and client_secret",
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


def _is_agent(agent: AgentCredentials) -> bool:
    if not isinstance(agent, AgentCredentials):
        return False
    given = [agent.client_id, agent.client_secret] if agent.api_key is None else [agent.api_key]
    is_one = agent.api_key is None or (agent.client_id is None and agent.client_secret is None)
    return is_one and all(_is_text(value, _max_token_length) for value in given)


def item_error(message: str, problems: list[tuple[str, str]]) -> InvalidArgumentError:
    error = invalid_argument(*problems)
    return InvalidArgumentError("INVALID_REQUEST", message, fields=error.fields)


def _is_text(value: object, max_length: int) -> bool:
    return isinstance(value, str) and 0 < len(value) <= max_length and (value.isascii() or _is_encodable(value))


def _is_encodable(value: str) -> bool:
    # A lone surrogate cannot be encoded as UTF-8.
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
