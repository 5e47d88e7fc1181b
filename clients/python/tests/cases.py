from __future__ import annotations

import json
import re
from dataclasses import asdict
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from daikon import (
    Agent,
    Check,
    Condition,
    ConditionDeclaration,
    DaikonError,
    DeclaredType,
    Explanation,
    Grantee,
    Link,
    NewShare,
    RegisteredResource,
    Registration,
    Requirement,
    Resource,
    RoleDeclaration,
    Share,
    Subject,
)
from daikon.testing import AsyncFakeDaikon, FakeDaikon, WorldCondition

_path = Path(__file__).resolve().parents[2] / "cases.json"

# What the expressions of the conditions in cases.json say.
conditions: dict[str, WorldCondition] = {
    "in_office": lambda input: input.context["network"] == "office",
    "up_to": lambda input: bool(input.context["amount"] <= input.params["max"]),
    "not_locked": lambda input: not input.resource.attributes.get("locked", False),
    "not_guest": lambda input: not input.subject.guest,
    "own": lambda input: input.resource.owner_id == input.subject.id,
    "by_person": lambda input: input.agent.type == "",
    "by_agent": lambda input: (input.agent.type, input.agent.id) == (input.params["type"], input.params["id"]),
}

# What is named by the strings that begin with `$`.
_named = ("users", "workspaces", "groups", "delegations")

# Arguments that are passed as they are.
_plain = ("attributes", "context")


class Table:
    """The cases of clients/cases.json, with IDs in place of names."""

    def __init__(self) -> None:
        table = json.loads(_path.read_text())
        world = table["world"]
        objects = [row for kind in _named for row in world[kind]]
        self.values: dict[str, str] = {row["name"]: row["id"] for row in objects}
        self.service: str = table["service"]
        self.world: dict[str, Any] = substitute(world, self.values)
        self.cases: list[dict[str, Any]] = table["cases"]
        self.other_service: str = next(case["service"] for case in self.cases if "service" in case)

    def cases_for(self, client: object) -> list[dict[str, Any]]:
        """Returns the cases. A fake evaluates no expressions."""
        is_fake = isinstance(client, (FakeDaikon, AsyncFakeDaikon))
        return [case for case in self.cases if not (is_fake and case.get("needs") == "cel")]

    def fake_options(self) -> dict[str, Any]:
        """Returns the options of FakeDaikon for the world."""
        options = {key: rows for key, rows in self.world.items() if key != "tokens"}
        for row in options["workspaces"]:
            row["slug"] = row.pop("name", "")
        past = datetime.now(timezone.utc) - timedelta(minutes=1)
        for row in options["members"]:
            if row.pop("state", None) == "left":
                row["expiresAt"] = past
        for row in options["delegations"]:
            del row["name"]
            if "resources" in row:
                row["resources"] = [Resource(**resource) for resource in row["resources"]]
            state = row.pop("state", None)
            row["ended"] = state == "ended"
            if state == "expired":
                row["expiresAt"] = past
        for row in options["resourceTypes"]:
            row.update(to_declarations(row))
        converted = to_python(options)
        return {"service": self.service, "conditions": conditions, **converted}

    def other_options(self) -> dict[str, Any]:
        """Returns the options of a FakeDaikon for a service other than the key's."""
        return {"service": self.other_service, "key_service": self.service}


def substitute(part: Any, values: dict[str, str]) -> Any:
    """Replaces each string `$name` with its value. Strings without a value are unchanged."""
    if isinstance(part, str):
        return values.get(part[1:], part) if part.startswith("$") else part
    if isinstance(part, list):
        return [substitute(item, values) for item in part]
    if isinstance(part, dict):
        return {key: substitute(value, values) for key, value in part.items()}
    return part


def to_python(part: Any) -> Any:
    """Converts names to snake case, and objects to subjects, resources and grantees of the client."""
    if isinstance(part, list):
        return [to_python(item) for item in part]
    if not isinstance(part, dict):
        return part
    converted: dict[str, Any] = {}
    for key, value in part.items():
        name = to_name(key)
        if key == "subject":
            converted[name] = Subject(**to_python(value))
        elif key in ("resource", "parent"):
            converted[name] = None if value is None else Resource(**value)
        elif key == "grantee":
            converted[name] = Grantee(**to_python(value))
        elif key == "condition" and isinstance(value, dict):
            converted[name] = Condition(**value)
        elif key in _plain:
            converted[name] = value
        else:
            converted[name] = to_python(value)
    return converted


def to_name(name: str) -> str:
    """Converts a name to snake case."""
    return "as_" if name == "as" else re.sub(r"([A-Z])", lambda match: f"_{match[1].lower()}", name)


def to_declarations(declared: dict[str, Any]) -> dict[str, Any]:
    """Converts the lists of a declaration to objects of the client."""
    kinds = {"roles": RoleDeclaration, "conditions": ConditionDeclaration, "requirements": Requirement}
    return {key: [kind(**row) for row in declared.get(key, [])] for key, kind in kinds.items()}


