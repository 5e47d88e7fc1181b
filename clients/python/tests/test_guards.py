from __future__ import annotations

import asyncio
import base64
import json
import time
from typing import Any

import daikon.django
import daikon.fastapi
import django
import httpx2
import pytest
from asgiref.sync import sync_to_async
from daikon import (
    AsyncClient,
    ConditionDeclaration,
    DaikonError,
    Grantee,
    InvalidArgumentError,
    Requirement,
    Resource,
    UnauthenticatedError,
    UnavailableError,
)
from daikon.fastapi import RequestUser
from daikon.testing import AsyncFakeDaikon, FakeDaikon
from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.test import AsyncClient as DjangoAsyncClient
from django.test import Client as DjangoClient
from django.urls import path
from fastapi import APIRouter, Depends, FastAPI

from .conftest import Server

workspace = "0b000000-0000-4000-8000-000000000001"
alice = "0a000000-0000-4000-8000-00000000000a"
bob = "0a000000-0000-4000-8000-00000000000b"
world: dict[str, Any] = {
    "service": "docs",
    "members": [
        {"workspace_id": workspace, "user_id": alice, "role": "viewer"},
        {"workspace_id": workspace, "user_id": bob, "role": "viewer"},
    ],
    "resource_types": [
        {
            "type": "vault",
            "conditions": [ConditionDeclaration("in_office", "context.network == 'office'")],
            "requirements": [Requirement("view", "in_office")],
        }
    ],
    "conditions": {"in_office": lambda input: input.context["network"] == "office"},
    "resources": [
        {"type": "vault", "id": "safe", "workspace_id": workspace, "owner_id": alice},
        {"type": "document", "id": "1", "workspace_id": workspace, "owner_id": alice},
        {"type": "document", "id": "2", "workspace_id": workspace, "owner_id": bob},
    ],
}


def document(id: str) -> Resource:
    return Resource("document", id)


def create_fastapi(fake: AsyncFakeDaikon) -> FastAPI:
    guards = daikon.fastapi.Guards(fake)
    app = FastAPI()
    guards.handle_errors(app)
    may_edit = guards.require_permission("edit", document)
    may_view = guards.require_permission("view", document, hide=True)

    @app.get("/documents")
    async def list_documents(user: RequestUser = Depends(guards.require_user)) -> list[str]:
        return await guards.filter(user, "view", ["1", "2"], document)

    @app.get("/documents/{id}", dependencies=[Depends(may_view)])
    async def read(id: str) -> str:
        return id

    def network(network: str) -> dict[str, str]:
        return {"network": network}

    may_open = guards.require_permission("view", lambda: Resource("vault", "safe"), context=network)

    @app.get("/vault/{network}", dependencies=[Depends(may_open)])
    async def open_vault(network: str, user: RequestUser = Depends(guards.require_user)) -> list[str]:
        context = {"network": network}
        return await guards.filter(user, "view", ["safe"], lambda id: Resource("vault", id), context=context)

    @app.put("/documents/{id}")
    async def save(id: str, user: RequestUser = Depends(may_edit)) -> str:
        return user.claims["sub"]

    recent = guards.require_recent(max_age=300)

    @app.get("/recent")
    async def read_recent(user: RequestUser = Depends(recent)) -> str:
        return user.claims["sub"]

    @app.get("/strong", dependencies=[Depends(guards.require_recent(max_age=7200, acr="phr"))])
    async def read_strong() -> None:
        return None

    @app.delete("/documents/{id}/shares")
    async def revoke(id: str, user: RequestUser = Depends(guards.require_user)) -> None:
        await fake.revoke(document(id), Grantee(user_id=bob), as_=user.token)

    return app


