from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any

import daikon.django
import daikon.fastapi
import httpx2
import pytest
from daikon import (
    AgentCredentials,
    AsyncClient,
    Client,
    DaikonError,
    DelegatedToken,
    InvalidArgumentError,
    InvalidTokenError,
    PermissionDeniedError,
    Resource,
    Subject,
    UnauthenticatedError,
)
from daikon._exchange import ExchangeRequest, LoopTokens, ThreadTokens
from daikon.fastapi import RequestUser
from daikon.testing import AsyncFakeDaikon, FakeDaikon
from fastapi import Depends, FastAPI

from .conftest import Server

folder = Resource("folder", "q4")
below = Resource("document", "below")
elsewhere = Resource("document", "elsewhere")
of_bob = Resource("document", "of-bob")
acme = Resource("workspace", "acme")


def create_world() -> dict[str, Any]:
    owned = {"workspace_id": "acme", "owner_id": "alice"}
    base = {"user_id": "alice", "workspace_id": "acme"}
    past = datetime.now(timezone.utc) - timedelta(seconds=1)
    return {
        "members": [
            {"workspace_id": "acme", "user_id": "alice", "role": "editor"},
            {"workspace_id": "acme", "user_id": "bob", "role": "viewer"},
            {"workspace_id": "globex", "user_id": "bob", "role": "viewer"},
            {"workspace_id": "acme", "user_id": "gone", "role": "editor", "expires_at": past},
        ],
        "resource_types": [{"type": "document", "allow_public": True}],
        "resources": [
            {"type": "folder", "id": "q4", **owned},
            {"type": "document", "id": "below", **owned, "parent": folder},
            {"type": "document", "id": "elsewhere", **owned},
            {"type": "document", "id": "public", **owned, "visibility": "public"},
            {
                "type": "document",
                "id": "of-globex",
                "workspace_id": "globex",
                "owner_id": "bob",
                "visibility": "public",
            },
            {"type": "document", "id": "of-bob", "workspace_id": "acme", "owner_id": "bob"},
        ],
        "delegations": [
            {"id": "viewing", **base, "actions": ["view"]},
            {"id": "documents", **base, "resource_types": ["document"]},
            {"id": "below-q4", **base, "resources": [folder]},
            {"id": "nothing", **base, "resources": []},
            {"id": "expired", **base, "actions": ["view"], "expires_at": past},
            {"id": "other-service", **base, "actions": ["view"], "service_name": "other"},
            {"id": "managing", **base, "actions": ["manage"]},
            {"id": "workspace", **base, "resource_types": ["workspace"]},
            {"id": "of-gone", "user_id": "gone", "workspace_id": "acme", "actions": ["view"]},
        ],
    }


rows = [
    ("viewing", "view", below, True),
    ("viewing", "edit", below, False),
    ("viewing", "view", of_bob, False),
    ("viewing", "view", Resource("document", "of-globex"), False),
    ("viewing", "view", acme, False),
    ("documents", "edit", below, True),
    ("documents", "edit", folder, False),
    ("documents", "manage", below, False),
    ("below-q4", "edit", below, True),
    ("below-q4", "view", folder, True),
    ("below-q4", "view", elsewhere, False),
    ("nothing", "view", below, False),
    ("expired", "view", below, False),
    ("other-service", "view", below, False),
    ("managing", "manage", below, True),
    ("managing", "view", below, False),
    ("workspace", "view", acme, True),
    ("of-gone", "view", Resource("document", "public"), False),
    ("unknown", "view", below, False),
]


@pytest.mark.parametrize(("delegation", "action", "resource", "allowed"), rows)
def test_a_fake_decides_for_a_user_and_the_agent(
    delegation: str, action: str, resource: Resource, allowed: bool
) -> None:
    fake = FakeDaikon(**create_world())
    assert fake.check(Subject(delegation=delegation), action, resource) is allowed
    if delegation not in ("unknown", "of-gone"):
        token = fake.token("alice", "acme", delegation=delegation)
        assert fake.check(Subject(token=token), action, resource) is allowed


