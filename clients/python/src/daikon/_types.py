"""Operations on actions and resource types."""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.json_format import MessageToDict

from . import _arguments as arguments
from ._changes import change, ignore
from ._operations import Operation
from .types import ConditionDeclaration, DeclaredType, Requirement, RoleDeclaration, TypeUses
from .v1 import permissions_pb2


def register_actions(service: str, actions: Iterable[str | tuple[str, str]]) -> Operation[None]:
    request = permissions_pb2.RegisterActionsRequest(service_name=service)
    for action in actions:
        name, description = (action, None) if isinstance(action, str) else action
        request.actions.add(name=name, description=description)
    return change("RegisterActions", request, permissions_pb2.ServiceActions, ignore)


def declare_type(
    service: str,
    type: str,
    *,
    description: str,
    allow_public: bool,
    roles: Iterable[RoleDeclaration],
    conditions: Iterable[ConditionDeclaration],
    requirements: Iterable[Requirement],
    dry_run: bool,
) -> Operation[DeclaredType]:
    arguments.require_type(type)
    request = permissions_pb2.PutResourceTypeRequest(
        service_name=service,
        resource_type=type,
        description=description,
        allow_public=allow_public,
        dry_run=dry_run,
    )
    for role in roles:
        request.roles.add(name=role.name, description=role.description, actions=role.actions)
    for condition in conditions:
        declared = request.conditions.add(
            name=condition.name, description=condition.description, expression=condition.expression
        )
        declared.parameters.update(arguments.require_object("parameters", condition.parameters))
    for requirement in requirements:
        request.requirements.add(
            action=requirement.action, condition=requirement.condition, inherited=requirement.inherited
        )
    return change("PutResourceType", request, permissions_pb2.ResourceType, _read_type)


def list_types(service: str) -> Operation[list[DeclaredType]]:
    def read(response: permissions_pb2.ListResourceTypesResponse) -> list[DeclaredType]:
        return [_read_type(declared) for declared in response.types]

    request = permissions_pb2.ListResourceTypesRequest(service_name=service)
    return change("ListResourceTypes", request, permissions_pb2.ListResourceTypesResponse, read)


def delete_type(service: str, type: str) -> Operation[None]:
    arguments.require_type(type)
    return change(
        "DeleteResourceType",
        permissions_pb2.DeleteResourceTypeRequest(service_name=service, resource_type=type),
        permissions_pb2.DeleteResourceTypeResponse,
        ignore,
        success_reason="RESOURCE_TYPE_NOT_FOUND",
    )


def _read_type(declared: permissions_pb2.ResourceType) -> DeclaredType:
    uses = None
    if declared.HasField("resources"):
        roles, conditions = MessageToDict(declared.roles_used), MessageToDict(declared.conditions_used)
        below = declared.resources_below if declared.HasField("resources_below") else None
        uses = TypeUses(declared.resources, roles, conditions, below)
    return DeclaredType(
        type=declared.resource_type,
        description=declared.description,
        allow_public=declared.allow_public,
        roles=tuple(
            RoleDeclaration(role.name, tuple(role.actions), role.description) for role in declared.roles
        ),
        conditions=tuple(
            ConditionDeclaration(
                condition.name,
                condition.expression,
                MessageToDict(condition.parameters),
                condition.description,
            )
            for condition in declared.conditions
        ),
        requirements=tuple(
            Requirement(requirement.action, requirement.condition, requirement.inherited)
            for requirement in declared.requirements
        ),
        uses=uses,
    )
