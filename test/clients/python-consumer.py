"""Uses the installed package like a service. test/clients/python.test.ts runs it and checks its types."""

import asyncio
import os
from importlib.metadata import version

import daikon
from daikon import AsyncClient, Client, Explanation, Resource, Subject
from daikon.testing import FakeDaikon
from daikon.v1.access_pb2 import EvaluateRequest, Evaluation

address, key = os.environ["ADDRESS"], os.environ["KEY"]
token, workspace = os.environ["TOKEN"], os.environ["WORKSPACE"]
handbook = Resource("document", "handbook")
subject = Subject(token=token)


def use(client: Client) -> None:
    allowed: bool = client.check(subject, "edit", handbook)
    assert allowed
    assert client.check_many([(subject, "manage", handbook)]) == [False]
    assert "handbook" in set(client.accessible(subject, "view", "document"))
    explanation: Explanation = client.explain(subject, "view", handbook)
    assert explanation.reasons[0].rule == "workspace_visibility"
    assert client.verify_access_token(token)["wid"] == workspace
    request = EvaluateRequest()
    request.subject.type, request.subject.id = "access_token", token
    request.action.name = "view"
    request.resource.type, request.resource.id = "docs:document", "handbook"
    evaluation: Evaluation = client.call("AccessService/Evaluate", request, Evaluation)
    assert evaluation.decision


async def use_async(client: AsyncClient) -> None:
    async with client:
        may_edit, may_manage = await asyncio.gather(
            client.check(subject, "edit", handbook), client.check(subject, "manage", handbook)
        )
        assert may_edit and not may_manage
        async for id in client.accessible(subject, "edit", "document"):
            assert id


with Client(address, service="docs", service_key=key, timeout=30) as client:
    use(client)
asyncio.run(use_async(AsyncClient(address, service="docs", service_key=key, timeout=30)))
assert isinstance(FakeDaikon(), Client)
assert "site-packages" in daikon.__file__
print(f"daikon-auth-client {version('daikon-auth-client')} works")
