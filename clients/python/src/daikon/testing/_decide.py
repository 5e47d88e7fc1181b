from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from ..types import Condition, Explanation, Reason, ResourceKey, Role, Rule
from . import _access as access
from ._conditions import (
    ConditionAgent,
    ConditionInput,
    ConditionResource,
    ConditionSubject,
    Evaluate,
    Verdict,
    create_evaluate,
)
from ._delegations import Asked, decide_delegated
from ._grants import Found, find_custom_roles, find_grants
from ._subjects import FakeSubject, find_role_of, has_guest
from ._world import Registered, World

_nobody = FakeSubject("anonymous", may_view_public=True)


def decide(
    world: World,
    subject: FakeSubject,
    action: str,
    type: str,
    resource: Registered | None,
    context: Mapping[str, Any],
) -> Explanation:
    """Decides about a resource of a type by the rules of the server."""
    decided = _decide_user(world, subject, action, resource, context)
    delegation = subject.delegation
    if delegation is None:
        return decided
    # The resource exists for the user if it is in the workspace of the delegation, or public.
    is_known = resource is not None and (
        resource.workspace_id == delegation.workspace_id
        or _decide_public(world, subject, "view", resource, context, "resource_unknown").allowed
    )
    workspace_id = None if resource is None else resource.workspace_id
    return decide_delegated(world, delegation, Asked(action, type, resource, workspace_id, is_known), decided)


def _decide_user(
    world: World,
    subject: FakeSubject,
    action: str,
    resource: Registered | None,
    context: Mapping[str, Any],
) -> Explanation:
    denial = find_denial(world, subject, resource)
    if denial is not None:
        return _decide_public(world, subject, action, resource, context, denial)
    assert resource is not None
    role = find_role_of(world, subject, resource.workspace_id)
    assert role is not None
    evaluate = _create_evaluation(world, subject, action, resource, context, role)
    found = find_grants(world, subject, action, resource, evaluate)

    def find_unmet(required: str) -> list[_Unmet]:
        return _find_unmet(world, subject, action, resource, context, role, required)

    unmet = find_unmet(action)
    custom_roles = find_custom_roles(world, subject, action, resource.workspace_id)
    # A custom role gives the action on what the subject may view.
    if custom_roles and find_unmet("view"):
        custom_roles = []
    action_facts = access.ACTION_REGISTERED if action in world.actions else 0
    if custom_roles:
        action_facts |= access.ACTION_GRANTED
    facts = access.REGISTERED | action_facts
    for grant in found:
        facts |= grant.bits
    if access.is_allowed(role, action, facts):
        if unmet:
            return _deny_unmet(unmet)
        return Explanation(True, _list_reasons(role, action, facts, found, custom_roles))
    if not access.is_allowed("owner", action, facts):
        return _deny("action_unknown")
    failures = tuple(
        grant.failure
        for grant in found
        if grant.failure is not None and access.is_allowed(role, action, grant.withheld_bits | action_facts)
    )
    return Explanation(False, failures) if failures else _deny("no_grant")


def find_denial(world: World, subject: FakeSubject, resource: Registered | None) -> Rule | None:
    """Why the subject has no role in the workspace of the resource, or None if it does."""
    if not subject.is_known:
        return "link_unknown" if subject.kind == "link" else "user_unknown"
    if not subject.is_active:
        return "user_inactive"
    if resource is None or subject.workspace_id not in (None, resource.workspace_id):
        return "resource_unknown"
    if find_role_of(world, subject, resource.workspace_id) is not None:
        return None
    return "no_grant" if subject.kind == "link" else "not_a_member"


def is_owner(world: World, subject: FakeSubject, resource: Registered) -> bool:
    """Whether a user owns a resource or an ancestor that it inherits from, or administers its workspace."""
    role = world.find_role(resource.workspace_id, subject.id)
    if role is not None and access.covers_workspace(role):
        return True
    evaluate = _create_evaluation(world, subject, "manage", resource, {}, role)
    grants = find_grants(world, subject, "manage", resource, evaluate)
    return any(grant.bits & access.OWNER for grant in grants)


