from __future__ import annotations

import asyncio
import base64
import copy
import json
import pickle
import socket
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any, cast
from uuid import UUID

import grpc
import pytest
from daikon import (
    AsyncClient,
    Client,
    DaikonError,
    DeadlineExceededError,
    Grantee,
    InvalidArgumentError,
    InvalidTokenError,
    PermissionDeniedError,
    Resource,
    Subject,
    TlsOptions,
    UnauthenticatedError,
    UnavailableError,
)
from daikon.v1.permissions_pb2 import AccessibleResourcesRequest, AccessibleResourcesResponse

from .certificates import Authority
from .conftest import Server
from .stub import start_stub
from .test_batching import allow_all

subject = Subject(user_id="0a000000-0000-4000-8000-00000000000b")
handbook = Resource("document", "handbook")


def connect(server: Server, **options: Any) -> Client:
    options = {"service": "docs", "service_key": server.service_key, "timeout": 60, **options}
    return Client(options.pop("address", server.address), **options)


def check_both(address: str, **options: Any) -> Iterator[DaikonError]:
    """Yields the error of a check with each client."""
    options = {"service": "docs", "service_key": "dk_key", "timeout": 60, **options}
    with Client(address, **options) as client, pytest.raises(DaikonError) as raised:
        client.check(subject, "view", handbook)
    yield raised.value

    async def check() -> None:
        async with AsyncClient(address, **options) as client:
            await client.check(subject, "view", handbook)

    with pytest.raises(DaikonError) as raised:
        asyncio.run(check())
    yield raised.value


def test_an_invalid_service_key_causes_an_error_that_names_the_option(server: Server) -> None:
    for error in check_both(server.address, service_key="dk_wrong"):
        assert isinstance(error, UnauthenticatedError)
        assert (error.code, error.reason) == ("unauthenticated", "SERVICE_KEY_INVALID")
        assert "Check service_key" in str(error)
        assert error.request_id


def test_a_missing_service_key_causes_an_error_that_explains_how_to_create_one(server: Server) -> None:
    for error in check_both(server.address, service_key=None, development_mode=True):
        assert error.reason == "SERVICE_KEY_MISSING"
        assert "service-app create" in str(error)


def test_the_name_of_another_service_causes_an_error_that_names_the_option(server: Server) -> None:
    with connect(server, service="other") as client:
        with pytest.raises(PermissionDeniedError, match="Set service to") as raised:
            client.set_visibility(handbook, "private")
    assert raised.value.reason == "OTHER_SERVICE"


def test_an_address_without_a_server_causes_an_error_that_names_the_option() -> None:
    for address in ("127.0.0.1:1", "daikon.invalid:50051"):
        for error in check_both(address, tls=False):
            assert isinstance(error, UnavailableError), address
            assert error.reason == "UNREACHABLE", error
            assert "Check the address" in str(error)


def test_calls_to_a_server_that_never_responds_fail_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for error in check_both(f"127.0.0.1:{silent.getsockname()[1]}", timeout=0.2):
            assert isinstance(error, DeadlineExceededError)
            assert "raise timeout" in str(error)


def test_invalid_options_cause_an_error_when_the_client_is_created() -> None:
    options: dict[str, Any] = {"address": "localhost:50051", "service": "docs", "service_key": "dk_key"}
    for wrong, field in (
        ({"address": "http://localhost:8000"}, "address"),
        ({"address": "localhost"}, "address"),
        ({"address": ""}, "address"),
        ({"address": None}, "address"),
        ({"service": ""}, "service"),
        ({"service_key": "dk_key\n"}, "service_key"),
        ({"service_key": None}, "service_key"),
        ({"service_key": ""}, "service_key"),
        ({"service_key": "", "development_mode": True}, "service_key"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"max_in_flight": 0.5}, "max_in_flight"),
        ({"tls": TlsOptions(ca="not a certificate")}, "tls"),
        ({"tls": TlsOptions(cert="only a certificate")}, "tls"),
    ):
        for kind in (Client, AsyncClient):
            with pytest.raises(InvalidArgumentError) as raised:
                kind(**{**options, **wrong})
            assert [problem.field for problem in raised.value.fields] == [field], wrong


