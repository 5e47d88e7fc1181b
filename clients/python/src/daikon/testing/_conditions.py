from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from ..errors import DaikonError
from ..types import Condition, Visibility


@dataclass(frozen=True, slots=True)
class ConditionSubject:
    """What a condition reads as `subject`. What does not exist is empty."""

    id: str
    external_id: str
    type: Literal["user", "group", "link", "anonymous"]
    email: str
    role: str
    """The role in the workspace of the resource."""
    guest: bool
    """Whether the user is a guest of the workspace of the resource."""


@dataclass(frozen=True, slots=True)
class ConditionResource:
    """What a condition reads as `resource`: the one that is asked about, also if an ancestor is shared."""

    id: str
    external_id: str
    type: str
    workspace_id: str
    owner_id: str
    visibility: Visibility
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ConditionAgent:
    """What a condition reads as `agent`: the software that acts for the user. Empty if there is none."""

    type: Literal["service_account", "client", ""] = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class ConditionInput:
    """What a condition of a fake reads, as the variables of an expression on the server."""

    subject: ConditionSubject
    resource: ConditionResource
    action: str
    context: Mapping[str, Any]
    params: Mapping[str, Any]
    now: datetime
    agent: ConditionAgent = field(default_factory=ConditionAgent)


WorldCondition = Callable[[ConditionInput], bool]
"""Stands for the expression of a condition, which only the server evaluates. A condition whose function raises
an error is false, like one whose evaluation fails."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a condition."""

    condition: str
    is_true: bool
    has_failed: bool = False


Evaluate = Callable[[Condition], Verdict]
"""Evaluates the conditions of one decision."""


def create_evaluate(
    functions: Mapping[str, WorldCondition],
    create_inputs: Callable[[Mapping[str, Any]], list[ConditionInput]],
) -> Evaluate:
    """Returns a function that evaluates conditions, and raises a DaikonError (`failed_precondition`) if the
    fake has no function for one. `create_inputs` takes the parameters. A condition whose results for the
    inputs differ has failed."""

    def evaluate(condition: Condition) -> Verdict:
        judge = functions.get(condition.name)
        if judge is None:
            message = (
                f"The fake has no function for the condition {condition.name}: only the server evaluates "
                f"expressions. Pass conditions={{{condition.name!r}: lambda input: …}}"
            )
            raise DaikonError("failed_precondition", "CONDITION_WITHOUT_FUNCTION", message)
        try:
            inputs = create_inputs(condition.params or {})
            results = {judge(input) is True for input in inputs}
            return Verdict(condition.name, results == {True}, has_failed=len(results) > 1)
        except Exception:
            return Verdict(condition.name, False, has_failed=True)

    return evaluate