def _decide_public(
    world: World,
    subject: FakeSubject,
    action: str,
    resource: Registered | None,
    context: Mapping[str, Any],
    denial: Rule,
) -> Explanation:
    """Decides for a subject without a role in the workspace, who may only view what is public."""
    if resource is None or action != "view" or not subject.may_view_public:
        return _deny(denial)
    evaluate = _create_evaluation(world, subject, action, resource, context, None)
    grants = find_grants(world, _nobody, action, resource, evaluate)
    reasons = tuple(grant.reason for grant in grants if grant.bits & access.PUBLIC)
    if not reasons:
        return _deny(denial)
    unmet = _find_unmet(world, subject, action, resource, context, None, action)
    return _deny_unmet(unmet) if unmet else Explanation(True, reasons)


_Unmet = tuple[Verdict, ResourceKey]
"""A requirement that is not met, and the resource that it was judged with."""


def _find_unmet(
    world: World,
    subject: FakeSubject,
    action: str,
    resource: Registered,
    context: Mapping[str, Any],
    role: Role | None,
    required: str,
) -> list[_Unmet]:
    """The requirements that are not met: those of the type of the resource, and the inherited ones of each
    ancestor that it inherits from, which are judged with that ancestor."""
    unmet: list[_Unmet] = []
    for current in resource.reached():
        evaluate = _create_evaluation(world, subject, action, current, context, role)
        for requirement in world.find_declaration(current.type).requirements:
            if requirement.action != required or not (requirement.inherited or current is resource):
                continue
            verdict = evaluate(Condition(requirement.condition))
            if not verdict.is_true:
                unmet.append((verdict, ResourceKey(current.type, current.resource_id)))
    return unmet


def _create_evaluation(
    world: World,
    subject: FakeSubject,
    action: str,
    resource: Registered,
    context: Mapping[str, Any],
    role: Role | None,
) -> Evaluate:
    is_guest = has_guest(world, subject, resource.workspace_id)
    # Members of a group with a guest differ, so a condition that reads it has no result.
    guests = (True, False) if subject.kind == "group" and is_guest else (is_guest,)
    agent = None if subject.delegation is None else subject.delegation.agent

    def create_input(params: Mapping[str, Any], guest: bool) -> ConditionInput:
        return ConditionInput(
            subject=ConditionSubject(
                id=subject.id if subject.is_known else "",
                external_id=subject.external_id,
                type=subject.kind,
                email=subject.email,
                role="" if role is None or subject.kind == "link" else role,
                guest=guest,
            ),
            resource=ConditionResource(
                id=resource.resource_id,
                external_id="" if resource.id == resource.resource_id else resource.id,
                type=resource.type,
                workspace_id=resource.workspace_id,
                owner_id=resource.owner_id,
                visibility=resource.visibility,
                attributes=resource.attributes,
            ),
            action=action,
            context=context,
            params=params,
            now=datetime.now(timezone.utc),
            agent=ConditionAgent() if agent is None else ConditionAgent(agent.type, agent.id),
        )

    def create_inputs(params: Mapping[str, Any]) -> list[ConditionInput]:
        return [create_input(params, guest) for guest in guests]

    return create_evaluate(world.conditions, create_inputs)


def _list_reasons(
    role: Role,
    action: str,
    facts: int,
    found: list[Found],
    custom_roles: list[Reason],
) -> tuple[Reason, ...]:
    is_covered = access.covers_workspace(role)
    sufficient = access.sufficient_grants("editor" if is_covered else role, action, facts)
    reasons = [Reason("workspace_role", role=role)] if is_covered else []
    reasons += [grant.reason for grant in found if grant.bits & sufficient]
    # The role of a share can allow an action without view, which a custom role needs.
    if action not in access.BUILT_IN_ACTIONS and access.is_allowed(role, "view", facts):
        reasons += custom_roles
    return tuple(reasons)


def _deny_unmet(unmet: list[_Unmet]) -> Explanation:
    reasons: list[Reason] = []
    for verdict, key in unmet:
        reasons.append(Reason("requirement_not_met", condition=verdict.condition, required_by=key))
        if verdict.has_failed:
            reasons.append(Reason("condition_failed", condition=verdict.condition, required_by=key))
    return Explanation(False, tuple(reasons))


def _deny(rule: Rule) -> Explanation:
    return Explanation(False, (Reason(rule),))
