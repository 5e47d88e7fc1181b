from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from daikon import DaikonError, Explanation, Grantee, RegisteredResource, Resource, Share, Subject
from daikon.v1.permissions_pb2 import PutResourceTypeRequest, ResourceType

_path = Path(__file__).resolve().parents[2] / "cases.json"
_names = {
    "as": "as_",
    "checkMany": "check_many",
    "setVisibility": "set_visibility",
    "verifyAccessToken": "verify_access_token",
    "resourceId": "resource_id",
}


class Table:
    """The cases of clients/cases.json, with IDs in place of the names of users, workspaces and groups."""

    def __init__(self) -> None:
        table = json.loads(_path.read_text())
        world = table["world"]
        objects = [*world["users"], *world["workspaces"], *world["groups"]]
        self.values: dict[str, str] = {row["name"]: row["id"] for row in objects}
        self.service: str = table["service"]
        self.world: dict[str, Any] = substitute(world, self.values)
        self.cases: list[dict[str, Any]] = table["cases"]
        self.other_service: str = next(case["service"] for case in self.cases if "service" in case)

    def fake_options(self) -> dict[str, Any]:
        """Returns the options of FakeDaikon for the world."""
        options = {key: rows for key, rows in self.world.items() if key != "tokens"}
        for kind in ("users", "workspaces", "groups"):
            for row in options[kind]:
                row.pop("name", None)
        converted = to_python(options)
        return {"service": self.service, **converted}

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
        name = _names.get(key) or re.sub(r"([A-Z])", lambda match: f"_{match[1].lower()}", key)
        if key == "subject":
            converted[name] = Subject(**to_python(value))
        elif key in ("resource", "parent"):
            converted[name] = Resource(**value)
        elif key == "grantee":
            converted[name] = Grantee(**to_python(value))
        else:
            converted[name] = to_python(value)
    return converted


class Call:
    """The operation of a case and its arguments."""

    def __init__(self, case: dict[str, Any], values: dict[str, str]) -> None:
        self.case = case
        self.operation: str = _names.get(case["call"], case["call"])
        arguments = to_python(substitute(case["args"], values))
        self.args: list[Any] = []
        if self.operation == "check_many":
            items = [(item["subject"], item["action"], item["resource"]) for item in arguments["items"]]
            self.args, arguments = [items], {}
        elif self.operation == "declareType":
            request = PutResourceTypeRequest(
                service_name="docs",
                resource_type=arguments["type"],
                roles=arguments["roles"],
                allow_public=arguments.get("allow_public", False),
            )
            self.operation = "call"
            self.args = ["PermissionService/PutResourceType", request, ResourceType]
            arguments = {}
        elif self.operation in ("register", "resource_id"):
            self.args = [Resource(arguments.pop("type"), arguments.pop("id"))]
        self.kwargs: dict[str, Any] = arguments
        self.expected: Any = substitute(case.get("returns"), values)

    def compare(self, result: Any) -> None:
        name, expected = self.case["name"], self.expected
        assert "fails" not in self.case, f"{name}: returned {result}"
        if isinstance(result, Explanation):
            rules = sorted(reason.rule for reason in result.reasons)
            roles = sorted(reason.role for reason in result.reasons if reason.role is not None)
            actual = {"allowed": result.allowed, "rules": rules, "roles": roles}
            assert actual == {"roles": roles, **expected}, name
        elif isinstance(result, (RegisteredResource, Share)):
            for key, value in to_python(expected).items():
                assert getattr(result, key) == value, f"{name}: {key}"
        elif isinstance(result, ResourceType):
            assert expected is None, name
        elif self.operation == "verify_access_token":
            assert {"userId": result["sub"], "workspaceId": result["wid"]} == expected, name
        elif self.operation == "accessible":
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
