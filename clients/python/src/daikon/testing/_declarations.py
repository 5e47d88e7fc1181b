from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import DaikonError, NotFoundError, invalid_argument
from ..types import Condition, DeclaredType, TypeUses
from ._access import BUILT_IN_ACTIONS
from ._world import UNDECLARED, Link, Registered, Share, World

WORKSPACE_TYPE = "workspace"
"""The type that stands for workspaces themselves."""


def declare(world: World, declared: DeclaredType) -> None:
    """Replaces the declaration of a resource type.

    Raises:
        InvalidArgumentError: It contains unknown actions or conditions.
        DaikonError: Something uses what it removes.
    """
    require_valid(world, declared)
    _require_unused(world, declared.type, declared)
    is_empty = not (
        declared.description
        or declared.allow_public
        or declared.roles
        or declared.conditions
        or declared.requirements
    )
    if is_empty:
        world.resource_types.pop(declared.type, None)
    else:
        world.resource_types[declared.type] = declared


def delete_declaration(world: World, type: str) -> None:
    if type not in world.resource_types:
        raise NotFoundError("RESOURCE_TYPE_NOT_FOUND", f"{world.service} has not declared {type}")
    _require_unused(world, type, UNDECLARED)
    del world.resource_types[type]


def require_valid(world: World, declared: DeclaredType) -> None:
    require_free_type(declared.type)
    known = {*BUILT_IN_ACTIONS, *world.actions}
    unknown = f"is not an action that {world.service} has registered"
    problems = [
        (f"roles[{index}].actions[{position}]", unknown)
        for index, role in enumerate(declared.roles)
        for position, action in enumerate(role.actions)
        if action not in known
    ]
    parameters = {condition.name: condition.parameters for condition in declared.conditions}
    for index, requirement in enumerate(declared.requirements):
        if requirement.action not in known:
            problems.append((f"requirements[{index}].action", unknown))
        if requirement.condition not in parameters:
            message = "is not a condition of the declaration"
            problems.append((f"requirements[{index}].condition", message))
        elif parameters[requirement.condition]:
            problems.append((f"requirements[{index}].condition", "must not have parameters"))
    if problems:
        raise invalid_argument(*problems)


def require_free_type(type: str) -> None:
    if type == WORKSPACE_TYPE:
        message = "must not be workspace, which names the workspaces of daikon"
        raise invalid_argument(("resource_type", message))


def require_condition(world: World, type: str, condition: Condition | None) -> None:
    """Requires that a type has a condition with these parameters. The types of values are not checked."""
    if condition is None:
        return
    for declared in world.find_declaration(type).conditions:
        if declared.name == condition.name:
            problems = _find_misfits(declared.parameters, condition.params or {})
            if problems:
                raise invalid_argument(*problems)
            return
    raise invalid_argument(("condition.name", f"is not a condition of {type}: {condition.name}"))


def count_uses(world: World, type: str) -> TypeUses:
    current, resources = world.find_declaration(type), _resources_of(world, type)
    grants = _grants_of(resources)
    return TypeUses(
        len(resources),
        {role.name: sum(grant.role == role.name for grant in grants) for role in current.roles},
        {
            condition.name: sum(
                grant.condition is not None and grant.condition.name == condition.name for grant in grants
            )
            for condition in current.conditions
        },
    )


def count_below(world: World, type: str) -> int:
    """Counts the resources that inherit from a resource of a type."""
    return sum(any(one.type == type for one in each.reached()[1:]) for each in world.resources.values())


def _require_unused(world: World, type: str, declared: DeclaredType) -> None:
    resources = _resources_of(world, type)
    grants = _grants_of(resources)
    kept = {role.name for role in declared.roles}
    roles = sorted({grant.role for grant in grants if grant.role is not None and grant.role not in kept})
    if roles:
        message = f"Shares or links use roles that the declaration would remove: {', '.join(roles)}"
        raise DaikonError("already_exists", "ROLE_IN_USE", message)
    parameters = {condition.name: condition.parameters for condition in declared.conditions}
    conditions = sorted(
        {
            grant.condition.name
            for grant in grants
            if grant.condition is not None
            and (
                grant.condition.name not in parameters
                or _find_misfits(parameters[grant.condition.name], grant.condition.params or {})
            )
        }
    )
    if conditions:
        message = (
            "Shares or links use conditions that the declaration would remove, or whose parameters would not "
            f"fit: {', '.join(conditions)}"
        )
        raise DaikonError("already_exists", "CONDITION_IN_USE", message)
    if not declared.allow_public and any(resource.visibility == "public" for resource in resources):
        raise DaikonError("already_exists", "PUBLIC_RESOURCES", "Resources of the type are public")


def _find_misfits(parameters: Mapping[str, str], params: Mapping[str, Any]) -> list[tuple[str, str]]:
    unknown = [name for name in params if name not in parameters]
    missing = [name for name in parameters if name not in params]
    return [
        *((f"condition.params.{name}", "is not a parameter of the condition") for name in unknown),
        *((f"condition.params.{name}", "is required") for name in missing),
    ]


def _resources_of(world: World, type: str) -> list[Registered]:
    return [resource for resource in world.resources.values() if resource.type == type]


def _grants_of(resources: list[Registered]) -> list[Share | Link]:
    grants: list[Share | Link] = []
    for resource in resources:
        grants += [*resource.shares, *resource.links]
    return grants