def create_django(fake: FakeDaikon) -> list[Any]:
    guards = daikon.django.Guards(fake)

    def resource(_request: HttpRequest, id: str) -> Resource:
        return document(id)

    @guards.require_user
    def list_documents(request: HttpRequest) -> JsonResponse:
        return JsonResponse(guards.filter(request, "view", ["1", "2"], document), safe=False)

    @guards.require_permission("view", resource, hide=True)
    async def read(_request: HttpRequest, id: str) -> JsonResponse:
        return JsonResponse(id, safe=False)

    @guards.require_permission("edit", resource)
    def save(request: HttpRequest, id: str) -> JsonResponse:
        return JsonResponse(guards.user_of(request).claims["sub"], safe=False)

    @guards.require_user
    def revoke(request: HttpRequest, id: str) -> JsonResponse:
        grantee = Grantee(user_id=bob)
        fake.revoke(document(id), grantee, as_=guards.user_of(request).token)
        return JsonResponse(None, safe=False)

    async def read_or_save(request: HttpRequest, id: str) -> Any:
        if request.method == "PUT":
            return await sync_to_async(save)(request, id)
        return await read(request, id)

    @guards.require_permission(
        "view",
        lambda request, network: Resource("vault", "safe"),
        context=lambda request, network: {"network": network},
    )
    def open_vault(request: HttpRequest, network: str) -> JsonResponse:
        context = {"network": network}
        listed = guards.filter(request, "view", ["safe"], lambda id: Resource("vault", id), context=context)
        return JsonResponse(listed, safe=False)

    @guards.require_recent(max_age=300)
    async def read_recent(request: HttpRequest) -> JsonResponse:
        return JsonResponse(guards.user_of(request).claims["sub"], safe=False)

    @guards.require_recent(max_age=7200, acr="phr")
    def read_strong(_request: HttpRequest) -> JsonResponse:
        return JsonResponse(None, safe=False)

    return [
        path("recent", read_recent),
        path("strong", read_strong),
        path("vault/<str:network>", open_vault),
        path("documents", list_documents),
        path("documents/<str:id>", read_or_save),
        path("documents/<str:id>/shares", revoke),
    ]


class Response:
    def __init__(self, status: int, headers: Any, body: Any) -> None:
        self.status = status
        self.headers = headers
        self.body = body


class FastApiSite:
    def __init__(self) -> None:
        self.fake: Any = AsyncFakeDaikon(**world)
        self.app = create_fastapi(self.fake)

    def send(self, method: str, path: str, token: str | None = None) -> Response:
        async def run() -> Response:
            transport = httpx2.ASGITransport(self.app)
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
                response = await client.request(method, path, headers=headers)
                return Response(response.status_code, response.headers, response.json())

        return asyncio.run(run())


class DjangoSite:
    def __init__(self) -> None:
        self.fake: Any = FakeDaikon(**world)
        if not settings.configured:
            settings.configure(ROOT_URLCONF="tests.urls", ALLOWED_HOSTS=["*"], SECRET_KEY="test")
            django.setup()
        from . import urls

        urls.urlpatterns[:] = create_django(self.fake)
        django.urls.clear_url_caches()

    def send(self, method: str, path: str, token: str | None = None) -> Response:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        response = DjangoClient(headers=headers).generic(method, path)
        return Response(response.status_code, response.headers, response.json())


@pytest.fixture(params=[FastApiSite, DjangoSite])
def site(request: Any) -> Any:
    return request.param()


def test_a_valid_access_token_is_required(site: Any) -> None:
    response = site.send("GET", "/documents")
    assert response.status == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.body["reason"] == "TOKEN_MISSING"
    expired = site.fake.token(alice, workspace, seconds=-60)
    response = site.send("GET", "/documents", expired)
    assert (response.status, response.body["reason"]) == (401, "TOKEN_EXPIRED")
    assert "expired" in response.headers["WWW-Authenticate"]
    assert site.send("PUT", "/documents/1", "no-token").status == 401


def test_a_recent_sign_in_is_required(site: Any) -> None:
    def signed_in(seconds_ago: float) -> str:
        return str(site.fake.token(alice, workspace, signed_in_at=time.time() - seconds_ago))

    assert site.send("GET", "/recent", signed_in(290)).body == alice
    old = site.send("GET", "/recent", signed_in(310))
    assert (old.status, old.body["reason"]) == (401, "INSUFFICIENT_USER_AUTHENTICATION")
    error = 'Bearer error="insufficient_user_authentication"'
    begin = f'{error}, error_description="The user must sign in again", max_age='
    assert old.headers["WWW-Authenticate"] == f'{begin}"300"'
    weak = site.send("GET", "/strong", signed_in(0))
    assert weak.headers["WWW-Authenticate"] == f'{begin}"7200", acr_values="phr"'
    assert site.send("GET", "/recent").headers["WWW-Authenticate"] == "Bearer"


