from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from .._async_client import AsyncClient
from .._client import Client
from .._operations import Operation
from ..errors import DaikonError, closed_error, response_deadline_error
from ..types import AccessTokenClaims
from ._build_world import build_world
from ._conditions import WorldCondition
from ._server import FakeServer
from ._tokens import create_fake_token, delegated_access, fake_issuer, resource_access
from ._world import (
    WorldDelegation,
    WorldGroup,
    WorldMember,
    WorldResource,
    WorldResourceType,
    WorldRole,
    WorldShare,
    WorldUser,
    WorldWorkspace,
)

Result = TypeVar("Result")

# Nothing connects to it.
_address = "localhost:1"


class _Fake:
    _server: FakeServer

    def token(
        self,
        user_id: str,
        workspace_id: str,
        *,
        seconds: float = 900,
        signed_in_at: float | None = None,
        resource: str | None = None,
        scopes: Iterable[str] = (),
        client_id: str = "",
        delegation: str | None = None,
    ) -> str:
        """Creates an access token that this fake accepts; `seconds` may be negative. The user signed in at
        `signed_in_at`, in seconds since the epoch, by default now. With `resource`, the token is limited to the
        API with this URI and has the `scopes` that the client app `client_id` has got there. With the ID of a
        `delegation`, its agent acts for the user."""
        is_guest = self._server.world.is_guest(workspace_id, user_id)
        access = None if resource is None else resource_access(resource, scopes, client_id)
        if delegation is not None:
            found = self._server.world.delegations.get(delegation)
            if found is None:
                raise ValueError(f"token: {delegation} is not in delegations")
            access = {**(access or {}), **delegated_access(found, resource)}
        return create_fake_token(user_id, workspace_id, seconds, is_guest, signed_in_at, access)

    def revoke_token(self, token: str) -> None:
        """Makes the fake treat a token as revoked."""
        self._server.revoked.add(token)

    def fail_with(self, error: DaikonError) -> None:
        """Makes every operation fail with the error, until `recover` is called."""
        self._server.failure = error

    def delay(self, seconds: float) -> None:
        """Delays every operation, until `recover` is called. Timeouts still apply."""
        self._server.delay = seconds

    def recover(self) -> None:
        """Ends `fail_with` and `delay`."""
        self._server.failure = None
        self._server.delay = 0

    def _open_carrier(self, *_state: Any) -> Any:
        message = "A fake has no activity log. Pass your code the messages that it would receive"
        raise DaikonError("unimplemented", "UNIMPLEMENTED", message)


class FakeDaikon(_Fake, Client):
    """A `Client` without a server, for tests. It stores what tests register, share and revoke.

    >>> from daikon import Resource, Subject
    >>> workspace = "0b000000-0000-4000-8000-000000000001"
    >>> fake = FakeDaikon(
    ...     members=[{"workspace_id": workspace, "user_id": "alice", "role": "viewer"}],
    ...     resources=[{"type": "note", "id": "1", "workspace_id": workspace, "owner_id": "alice"}],
    ... )
    >>> fake.check(Subject(token=fake.token("alice", workspace)), "edit", Resource("note", "1"))
    True
    """

    def __init__(
        self,
        *,
        service: str = "test",
        key_service: str | None = None,
        users: Iterable[WorldUser] = (),
        workspaces: Iterable[WorldWorkspace] = (),
        members: Iterable[WorldMember] = (),
        groups: Iterable[WorldGroup] = (),
        actions: Iterable[str] = (),
        roles: Iterable[WorldRole] = (),
        resource_types: Iterable[WorldResourceType] = (),
        conditions: Mapping[str, WorldCondition] = MappingProxyType({}),
        resources: Iterable[WorldResource] = (),
        shares: Iterable[WorldShare] = (),
        delegations: Iterable[WorldDelegation] = (),
        timeout: float = 2.0,
    ) -> None:
        """Creates a fake from the facts by which it decides. `actions` are those that the service has
        registered, besides `view`, `edit` and `manage`. `conditions` are functions that stand for the
        expressions of the conditions in `resource_types`, by name. `key_service` is the service of the key,
        by default `service`. With any other, operations fail with `OTHER_SERVICE`, as for a client with a wrong
        `service`.

        Raises:
            ValueError: An argument refers to something that no other argument contains.
        """
        super().__init__(_address, service=service, development_mode=True, tls=False, timeout=timeout)
        world = build_world(
            service=key_service or service,
            users=users,
            workspaces=workspaces,
            members=members,
            groups=groups,
            actions=actions,
            roles=roles,
            resource_types=resource_types,
            conditions=conditions,
            resources=resources,
            shares=shares,
            delegations=delegations,
        )
        self._server = FakeServer(world)

    def verify_access_token(
        self, token: str, *, audience: str | None = None, delegated: bool = False
    ) -> AccessTokenClaims:
        return self._server.verify(token, audience, delegated)

    def _send(self, operation: Operation[Result], deadline: float) -> Result:
        remaining = max(deadline - time.monotonic(), 0)
        self._closed.wait(min(self._server.delay, remaining))
        if self._closed.is_set():
            raise closed_error()
        if self._server.delay >= remaining:
            raise response_deadline_error()
        response = self._server.handle(operation.method, operation.request, operation.token)
        return operation.read(response)


class AsyncFakeDaikon(_Fake, AsyncClient):
    """An `AsyncClient` without a server, for tests. It takes the same arguments as `FakeDaikon`."""

    def __init__(
        self,
        *,
        service: str = "test",
        key_service: str | None = None,
        users: Iterable[WorldUser] = (),
        workspaces: Iterable[WorldWorkspace] = (),
        members: Iterable[WorldMember] = (),
        groups: Iterable[WorldGroup] = (),
        actions: Iterable[str] = (),
        roles: Iterable[WorldRole] = (),
        resource_types: Iterable[WorldResourceType] = (),
        conditions: Mapping[str, WorldCondition] = MappingProxyType({}),
        resources: Iterable[WorldResource] = (),
        shares: Iterable[WorldShare] = (),
        delegations: Iterable[WorldDelegation] = (),
        timeout: float = 2.0,
    ) -> None:
        super().__init__(_address, service=service, development_mode=True, tls=False, timeout=timeout)
        world = build_world(
            service=key_service or service,
            users=users,
            workspaces=workspaces,
            members=members,
            groups=groups,
            actions=actions,
            roles=roles,
            resource_types=resource_types,
            conditions=conditions,
            resources=resources,
            shares=shares,
            delegations=delegations,
        )
        self._server = FakeServer(world)

    async def verify_access_token(
        self, token: str, *, audience: str | None = None, delegated: bool = False
    ) -> AccessTokenClaims:
        return self._server.verify(token, audience, delegated)

    async def _read_issuer(self) -> str:
        return fake_issuer

    async def _send(self, operation: Operation[Result], deadline: float) -> Result:
        remaining = max(deadline - time.monotonic(), 0)
        if self._server.delay:
            await asyncio.sleep(min(self._server.delay, remaining))
        if self._is_closed:
            raise closed_error()
        if self._server.delay >= remaining:
            raise response_deadline_error()
        response = self._server.handle(operation.method, operation.request, operation.token)
        return operation.read(response)
