from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar, cast

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from . import _arguments as arguments
from ._advice import with_advice
from ._arguments import Evaluation, SubjectName
from ._tokens import denied_token_error, token_invalid
from .errors import DaikonError, PermissionDeniedError
from .types import AccessTokenClaims, Agent, Explanation, Reason, ResourceKey
from .v1 import access_pb2, auth_pb2, oauth_pb2

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Operation(Generic[Result]):
    """A call, with a function that converts its response."""

    method: str
    """The method, such as `PermissionService/Register`."""
    request: Message
    response_type: type[Message]
    read: Callable[[Any], Result]
    """Converts the response; may raise a DaikonError."""
    retry: bool = True
    """Whether the call may run twice."""
    token: str | None = None
    """The access token to send with the call."""
    success_reason: str | None = None
    """The error reason that means an earlier attempt succeeded."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of IDs, with the token of the next page."""

    ids: list[str]
    next_token: str


def evaluate_batch(evaluations: list[Evaluation]) -> Operation[list[bool | DaikonError]]:
    request = access_pb2.EvaluateBatchRequest()
    add = request.evaluations.add
    for subject_type, subject_id, action, resource_type, resource_id, context in evaluations:
        item = add()
        item.subject.type = subject_type
        item.subject.id = subject_id
        item.action.name = action
        item.resource.type = resource_type
        item.resource.id = resource_id
        if context:
            item.context.update(json.loads(context))

    def read(response: access_pb2.EvaluateBatchResponse) -> list[bool | DaikonError]:
        found = response.evaluations
        if len(found) != len(evaluations):
            error = DaikonError("internal", "INTERNAL", "daikon returned fewer results than checks")
            return [error] * len(evaluations)
        results: list[bool | DaikonError] = [each.decision for each in found]
        for index, result in enumerate(results):
            if not result:
                evaluation = found[index]
                subject_type, subject_id = evaluations[index][:2]
                denied = _read_item_error(evaluation)
                denied = denied or denied_token_error(subject_type, subject_id, evaluation.context)
                results[index] = denied or False
        return results

    response_type = access_pb2.EvaluateBatchResponse
    return Operation("AccessService/EvaluateBatch", request, response_type, read)


def explain(evaluation: Evaluation) -> Operation[Explanation]:
    subject_type, subject_id, action, resource_type, resource_id, given = evaluation
    request = access_pb2.EvaluateRequest(
        subject=access_pb2.AccessSubject(type=subject_type, id=subject_id),
        action=access_pb2.AccessAction(name=action),
        resource=access_pb2.AccessResource(type=resource_type, id=resource_id),
    )
    request.context.update({**(json.loads(given) if given else {}), "explain": True})

    def read(response: access_pb2.Evaluation) -> Explanation:
        error = None if response.decision else denied_token_error(subject_type, subject_id, response.context)
        if error:
            raise error
        context = MessageToDict(response.context)
        reasons = tuple(_read_reason(reason) for reason in context.get("reasons", []))
        return Explanation(response.decision, reasons)

    return Operation("AccessService/Evaluate", request, access_pb2.Evaluation, read)


def search_resources(
    subject: SubjectName, action: str, type: str, context: dict[str, Any], page_token: str
) -> Operation[Page]:
    request = access_pb2.SearchResourcesRequest(
        subject=access_pb2.AccessSubject(type=subject.type, id=subject.id),
        action=access_pb2.AccessAction(name=action),
        resource=access_pb2.ResourceSearch(type=type),
    )
    if context:
        request.context.update(context)
    if page_token:
        request.page.token = page_token

    def read(response: access_pb2.SearchResourcesResponse) -> Page:
        if not page_token and not response.results:
            error = denied_token_error(subject.type, subject.id, response.context)
            if error:
                raise error
        return Page([result.id for result in response.results], response.page.next_token)

    response_type = access_pb2.SearchResourcesResponse
    return Operation("AccessService/SearchResources", request, response_type, read)


def search_subjects(
    subject_type: str,
    action: str,
    resource_type: str,
    resource_id: str,
    context: dict[str, Any],
    page_token: str,
) -> Operation[Page]:
    request = access_pb2.SearchSubjectsRequest(
        subject=access_pb2.SubjectSearch(type=subject_type),
        action=access_pb2.AccessAction(name=action),
        resource=access_pb2.AccessResource(type=resource_type, id=resource_id),
    )
    if context:
        request.context.update(context)
    if page_token:
        request.page.token = page_token

    def read(response: access_pb2.SearchSubjectsResponse) -> Page:
        return Page([result.id for result in response.results], response.page.next_token)

    response_type = access_pb2.SearchSubjectsResponse
    return Operation("AccessService/SearchSubjects", request, response_type, read)


def get_issuer() -> Operation[str]:
    def read(response: auth_pb2.Configuration) -> str:
        return response.issuer

    request = auth_pb2.GetConfigurationRequest()
    return Operation("AuthService/GetConfiguration", request, auth_pb2.Configuration, read)


def verify_api_key(key: str) -> Operation[AccessTokenClaims]:
    def read(found: oauth_pb2.TokenIntrospection) -> AccessTokenClaims:
        if not found.active or found.token_type != "api_key":
            raise token_invalid("the API key is unknown or no longer valid")
        claims = {
            "sub": found.sub,
            "wid": found.wid,
            "wslug": found.wslug,
            "wrole": found.wrole,
            "jti": "",
            "email": "",
            "name": "",
            "iss": "",
            "aud": "daikon",
            "type": "api_key",
            "iat": 0,
            "exp": found.exp if found.HasField("exp") else math.inf,
        }
        return cast(AccessTokenClaims, claims)

    request = oauth_pb2.IntrospectTokenRequest(token=key)
    return Operation("OAuthService/IntrospectToken", request, oauth_pb2.TokenIntrospection, read)


def get_keys() -> Operation[list[auth_pb2.Key]]:
    def read(response: auth_pb2.KeySet) -> list[auth_pb2.Key]:
        return list(response.keys)

    return Operation("AuthService/GetKeySet", auth_pb2.GetKeySetRequest(), auth_pb2.KeySet, read)


def _read_item_error(evaluation: access_pb2.Evaluation) -> DaikonError | None:
    """The error of an item that the server finds invalid, or that names another service."""
    if not evaluation.HasField("context") or "error" not in evaluation.context.fields:
        return None
    error = MessageToDict(evaluation.context)["error"]
    reason = error.get("reason")
    if error.get("status") == 403 and reason:
        return PermissionDeniedError(reason, with_advice(reason, error.get("message", "")))
    problems = [(problem["field"], problem["message"]) for problem in error.get("errors", [])]
    return arguments.item_error(error.get("message", "The check is not valid"), problems)


def _read_reason(record: dict[str, Any]) -> Reason:
    parent = record.get("inherited_from")
    expires_at = record.get("expires_at")
    return Reason(
        rule=record["rule"],
        permission=record.get("permission"),
        role=record.get("role"),
        group_id=record.get("group_id"),
        share_id=record.get("share_id"),
        expires_at=datetime.fromisoformat(expires_at.replace("Z", "+00:00")) if expires_at else None,
        inherited_from=ResourceKey(parent["resource_type"], parent["resource_id"]) if parent else None,
        link_id=record.get("link_id"),
        condition=record.get("condition"),
        missing=tuple(record.get("missing", ())),
        required_by=ResourceKey(record["resource_type"], record["resource_id"])
        if "resource_id" in record
        else None,
        delegation_id=record.get("delegation_id"),
        agent=Agent(**record["agent"]) if "agent" in record else None,
        uncovered=record.get("uncovered"),
    )