def test_a_recent_sign_in_is_required_on_a_server(other_server: Server) -> None:
    # A server of its own: the sign-ins get older while other tests run.
    options: dict[str, Any] = {"service": "docs", "service_key": other_server.service_key, "timeout": 30}

    async def run() -> dict[tuple[str, str], str]:
        async with AsyncClient(other_server.address, **options) as client:
            guards = daikon.fastapi.Guards(client)
            app = FastAPI()
            guards.handle_errors(app)
            required: dict[str, dict[str, Any]] = {
                "/recent": {"max_age": 300},
                "/hour": {"max_age": 3600},
                "/strong": {"max_age": 300, "acr": "phr"},
                "/phr": {"acr": "phr"},
            }
            for path, requirement in required.items():
                app.get(path, dependencies=[Depends(guards.require_recent(**requirement))])(lambda: None)
            transport = httpx2.ASGITransport(app)
            challenges: dict[tuple[str, str], str] = {}
            async with httpx2.AsyncClient(transport=transport, base_url="http://test") as http:
                for name in ["by-passkey", "by-passkey-before", "by-account", "unconfirmed", "alice"]:
                    headers = {"Authorization": f"Bearer {other_server.values[f'{name}.token']}"}
                    for path in required:
                        response = await http.get(path, headers=headers)
                        challenge = response.headers.get("WWW-Authenticate", "")
                        assert (response.status_code == 200) == (challenge == "")
                        if challenge:
                            challenges[name, path] = challenge.partition('again"')[2]
            return challenges

    recent, strong, phr = ', max_age="300"', ', max_age="300", acr_values="phr"', ', acr_values="phr"'
    assert asyncio.run(run()) == {
        ("by-passkey-before", "/recent"): recent,
        ("by-passkey-before", "/strong"): strong,
        ("by-account", "/strong"): strong,
        ("by-account", "/phr"): phr,
        ("unconfirmed", "/recent"): recent,
        ("unconfirmed", "/strong"): strong,
        ("unconfirmed", "/phr"): phr,
        ("alice", "/recent"): recent,
        ("alice", "/hour"): ', max_age="3600"',
        ("alice", "/strong"): strong,
        ("alice", "/phr"): phr,
    }


def test_a_requirement_of_a_sign_in_must_be_one() -> None:
    guards = daikon.django.Guards(FakeDaikon(**world))
    for requirement in ({}, {"max_age": 59}, {"max_age": True}, {"acr": "a b"}, {"acr": '"'}):
        with pytest.raises(InvalidArgumentError):
            guards.require_recent(**requirement)


def test_routes_require_the_permission(site: Any) -> None:
    token = site.fake.token(alice, workspace)
    assert site.send("GET", "/documents", token).body == ["1"]
    assert site.send("GET", "/documents/1", token).body == "1"
    assert site.send("PUT", "/documents/1", token).body == alice
    denied = site.send("PUT", "/documents/2", token)
    assert (denied.status, denied.body["reason"]) == (403, "ACTION_DENIED")
    hidden = site.send("GET", "/documents/2", token)
    assert (hidden.status, hidden.body["reason"]) == (404, "RESOURCE_NOT_FOUND")
    too_long = site.send("GET", f"/documents/{'x' * 256}", token)
    assert too_long.status == 422
    assert too_long.body["type"] == "urn:daikon:problem:invalid-argument"
    assert [problem["field"] for problem in too_long.body["errors"]] == ["resource.id"]
    site.fake.revoke_token(token)
    assert site.send("PUT", "/documents/1", token).status == 403


def test_conditions_read_the_context_of_the_request(site: Any) -> None:
    token = site.fake.token(alice, workspace)
    assert site.send("GET", "/vault/office", token).body == ["safe"]
    assert site.send("GET", "/vault/home", token).status == 403


def test_errors_of_operations_become_responses(site: Any) -> None:
    token = site.fake.token(alice, workspace)
    missing = site.send("DELETE", "/documents/1/shares", token)
    assert (missing.status, missing.body["reason"]) == (404, "SHARE_NOT_FOUND")
    denied = site.send("DELETE", "/documents/2/shares", token)
    assert (denied.status, denied.body["reason"]) == (403, "NOT_THE_OWNER")