def test_a_fake_explains_lists_and_refuses_what_is_not_covered() -> None:
    fake = FakeDaikon(**create_world())
    subject = Subject(delegation="below-q4")
    assert list(fake.accessible(subject, "view", "document")) == ["below"]
    reason = fake.explain(subject, "view", elsewhere).reasons[-1]
    assert (reason.rule, reason.uncovered) == ("delegation_does_not_cover", "resource")
    assert reason.delegation_id == "below-q4" and reason.agent is not None
    assert fake.explain(subject, "view", below).reasons[-1].rule == "delegation"
    token = fake.token("alice", "acme", delegation="documents")
    with pytest.raises(PermissionDeniedError, match="does not cover"):
        fake.set_visibility(below, "workspace", as_=token)
    # A resource that is registered again is another one.
    fake.unregister(folder, cascade=True)
    fake.register(folder, workspace_id="acme", owner_id="alice")
    assert not fake.check(subject, "view", folder)


@pytest.mark.parametrize("resource", [None, "https://docs.example.com/api"])
@pytest.mark.parametrize("delegation", [None, "viewing"])
@pytest.mark.parametrize("audience", [None, "https://docs.example.com/api", "https://other.example.com"])
@pytest.mark.parametrize("delegated", [False, True])
def test_tokens_of_agents_are_accepted_only_if_asked_for(
    resource: str | None, delegation: str | None, audience: str | None, delegated: bool
) -> None:
    fake = FakeDaikon(**create_world())
    token = fake.token("alice", "acme", resource=resource, delegation=delegation)
    if audience == resource and (delegated or delegation is None):
        claims = fake.verify_access_token(token, audience=audience, delegated=delegated)
        assert claims["sub"] == "alice"
        assert claims.get("delegation_id") == delegation
        return
    with pytest.raises(InvalidTokenError):
        fake.verify_access_token(token, audience=audience, delegated=delegated)


@pytest.mark.parametrize("agents", [False, True])
def test_guards_name_the_agent(agents: bool) -> None:
    fake = AsyncFakeDaikon(**create_world())
    guards = daikon.fastapi.Guards(fake, agents=agents)
    app = FastAPI()
    guards.handle_errors(app)

    @app.get("/")
    async def read(user: RequestUser = Depends(guards.require_user)) -> Any:
        return user.agent and [user.agent.type, user.agent.id, user.agent.delegation_id]

    async def get(token: str) -> httpx2.Response:
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.get("/", headers={"authorization": f"Bearer {token}"})

    response = asyncio.run(get(fake.token("alice", "acme", delegation="viewing")))
    assert response.status_code == (200 if agents else 401)
    if agents:
        assert response.json() == ["service_account", "agent", "viewing"]
    assert asyncio.run(get(fake.token("alice", "acme"))).json() is None


def token_of(seconds: float) -> DelegatedToken:
    return DelegatedToken("t", "", datetime.now(timezone.utc) + timedelta(seconds=seconds))


request = ExchangeRequest(None, "d", None, None)


def test_threads_share_a_request_and_keep_its_token() -> None:
    tokens, calls = ThreadTokens(), list[int]()
    gate = threading.Event()

    def issue() -> DelegatedToken:
        calls.append(1)
        gate.wait(30)
        return token_of(900)

    deadline = time.monotonic() + 30
    with ThreadPoolExecutor(4) as executor:
        results = [executor.submit(tokens.get, request, deadline, issue) for _ in range(4)]
        gate.set()
        assert len({id(result.result()) for result in results}) == 1
    assert len(calls) == 1
    # Less than a minute before its end, a token is replaced.
    for seconds, is_kept in ((59, False), (61, True)):
        other = request._replace(scope=str(seconds))
        first = tokens.get(other, deadline, partial(token_of, seconds))
        assert (tokens.get(other, deadline, lambda: token_of(900)) is first) is is_kept
    assert len(calls) == 1