def test_arguments_that_type_checkers_would_reject_cause_an_error(server: Server) -> None:
    untyped: Any
    token = server.values["bob.token"]
    with connect(server) as client:
        untyped = client
        for call, field in (
            (lambda: untyped.check(None, "view", handbook), "subject"),
            (lambda: untyped.check({"user_id": "u"}, "view", handbook), "subject"),
            (lambda: client.check(Subject(), "view", handbook), "subject"),
            (lambda: client.check(Subject(user_id="u", email="e"), "view", handbook), "subject"),
            (lambda: untyped.check(Subject(token=cast(Any, 5)), "view", handbook), "subject"),
            (lambda: untyped.check(subject, 5, handbook), "action"),
            (lambda: untyped.check(subject, "view", None), "resource.type"),
            (lambda: untyped.check(subject, "view", Resource("document", cast(Any, 5))), "resource.id"),
            (lambda: client.check(subject, "view", Resource("document", "\ud800")), "resource.id"),
            (lambda: client.share(handbook, Grantee(), "view", as_=token), "grantee"),
            (lambda: untyped.share(handbook, subject, "view", as_=token), "grantee"),
            (lambda: untyped.share(handbook, Grantee(user_id="u"), as_=token), "permission"),
            (lambda: untyped.share(handbook, Grantee(user_id="u"), "view", role="a", as_=token), "role"),
            (lambda: untyped.share(handbook, Grantee(user_id="u"), role=5, as_=token), "role"),
            (lambda: client.share(handbook, Grantee(user_id="u"), "view", as_="a\nb"), "as_"),
            (lambda: untyped.register(handbook, workspace_id=5, owner_id="u"), "workspace_id"),
            (lambda: client.check_many([(subject, "view", Resource("", "a"))]), "resource.type"),
            (lambda: client.check(subject, "view", handbook, timeout=0), "timeout"),
        ):
            with pytest.raises(InvalidArgumentError) as raised:
                call()
            assert raised.value.fields[0].field == field


def test_an_id_that_only_the_server_can_reject_fails_only_its_own_check(server: Server) -> None:
    invalid = Resource("document", "a\0b")

    async def run() -> None:
        async with AsyncClient(
            server.address, service="docs", service_key=server.service_key, timeout=60
        ) as client:
            results = await asyncio.gather(
                client.check(subject, "view", handbook),
                client.check(subject, "view", invalid),
                return_exceptions=True,
            )
            assert results[0] is True
            assert isinstance(results[1], InvalidArgumentError)

    asyncio.run(run())
    with connect(server) as client, pytest.raises(InvalidArgumentError):
        client.check(subject, "view", invalid)