def test_an_outage_of_daikon_results_in_503(site: Any) -> None:
    token = site.fake.token(alice, workspace)
    site.fake.fail_with(UnavailableError())
    for method in ("GET", "PUT"):
        response = site.send(method, "/documents/1", token)
        assert response.status == 503
        assert response.headers["Retry-After"] == "1"
        assert "UNREACHABLE" not in response.body["detail"]
    site.fake.recover()
    assert site.send("PUT", "/documents/1", token).status == 200


def test_configuration_errors_of_the_service_are_raised(site: Any) -> None:
    token = site.fake.token(alice, workspace)
    site.fake.fail_with(UnauthenticatedError("SERVICE_KEY_INVALID", "wrong key"))
    with pytest.raises(DaikonError, match="wrong key"):
        site.send("PUT", "/documents/1", token)


def test_async_views_of_django_in_an_event_loop() -> None:
    site = DjangoSite()
    token = site.fake.token(alice, workspace)

    async def run() -> int:
        headers = {"Authorization": f"Bearer {token}"}
        response = await DjangoAsyncClient().get("/documents/1", headers=headers)
        return int(response.status_code)

    assert asyncio.run(run()) == 200


def test_the_access_token_is_in_the_openapi_document() -> None:
    document = create_fastapi(AsyncFakeDaikon(**world)).openapi()
    assert document["paths"]["/documents/{id}"]["put"]["security"] == [{"access token": []}]


api = "https://docs.example.com/mcp"
metadata_path = "/.well-known/oauth-protected-resource/mcp"
metadata_url = f"https://docs.example.com{metadata_path}"


def create_api(client: AsyncClient, resource: str = api) -> FastAPI:
    """An API with a guard at its router, and one at a path behind it."""
    guards = daikon.fastapi.Guards(client)
    protected = guards.protected_resource(resource=resource, scopes=["read", "write"])
    app = FastAPI()
    guards.handle_errors(app)
    app.include_router(protected.router)
    router = APIRouter(dependencies=[Depends(protected)])

    @router.get("/mcp")
    async def read(user: RequestUser = Depends(protected)) -> dict[str, Any]:
        claims = user.claims
        return {"sub": claims["sub"], "wid": claims["wid"], "client": user.client_id, "scopes": user.scopes}

    may_edit = guards.require_permission("edit", document)

    @router.put("/mcp/{id}")
    async def save(id: str, user: RequestUser = Depends(may_edit)) -> str | None:
        return user.client_id

    app.include_router(router)
    return app


