from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from .._advice import with_advice
from .._arguments import is_uuid
from ..errors import DaikonError, PermissionDeniedError
from ..types import AccessTokenClaims, Explanation, Resource
from ..v1 import access_pb2, permissions_pb2
from ._decide import decide, find_denial
from ._names import require_id
from ._permissions import FakePermissions
from ._rights import Rights
from ._subjects import FakeSubject, find_subject, group_subject, token_subject, user_subject
from ._tokens import describe_token_error, verify_fake_token
from ._workspaces import decide_workspace, find_workspace, is_workspace
from ._world import World


class FakeServer:
    """An in-memory server for one client."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.revoked: set[str] = set()
        self.rights = Rights(world, self.revoked)
        self.failure: DaikonError | None = None
        self.delay = 0.0
        self._methods: dict[str, Callable[[Any, str | None], Message]] = {
            "AccessService/EvaluateBatch": self._evaluate_batch,
            "AccessService/Evaluate": self._evaluate,
            "AccessService/SearchResources": self._search_resources,
            "AccessService/SearchSubjects": self._search_subjects,
            "PermissionService/Accessible": self._accessible,
            **FakePermissions(world, self.rights).methods(),
        }

    def handle(self, method: str, request: Message, token: str | None) -> Message:
        if self.failure is not None:
            raise self.failure
        handler = self._methods.get(method)
        items = [request, *getattr(request, "resources", ()), *getattr(request, "shares", ())]
        if any(getattr(item, "service_name", self.world.service) != self.world.service for item in items):
            raise self._other_service()
        if handler is None:
            message = f"The fake does not have {method}. It has {', '.join(self._methods)}"
            raise DaikonError("unimplemented", "UNIMPLEMENTED", message)
        return handler(request, token)

    def verify(self, token: str, audience: str | None, delegated: bool) -> AccessTokenClaims:
        if self.failure is not None:
            raise self.failure
        return verify_fake_token(token, audience, delegated)

    def _evaluate_batch(
        self, request: access_pb2.EvaluateBatchRequest, _token: str | None
    ) -> access_pb2.EvaluateBatchResponse:
        response = access_pb2.EvaluateBatchResponse()
        for item in request.evaluations:
            try:
                evaluation = response.evaluations.add(decision=self._explain(item).allowed)
                evaluation.context.update(describe_token_error(item.subject))
            except PermissionDeniedError as error:
                denied = response.evaluations.add(decision=False)
                denied.context.update({"error": {"status": 403, "reason": error.reason, "message": str(error)}})
        return response

    def _evaluate(self, request: access_pb2.EvaluateRequest, _token: str | None) -> access_pb2.Evaluation:
        explanation = self._explain(request)
        records: list[Any] = []
        for reason in explanation.reasons:
            parent, end, required_by = reason.inherited_from, reason.expires_at, reason.required_by
            record = {
                "rule": reason.rule,
                "permission": reason.permission,
                "role": reason.role,
                "group_id": reason.group_id,
                "share_id": reason.share_id,
                "expires_at": end and end.isoformat(),
                "link_id": reason.link_id,
                "condition": reason.condition,
                "resource_type": required_by and required_by.type,
                "resource_id": required_by and required_by.resource_id,
                "delegation_id": reason.delegation_id,
                "agent": reason.agent and asdict(reason.agent),
                "uncovered": reason.uncovered,
                "inherited_from": parent and {"resource_type": parent.type, "resource_id": parent.resource_id},
            }
            records.append({key: value for key, value in record.items() if value is not None})
        evaluation = access_pb2.Evaluation(decision=explanation.allowed)
        evaluation.context.update({"reasons": records, **describe_token_error(request.subject)})
        return evaluation

    def _search_resources(
        self, request: access_pb2.SearchResourcesRequest, _token: str | None
    ) -> access_pb2.SearchResourcesResponse:
        workspace_id = None
        if "workspace_id" in request.context.fields:
            workspace_id = request.context.fields["workspace_id"].string_value
            require_id(self.world, "context.workspace_id", workspace_id)
        subject = find_subject(self.world, request.subject, self.revoked)
        self._require_own_type(request.resource.type)
        type = self._type_of(request.resource)
        context = MessageToDict(request.context)
        response = access_pb2.SearchResourcesResponse()
        response.context.update(describe_token_error(request.subject))
        for id, workspace in self._list_resources(subject, type):
            if workspace_id not in (None, workspace):
                continue
            explanation = self._decide(subject, request.action.name, type, id, context)
            if explanation.allowed and _opens(subject, explanation):
                response.results.add(type=type, id=id)
        return response

    def _list_resources(self, subject: FakeSubject, type: str) -> list[tuple[str, str]]:
        """The IDs and workspaces of what a search covers."""
        if is_workspace(type):
            return [(id, id) for id in self.world.workspaces]
        return [
            (resource.id, resource.workspace_id)
            for resource in self.world.resources.values()
            if resource.type == type
            and (subject.kind == "anonymous" or find_denial(self.world, subject, resource) is None)
        ]

    def _search_subjects(
        self, request: access_pb2.SearchSubjectsRequest, _token: str | None
    ) -> access_pb2.SearchSubjectsResponse:
        self._require_own_type(request.resource.type)
        type, id = self._type_of(request.resource), request.resource.id
        resource = None if is_workspace(type) else self.world.find(Resource(type, id))
        workspace = resource.workspace_id if resource else None
        if is_workspace(type):
            workspace = find_workspace(self.world, id)
        context = MessageToDict(request.context)
        response = access_pb2.SearchSubjectsResponse()
        for subject in self._list_subjects(request.subject.type, workspace):
            is_member = resource is None or find_denial(self.world, subject, resource) is None
            if is_member and self._decide(subject, request.action.name, type, id, context).allowed:
                response.results.add(type=request.subject.type, id=_listed_name(subject))
        return response

    def _list_subjects(self, type: str, workspace_id: str | None) -> list[FakeSubject]:
        if workspace_id is None:
            return []
        if type == "user":
            return [user_subject(self.world, id) for id in sorted(self.world.users)]
        return [
            group_subject(self.world, id)
            for id, group in sorted(self.world.groups.items())
            if group.workspace_id == workspace_id
        ]

    def _accessible(
        self, request: permissions_pb2.AccessibleResourcesRequest, token: str | None
    ) -> permissions_pb2.AccessibleResourcesResponse:
        claims = self.rights.require_user(token)
        workspace_id = claims["wid"]
        if request.workspace_id != workspace_id:
            message = "The token was issued for another workspace"
            raise PermissionDeniedError("OTHER_WORKSPACE", message)
        subject = token_subject(self.world, claims)
        context = MessageToDict(request.context)
        role = self.world.find_role(workspace_id, claims["sub"])
        ids = [
            resource.resource_id
            for resource in self.world.resources.values()
            if resource.type == request.resource_type
            and resource.workspace_id == workspace_id
            and decide(self.world, subject, request.action, resource.type, resource, context).allowed
        ]
        if request.HasField("limit"):
            ids = ids[: request.limit]
        # A delegation always has a limit.
        has_full_access = subject.delegation is None and role in ("owner", "admin")
        return permissions_pb2.AccessibleResourcesResponse(resource_ids=ids, has_full_access=has_full_access)

    def _explain(self, request: access_pb2.EvaluateRequest | access_pb2.EvaluationItem) -> Explanation:
        subject = find_subject(self.world, request.subject, self.revoked)
        self._require_own_type(request.resource.type)
        type = self._type_of(request.resource)
        context = MessageToDict(request.context)
        return self._decide(subject, request.action.name, type, request.resource.id, context)

    def _decide(
        self, subject: FakeSubject, action: str, type: str, id: str, context: dict[str, Any]
    ) -> Explanation:
        """Decides about a resource or a workspace."""
        if is_workspace(type):
            return decide_workspace(self.world, subject, action, find_workspace(self.world, id))
        return decide(self.world, subject, action, type, self.world.find(Resource(type, id)), context)

    def _require_own_type(self, type: str) -> None:
        if not type.startswith(self._typename("")):
            raise self._other_service()

    def _other_service(self) -> PermissionDeniedError:
        message = f"The service key is limited to {self.world.service}"
        return PermissionDeniedError("OTHER_SERVICE", with_advice("OTHER_SERVICE", message))

    def _type_of(self, resource: access_pb2.AccessResource | access_pb2.ResourceSearch) -> str:
        return resource.type[len(self._typename("")) :]

    def _typename(self, type: str) -> str:
        return f"{self.world.service}:{type}"


def _opens(subject: FakeSubject, explanation: Explanation) -> bool:
    """Whether a search lists an allowed resource. For a link, what is only public is not listed."""
    return subject.kind != "link" or any(reason.rule == "link" for reason in explanation.reasons)


def _listed_name(subject: FakeSubject) -> str:
    """How a search names a user or group: by its `external_id`, if that cannot be another name."""
    external_id = subject.external_id
    is_external_id = external_id != "" and not is_uuid(external_id) and "@" not in external_id
    return external_id if is_external_id else subject.id