def test_verify_access_token_rejects_other_tokens(server: Server) -> None:
    def encode(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    valid = server.values["bob.token"]
    header, claims, signature = valid.split(".")
    decoded = json.loads(base64.urlsafe_b64decode(claims + "=="))
    forged = encode({**decoded, "sub": server.values["alice"]})
    tokens = [
        f"{header}.{forged}.{signature}",
        f"{encode({'alg': 'none', 'typ': 'at+jwt'})}.{claims}.{signature}",
        f"{encode({'alg': 'RS256', 'typ': 'at+jwt', 'kid': 'x'})}.{claims}.{signature}",
        f"{encode({'alg': 'RS256', 'typ': 'at+jwt'})}.{claims}.{signature}",
        f"{encode({'alg': 'RS256', 'typ': 'JWT', 'kid': 'x'})}.{claims}.{signature}",
        f"{encode([])}.{claims}.{signature}",
        "ä.ö.ü",
        "",
    ]

    async def verify_async(token: str) -> None:
        async with AsyncClient(
            server.address, service="docs", service_key=server.service_key, timeout=60
        ) as client:
            await client.verify_access_token(token)

    with connect(server) as client:
        for token in tokens:
            with pytest.raises(InvalidTokenError) as raised:
                client.verify_access_token(token)
            assert raised.value.reason == "TOKEN_INVALID", token
            with pytest.raises(InvalidTokenError):
                asyncio.run(verify_async(token))
        with pytest.raises(InvalidTokenError):
            client.verify_access_token(None)  # type: ignore[arg-type]
    with connect(server, issuer="https://auth.example.com") as pinned:
        with pytest.raises(InvalidTokenError, match="issuer"):
            pinned.verify_access_token(valid)


def test_concurrent_verifications_load_the_keys_once(server: Server) -> None:
    async def run() -> None:
        async with AsyncClient(
            server.address, service="docs", service_key=server.service_key, timeout=60
        ) as client:
            loads = 0
            reload = client._reload_keys

            async def count() -> None:
                nonlocal loads
                loads += 1
                await reload()

            client._reload_keys = count  # type: ignore[method-assign]
            token = server.values["bob.token"]
            await asyncio.gather(*(client.verify_access_token(token) for _ in range(20)))
            await client.verify_access_token(token)
            assert loads == 1

    asyncio.run(run())


def test_a_share_returns_its_expiry_and_rejects_an_invalid_one(server: Server) -> None:
    resource = Resource("document", "salaries")
    grantee = Grantee(user_id=UUID(server.values["heidi"]))
    token = server.values["dave.token"]
    with connect(server) as client:
        expires_at = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(hours=1)
        share = client.share(resource, grantee, "view", as_=token, expires_at=expires_at)
        assert share.expires_at == expires_at
        assert client.check(Subject(user_id=grantee.user_id), "view", resource)
        for invalid in (datetime(2000, 1, 1, tzinfo=timezone.utc), datetime(2100, 1, 1)):
            with pytest.raises(InvalidArgumentError):
                client.share(resource, grantee, "view", as_=token, expires_at=invalid)


def test_any_method_can_be_called(server: Server) -> None:
    request = AccessibleResourcesRequest(
        service_name="docs",
        resource_type="document",
        action="view",
        workspace_id=server.values["acme"],
        limit=1,
    )
    method = "PermissionService/Accessible"
    with connect(server) as client:
        token = server.values["alice.token"]
        response = client.call(method, request, AccessibleResourcesResponse, as_=token)
        assert response.has_full_access


def test_errors_for_certificates_that_do_not_match_name_the_option() -> None:
    authority, other_authority = Authority("right"), Authority("wrong")
    certificate, key = authority.issue("server")
    own, own_key = authority.issue("client")
    credentials = grpc.ssl_server_credentials([(key, certificate)], authority.certificate, True)
    mutual = TlsOptions(authority.certificate, own, own_key)
    with start_stub(allow_all, credentials) as stub:
        with Client(stub.address, service="docs", development_mode=True, tls=mutual, timeout=60) as client:
            assert client.check(subject, "view", handbook)
        for tls, hint in (
            (TlsOptions(other_authority.certificate, own, own_key), "Set ca of TlsOptions"),
            (True, "Set ca of TlsOptions"),
            (False, "option tls"),
            (TlsOptions(authority.certificate), "cert and key of TlsOptions"),
            (TlsOptions(authority.certificate, own, own_key, "example.com"), "server_name"),
        ):
            for error in check_both(stub.address, tls=tls):
                assert isinstance(error, UnavailableError), error
                assert hint in str(error), error
    with start_stub(allow_all) as stub:
        for error in check_both(stub.address, tls=True):
            assert error.reason == "TLS_FAILED"
            assert "tls=False" in str(error)


def test_the_client_recovers_after_a_restart_of_the_server() -> None:
    with start_stub(allow_all) as stub:
        client = Client(stub.address, service="docs", development_mode=True, timeout=60)
        assert client.check(subject, "view", handbook)
    with pytest.raises(UnavailableError):
        client.check(subject, "view", handbook)
    with start_stub(allow_all, address=stub.address):
        while True:
            try:
                assert client.check(subject, "view", handbook)
                break
            except UnavailableError:
                continue
    client.close()


def test_errors_survive_pickling_and_copying() -> None:
    error = DaikonError("aborted", "WHY", "message", request_id="r")
    for copied in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (copied.code, copied.reason, str(copied)) == ("aborted", "WHY", "message")
        assert copied.request_id == "r"


def test_secrets_are_not_printed() -> None:
    assert "secret" not in repr(Subject(token="secret"))
    assert "secret" not in repr(TlsOptions(key="secret"))