def send_to(app: FastAPI, path: str, token: str | None = None, method: str = "GET") -> Response:
    async def run() -> Response:
        headers = {"Host": "evil.example.com", "X-Forwarded-Host": "evil.example.com"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
            response = await client.request(method, path, headers=headers)
            return Response(response.status_code, response.headers, response.json())

    return asyncio.run(run())


def test_the_guard_of_an_api_tells_clients_where_to_get_a_token() -> None:
    app = create_api(AsyncFakeDaikon(**world))
    described = send_to(app, metadata_path)
    assert described.headers["Access-Control-Allow-Origin"] == "*"
    assert described.body == {
        "resource": api,
        "authorization_servers": ["daikon-fake"],
        "scopes_supported": ["read", "write"],
        "bearer_methods_supported": ["header"],
    }
    missing = send_to(app, "/mcp")
    assert (missing.status, missing.body["reason"]) == (401, "TOKEN_MISSING")
    challenge = f'Bearer resource_metadata="{metadata_url}", scope="read write"'
    assert missing.headers["WWW-Authenticate"] == challenge


def test_the_guard_of_an_api_accepts_its_tokens_alone() -> None:
    fake = AsyncFakeDaikon(**world)
    app = create_api(fake)
    for token in (
        fake.token(alice, workspace),
        fake.token(alice, workspace, resource="https://docs.example.com", scopes=["read", "write"]),
        fake.token(alice, workspace, resource=f"{api}/", scopes=["read", "write"]),
        fake.token(alice, workspace, resource=api, scopes=["read", "write"], seconds=-60),
    ):
        refused = send_to(app, "/mcp", token)
        assert refused.status == 401
        challenge = refused.headers["WWW-Authenticate"]
        assert (
            challenge == f'Bearer resource_metadata="{metadata_url}", scope="read write", error="invalid_token"'
        )
    narrow = send_to(app, "/mcp", fake.token(alice, workspace, resource=api, scopes=["read"]))
    assert (narrow.status, narrow.body["reason"]) == (403, "INSUFFICIENT_SCOPE")
    challenge = narrow.headers["WWW-Authenticate"]
    assert challenge.startswith('Bearer error="insufficient_scope", scope="read write", ')
    token = fake.token(alice, workspace, resource=api, scopes=["read", "write"], client_id="editor")
    accepted = send_to(app, "/mcp", token)
    expected = {"sub": alice, "wid": workspace, "client": "editor", "scopes": ["read", "write"]}
    assert (accepted.status, accepted.body) == (200, expected)


def test_other_guards_take_the_user_of_an_api() -> None:
    fake = AsyncFakeDaikon(**world)
    app = create_api(fake)
    token = fake.token(alice, workspace, resource=api, scopes=["read", "write"], client_id="editor")
    assert send_to(app, "/mcp/1", token, "PUT").body == "editor"
    assert send_to(app, "/mcp/2", token, "PUT").status == 403
    assert send_to(app, "/mcp/1", fake.token(alice, workspace), "PUT").status == 401
    everything = FastApiSite()
    assert everything.send("GET", "/documents", token).status == 401


def test_the_guard_of_an_api_takes_both_spellings_of_an_origin() -> None:
    fake = AsyncFakeDaikon(**world)
    spellings = ("https://docs.example.com", "https://docs.example.com/")
    for resource in spellings:
        app = create_api(fake, resource)
        assert send_to(app, "/.well-known/oauth-protected-resource").body["resource"] == resource
        for audience in spellings:
            token = fake.token(alice, workspace, resource=audience, scopes=["write", "read"])
            assert send_to(app, "/mcp", token).status == 200


@pytest.mark.parametrize(
    ("resource", "scopes", "fields"),
    [
        ("/mcp", ["read"], ["resource"]),
        ("urn:docs", ["read"], ["resource"]),
        ("https:///mcp", ["read"], ["resource"]),
        ('https://docs.example.com/"', ["read"], ["resource"]),
        (f"{api}?a", ["read"], ["resource"]),
        (f"{api}#a", "read", ["resource", "scopes"]),
        (api, ["a b"], ["scopes"]),
        (api, [1], ["scopes"]),
    ],
)
def test_settings_of_an_api_that_cannot_be_right_are_refused(
    resource: str, scopes: Any, fields: list[str]
) -> None:
    guards = daikon.fastapi.Guards(AsyncFakeDaikon(**world))
    with pytest.raises(InvalidArgumentError) as raised:
        guards.protected_resource(resource=resource, scopes=scopes)
    assert [field.field for field in raised.value.fields] == fields


def test_the_guard_of_an_api_with_tokens_of_a_server(server: Server) -> None:
    def send(path: str, token: str | None = None) -> Response:
        options = {"service": "docs", "service_key": server.service_key, "timeout": 60}
        return send_to(create_api(AsyncClient(server.address, **options)), path, token)  # type: ignore[arg-type]

    issuers = send(metadata_path).body["authorization_servers"]
    claims = server.values["bob.token"].split(".")[1]
    assert issuers == [json.loads(base64.urlsafe_b64decode(claims + "=="))["iss"]]
    accepted = send("/mcp", server.values["bob.api.token"])
    assert (accepted.status, accepted.body["sub"]) == (200, server.values["bob"])
    assert accepted.body["scopes"] == ["read", "write"]
    for name in ("bob.token", "bob.origin.token", "bob.expired.token"):
        assert send("/mcp", server.values[name]).status == 401


def test_an_outage_of_daikon_leaves_the_metadata_of_an_api_out() -> None:
    client = AsyncClient("127.0.0.1:1", service="docs", service_key="dk_key", timeout=0.5)
    assert send_to(create_api(client), metadata_path).status == 503