def test_a_failed_exchange_is_not_kept() -> None:
    def fail() -> DelegatedToken:
        raise DaikonError("unavailable", "AWAY", "away")

    deadline = time.monotonic() + 30
    tokens = ThreadTokens()
    with pytest.raises(DaikonError, match="away"):
        tokens.get(request, deadline, fail)
    assert tokens.get(request, deadline, lambda: token_of(900)).token == "t"

    async def run() -> None:
        tokens, calls = LoopTokens(), list[int]()

        async def issue() -> DelegatedToken:
            calls.append(1)
            await asyncio.sleep(0)
            if len(calls) == 1:
                raise DaikonError("unavailable", "AWAY", "away")
            return token_of(900)

        first = await asyncio.gather(
            *(tokens.get(request, deadline, issue) for _ in range(3)), return_exceptions=True
        )
        assert all(isinstance(error, DaikonError) for error in first) and len(calls) == 1
        await asyncio.sleep(0)
        second = await asyncio.gather(*(tokens.get(request, deadline, issue) for _ in range(3)))
        assert len({id(token) for token in second}) == 1 and len(calls) == 2

    asyncio.run(run())


def test_the_number_of_kept_tokens_is_limited() -> None:
    tokens, deadline = ThreadTokens(), time.monotonic() + 30
    for number in range(1100):
        tokens.get(request._replace(delegation_id=str(number)), deadline, lambda: token_of(900))
    assert len(tokens._tokens) == 1000


@pytest.mark.parametrize(
    "agent",
    [
        AgentCredentials(),
        AgentCredentials(api_key=""),
        AgentCredentials(client_id="a"),
        AgentCredentials(api_key="a", client_id="b"),
    ],
)
def test_wrong_agents_are_refused(agent: AgentCredentials) -> None:
    with pytest.raises(InvalidArgumentError, match="agent"):
        Client("localhost:1", service="docs", agent=agent)


def test_an_exchange_needs_an_agent_and_what_to_exchange() -> None:
    fake = FakeDaikon()
    with pytest.raises(InvalidArgumentError, match="agent"):
        fake.exchange(delegation_id="d")
    with Client("localhost:1", service="docs", agent=AgentCredentials(api_key="da_secret")) as client:
        wrong: list[dict[str, Any]] = [{}, {"delegation_id": ""}, {"subject_token": ""}]
        for arguments in wrong:
            with pytest.raises(InvalidArgumentError):
                client.exchange(**arguments)
    assert "secret" not in repr(AgentCredentials(api_key="da_secret"))
    assert "secret" not in repr(AgentCredentials(client_id="a", client_secret="secret"))
    assert "secret" not in repr(DelegatedToken("secret", "", datetime.now(timezone.utc)))


def test_agents_obtain_tokens_of_the_server(server: Server) -> None:
    values = server.values
    settings: dict[str, Any] = {"service": "docs", "timeout": 30}
    agent = AgentCredentials(client_id=values["agent.id"], client_secret=values["agent.secret"])
    delegation, site = values["agent.delegation"], Resource("site", "help")
    with (
        Client(server.address, **settings, agent=agent) as client,
        Client(server.address, **settings, service_key=server.service_key) as service,
    ):
        found = client.exchange(delegation_id=delegation)
        assert client.exchange(delegation_id=delegation) is found
        at_hand = client.exchange(subject_token=values["bob.token"])
        subjects = [Subject(token=found.token), Subject(token=at_hand.token), Subject(delegation=delegation)]
        for subject in subjects:
            assert service.check(subject, "view", site)
            reason = service.explain(subject, "edit", site).reasons[-1]
            assert (reason.rule, reason.uncovered) == ("delegation_does_not_cover", "action")
        with pytest.raises(InvalidTokenError):
            service.verify_access_token(found.token)
        claims = service.verify_access_token(found.token, delegated=True)
        assert claims["delegation_id"] == delegation
        assert claims["act"] == {"sub": values["agent.id"], "typ": "client"}
        with pytest.raises(DaikonError) as refused:
            client.exchange(subject_token=found.token)
        assert found.token not in str(refused.value)

    async def run() -> None:
        async with AsyncClient(server.address, **settings, agent=agent) as client:
            first, second = await asyncio.gather(*(client.exchange(delegation_id=delegation) for _ in "ab"))
            assert first is second

    asyncio.run(run())
    wrong = AgentCredentials(client_id=values["agent.id"], client_secret="wrong-secret")
    with Client(server.address, **settings, agent=wrong) as client:
        with pytest.raises(UnauthenticatedError) as failure:
            client.exchange(delegation_id=delegation)
        assert "wrong-secret" not in str(failure.value)