def to_registration(row: dict[str, Any]) -> Registration:
    return Registration(resource=Resource(row.pop("type"), row.pop("id")), **row)


class Call:
    """The operation of a case and its arguments."""

    def __init__(self, case: dict[str, Any], values: dict[str, str]) -> None:
        self.case = case
        self.values = values
        self.operation: str = to_name(case["call"])
        arguments = to_python(substitute(case["args"], values))
        self.args: list[Any] = []
        if self.operation == "check_many":
            self.args = [[Check(**item) for item in arguments.pop("items")]]
        elif self.operation == "register_many":
            self.args = [[to_registration(row) for row in arguments.pop("resources")]]
        elif self.operation == "share_many":
            self.args = [[NewShare(**share) for share in arguments.pop("shares")]]
        elif self.operation == "register_actions":
            actions = arguments.pop("actions")
            self.args = [
                [
                    action if isinstance(action, str) else (action["name"], action["description"])
                    for action in actions
                ]
            ]
        elif self.operation == "declare_type":
            arguments.update(to_declarations(arguments))
        elif self.operation in ("register", "resource_id"):
            self.args = [Resource(arguments.pop("type"), arguments.pop("id"))]
        self.kwargs: dict[str, Any] = arguments
        self.expected: Any = substitute(case.get("returns"), values)

    def compare(self, result: Any) -> None:
        name, expected = self.case["name"], self.expected
        assert "fails" not in self.case, f"{name}: returned {result}"
        for key, attribute in self.case.get("save", {}).items():
            self.values[key] = getattr(result, attribute)
        if isinstance(result, Explanation):
            reasons = result.reasons
            actual = {
                "allowed": result.allowed,
                "rules": sorted(reason.rule for reason in reasons),
                "roles": sorted(reason.role for reason in reasons if reason.role is not None),
                "conditions": sorted(reason.condition for reason in reasons if reason.condition is not None),
                "missing": sorted(path for reason in reasons for path in reason.missing),
                "requiredBy": sorted(reason.required_by.type for reason in reasons if reason.required_by),
                "uncovered": sorted(reason.uncovered for reason in reasons if reason.uncovered),
                "delegations": sorted(reason.delegation_id for reason in reasons if reason.delegation_id),
                "agents": sorted(_name_agent(reason.agent) for reason in reasons if reason.agent),
            }
            assert actual == {**actual, **expected}, name
        elif isinstance(result, (RegisteredResource, Share, Link)):
            for key, value in to_python(expected).items():
                assert _read_field(result, key) == value, f"{name}: {key}"
        elif isinstance(result, DeclaredType):
            uses = None if result.uses is None else asdict(result.uses)
            assert uses == (expected and {**(uses or {}), **to_python(expected["uses"])}), name
        elif self.operation in ("shares", "share_many"):
            grantees = [share.grantee.user_id or share.grantee.group_id for share in result]
            assert sorted(map(str, grantees)) == sorted(expected), name
        elif self.operation == "links":
            assert [link.name or "" for link in result] == expected, name
        elif self.operation == "resource_types":
            assert sorted(declared.type for declared in result) == expected, name
        elif self.operation == "register_many":
            assert [resource.id for resource in result] == expected, name
        elif self.operation == "verify_access_token":
            claims = {"userId": result["sub"], "workspaceId": result["wid"]}
            if "act" in result:
                claims["agent"] = f"{result['act']['typ']}:{result['act']['sub']}"
                claims["delegationId"] = result["delegation_id"]
            assert claims == expected, name
        elif self.operation in ("accessible", "subjects"):
            assert sorted(result) == sorted(expected), name
        else:
            assert result == expected, name

    def compare_error(self, error: DaikonError) -> None:
        fails = self.case.get("fails")
        message = f"{self.case['name']}: {error}"
        assert fails, message
        assert error.code == fails["code"], message
        if "reason" in fails:
            assert error.reason == fails["reason"], message
        if "fields" in fails:
            assert [field.field for field in error.fields] == fails["fields"], message


def _read_field(result: RegisteredResource | Share | Link, key: str) -> object:
    if isinstance(result, RegisteredResource) and key == "shared_with":
        return _name_grantees(result.shares)
    if isinstance(result, RegisteredResource) and key == "inherited":
        return _view_inherited(result)
    value: object = getattr(result, key)
    return value


def _name_agent(agent: Agent) -> str:
    return f"{agent.type}:{agent.id} {agent.name}"


def _name_grantees(shares: tuple[Share, ...]) -> list[str]:
    return sorted(f"{share.grantee_name or ''} {share.grantee_email or ''}" for share in shares)


def _view_inherited(resource: RegisteredResource) -> list[str]:
    views = []
    for ancestor in resource.ancestors:
        holders = [f"{ancestor.owner_name} {ancestor.owner_email}", *_name_grantees(ancestor.shares)]
        views.append(f"{ancestor.type} {ancestor.id} {ancestor.visibility}: {', '.join(holders)}")
    return views
