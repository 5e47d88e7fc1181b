from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Coroutine, Iterable
from types import TracebackType
from typing import Any, Literal, TypeVar, cast

import grpc
import grpc.aio
from google.protobuf.message import Message

from . import _arguments as arguments
from . import _operations as operations
from ._async_management import AsyncManagement
from ._check_batcher import CheckBatcher
from ._check_results import coroutine_function
from ._exchange import ExchangeRequest, LoopTokens
from ._limiter import Limiter
from ._operations import Operation
from ._settings import Carrier, Settings
from ._tokens import KeyCache
from ._transport import ChannelOptions, create_metadata, read_rpc_error, retry_delay
from ._watch import Follower, OnDisconnect, WatchMessage, create_stream
from .errors import DaikonError, closed_error
from .types import (
    AccessTokenClaims,
    AgentCredentials,
    Check,
    Context,
    DelegatedToken,
    Explanation,
    Id,
    Resource,
    Subject,
    TlsOptions,
)

Result = TypeVar("Result")
Response = TypeVar("Response", bound=Message)


class _LoopState:
    """The state of one event loop."""

    def __init__(self, client: AsyncClient) -> None:
        self.loop = asyncio.get_running_loop()
        self.carrier: Carrier | None = None
        self.closing: set[asyncio.Task[None]] = set()
        self.limiter = Limiter(client._settings.max_in_flight)
        self.batcher = CheckBatcher(self.limiter, client._send_batch)
        self.tokens = LoopTokens()
        self.loading: asyncio.Task[None] | None = None
        self.calls: set[Any] = set()
        self.closed = asyncio.Event()


class AsyncClient(AsyncManagement):
    """A client for asyncio.

    It connects on the first call and reconnects automatically. Checks that start in the same turn of the event
    loop share a call, even if they belong to different requests. Create one client for the whole process.

    Every operation raises a `DaikonError` when it fails; a denied check is not a failure. `timeout` is in
    seconds and includes waiting and retries. Cancel an operation by cancelling its task.

        async with AsyncClient("localhost:50051", service="docs", service_key="dk_…") as client:
            await client.check(Subject(token=token), "edit", Resource("document", "roadmap"))
    """

    def __init__(
        self,
        address: str,
        *,
        service: str,
        service_key: str | None = None,
        development_mode: bool = False,
        tls: bool | TlsOptions | None = None,
        timeout: float = 2.0,
        max_in_flight: int = 16,
        issuer: str | None = None,
        grpc_options: ChannelOptions = (),
        agent: AgentCredentials | None = None,
    ) -> None:
        """Creates a client with the same arguments as `Client`. The event loop need not be running yet.

        Raises:
            InvalidArgumentError: An option is missing or malformed.
        """
        self._settings = Settings(
            address,
            service=service,
            service_key=service_key,
            development_mode=development_mode,
            tls=tls,
            timeout=timeout,
            max_in_flight=max_in_flight,
            grpc_options=grpc_options,
            agent=agent,
        )
        self._keys = KeyCache(issuer)
        self._state: _LoopState | None = None
        self._is_closed = False

    @coroutine_function
    def check(
        self,
        subject: Subject,
        action: str,
        resource: Resource,
        *,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> Coroutine[Any, Any, bool]:
        """Whether the subject may perform the action on the resource. Unknown users, resources and actions are
        denied. Checks that start in the same turn of the event loop share a call.

        Many checks need no tasks: `await asyncio.gather(*(client.check(…) for …))` makes none."""
        state = self._state
        try:
            if state is not None and not self._is_closed and state.loop is asyncio.get_running_loop():
                service = self._settings.service
                evaluation = arguments.name_evaluation(service, subject, action, resource, context)
                return state.batcher.check(evaluation, self._settings.deadline(timeout))
        except Exception:
            # The coroutine raises it again when it is awaited.
            pass
        return self._check_later(subject, action, resource, context, timeout)

    async def _check_later(
        self, subject: Subject, action: str, resource: Resource, context: Context | None, timeout: float | None
    ) -> bool:
        evaluation = arguments.name_evaluation(self._settings.service, subject, action, resource, context)
        deadline = self._settings.deadline(timeout)
        return await self._open().batcher.check(evaluation, deadline)

    async def check_many(
        self,
        checks: Iterable[tuple[Subject, str, Resource] | Check],
        *,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> list[bool]:
        """The results of many checks, in order. Makes one call for every 1,000 checks."""
        service = self._settings.service
        evaluations = [arguments.name_check(service, Check(*check), context) for check in checks]
        deadline = self._settings.deadline(timeout)
        return await self._open().batcher.check_many(evaluations, deadline)

    async def accessible(
        self,
        subject: Subject,
        action: str,
        type: str,
        *,
        workspace_id: Id | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[str]:
        """The IDs of all resources of a type on which the subject may perform the action, of one workspace or
        of every workspace of the subject. Reads pages of 1,000 as you iterate; `timeout` applies to each.

            async for id in client.accessible(Subject(token=token), "view", "document"):
                print(id)
        """
        name = arguments.name_subject(subject)
        arguments.require_action(action)
        arguments.require_type(type)
        given = arguments.search_context(context, workspace_id)
        typename = f"{self._settings.service}:{type}"
        token = ""
        while True:
            operation = operations.search_resources(name, action, typename, given, token)
            page = await self._start(operation, timeout)
            for id in page.ids:
                yield id
            token = page.next_token
            if not token:
                return

    async def subjects(
        self,
        action: str,
        resource: Resource,
        *,
        type: Literal["user", "group"] = "user",
        context: Context | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[str]:
        """Who may perform an action on a resource now: for each user or group, the `external_id` if there is
        one, otherwise the ID. Lists members of the workspace only, also of a public resource. Reads pages of
        1,000 as you iterate; `timeout` applies to each."""
        arguments.require_action(action)
        arguments.require_resource(resource)
        given = arguments.search_context(context, None)
        typename, id = f"{self._settings.service}:{resource.type}", arguments.text(resource.id)
        token = ""
        while True:
            operation = operations.search_subjects(type, action, typename, id, given, token)
            page = await self._start(operation, timeout)
            for found in page.ids:
                yield found
            token = page.next_token
            if not token:
                return

    async def explain(
        self,
        subject: Subject,
        action: str,
        resource: Resource,
        *,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> Explanation:
        """Whether an action is allowed, with every grant that allows it or the reason for the denial."""
        service = self._settings.service
        evaluation = arguments.name_evaluation(service, subject, action, resource, context)
        return await self._start(operations.explain(evaluation), timeout)

    async def exchange(
        self,
        *,
        subject_token: str | None = None,
        delegation_id: Id | None = None,
        resource: str | None = None,
        scope: str | None = None,
        timeout: float | None = None,
    ) -> DelegatedToken:
        """A token with which the `agent` of the client acts for a user (RFC 8693). It is kept until a minute
        before its end, and simultaneous calls for the same one share a request.

        Args:
            subject_token: An access token of the user. Without it, `delegation_id` is required.
            delegation_id: The delegation. With a `subject_token`, it is needed only if several fit.
            resource: The URI of the API that the token is for. By default, it is for daikon.
            scope: The scopes of the API, separated by spaces. By default, all that the client app has.

        Raises:
            UnauthenticatedError: The agent is unknown.
            InvalidArgumentError: An argument is missing.
            DaikonError: The delegation is unknown, has ended or does not fit; `reason` is INVALID_REQUEST.
        """
        agent, id = self._settings.agent, None if delegation_id is None else arguments.text(delegation_id)
        request = ExchangeRequest(subject_token, id, resource, scope)
        request.check(agent)
        assert agent is not None
        deadline = self._settings.deadline(timeout)
        tokens = self._open().tokens
        return await tokens.get(request, deadline, lambda: self._start(request.operation(agent), timeout))

    async def verify_access_token(
        self, token: str, *, audience: str | None = None, delegated: bool = False
    ) -> AccessTokenClaims:
        """Verifies an access token with daikon's public keys and returns its claims.

        The keys are cached, so most calls send nothing to the server. This method therefore accepts revoked
        tokens until they expire; `check` rejects them. The API key of a service
        account is verified by the server on every call.

        With `audience`, the token must be limited to the API with this URI. It says nothing about the person:
        `email`, `name` and `wslug` are then empty, and `wrole` is `viewer`.

        With `delegated`, tokens with which an agent acts for a user are accepted, too: `act` names the agent.
        `check` decides for both.

        Raises:
            InvalidTokenError: The token is not valid.
        """
        if audience is None and arguments.is_api_key(token):
            return await self._start(operations.verify_api_key(token), None)
        if self._keys.needs_load(token):
            try:
                await self._load_keys()
            except DaikonError:
                if not self._keys.has_key(token):
                    raise
        return self._keys.verify(token, audience, delegated)

    async def _read_issuer(self) -> str:
        """The issuer of the tokens that are accepted, which guards name."""
        if self._keys.needs_issuer():
            await self._load_keys()
        return self._keys.issuer()

    def resource_id(self, resource: Resource) -> str:
        """The UUID that identifies a resource in the API (`resource_id`)."""
        arguments.require_resource(resource)
        return arguments.resource_id(self._settings.service, resource.type, resource.id)

    async def call(
        self,
        method: str,
        request: Message,
        response_type: type[Response],
        *,
        as_: str | None = None,
        retry: bool = False,
        timeout: float | None = None,
    ) -> Response:
        """Calls any method with the connection, service key, deadline and errors of this client.

        `retry` retries the call after `UNAVAILABLE`. Set it only for calls that may run twice.

            from daikon.v1.permissions_pb2 import AccessibleResourcesRequest, AccessibleResourcesResponse

            request = AccessibleResourcesRequest(service_name="docs", resource_type="document", …)
            await client.call("PermissionService/Accessible", request, AccessibleResourcesResponse, as_=token)
        """
        token = arguments.require_token(as_)
        operation: Operation[Response] = Operation(
            method, request, response_type, lambda response: response, retry=retry, token=token
        )
        return await self._start(operation, timeout)

    async def watch(
        self,
        *,
        cursor: str | None = None,
        workspace_id: Id | None = None,
        actions: Iterable[str] = (),
        on_disconnect: OnDisconnect | None = None,
    ) -> AsyncIterator[WatchMessage]:
        """Follows the activity log, as `Client.watch` does.

            async for message in client.watch(cursor=stored, actions=["permission.*"]):
                if message.event:
                    await apply(message.event)
                await store(message.cursor)

        After `break`, Python closes the stream soon; `contextlib.aclosing` closes it immediately.
        """
        follower = Follower(cursor, workspace_id, actions, on_disconnect)
        state = self._open()
        while not self._is_closed:
            error: DaikonError | None = None
            try:
                # Not a generator of its own: this one closes the stream when it is closed.
                metadata = create_metadata(self._settings.service_key, None)
                call = create_stream(self._open_carrier(state).channel)(follower.request, metadata=metadata)
                state.calls.add(call)
                try:
                    async for response in call:
                        yield follower.receive(response)
                finally:
                    call.cancel()
                    state.calls.discard(call)
            except grpc.RpcError as failure:
                settings = self._settings
                error = read_rpc_error(failure, settings.address, settings.uses_tls)
            except asyncio.CancelledError:
                # Raised in a cancelled task, and by a call that close() cancelled.
                if not self._is_closed:
                    raise
            if self._is_closed:
                return
            delay = follower.delay(error)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(state.closed.wait(), delay)

    async def close(self) -> None:
        """Closes the connection. Running operations fail with a `CancelledError`."""
        self._is_closed = True
        state = self._state
        if state is None or state.loop is not asyncio.get_running_loop():
            return
        state.closed.set()
        state.batcher.close()
        for call in list(state.calls):
            call.cancel()
        if state.carrier is not None:
            await state.carrier.channel.close()
        await asyncio.gather(*state.closing)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def _open(self) -> _LoopState:
        """Returns the state of the running event loop. A channel works only in the loop that created it."""
        if self._is_closed:
            raise closed_error()
        loop = asyncio.get_running_loop()
        state = self._state
        if state is None or state.loop is not loop:
            if state is not None and not state.loop.is_closed():
                raise RuntimeError(
                    "This AsyncClient is used in another event loop. Create one client for each loop, "
                    "or use Client in threads"
                )
            state = self._state = _LoopState(self)
        return state

    async def _start(self, operation: Operation[Result], timeout: float | None) -> Result:
        state = self._open()
        deadline = self._settings.deadline(timeout)
        await state.limiter.enter(deadline)
        try:
            return await self._send(operation, deadline)
        finally:
            state.limiter.release()

    async def _send_batch(
        self, evaluations: list[arguments.Evaluation], deadline: float
    ) -> list[bool | DaikonError]:
        return await self._send(operations.evaluate_batch(evaluations), deadline)

    async def _send(self, operation: Operation[Result], deadline: float) -> Result:
        attempt = 1
        while True:
            try:
                return operation.read(await self._send_once(operation, deadline))
            except DaikonError as error:
                if attempt > 1 and error.reason == operation.success_reason:
                    return cast(Result, None)
                remaining = deadline - time.monotonic()
                delay = retry_delay(error, attempt, operation.retry, remaining)
                if delay is None:
                    raise
            await asyncio.sleep(delay)
            attempt += 1

    async def _send_once(self, operation: Operation[Any], deadline: float) -> Any:
        state = self._open()
        metadata = create_metadata(self._settings.service_key, operation.token)
        started_at = time.monotonic()
        remaining = max(deadline - started_at, 0)
        carrier = self._open_carrier(state)
        method = carrier.find_method(operation.method, operation.response_type)
        has_missed: bool | None = False
        carrier.running += 1
        call = method(operation.request, timeout=remaining, metadata=metadata)
        state.calls.add(call)
        try:
            return await call
        except grpc.RpcError as error:
            has_missed = cast(Any, error).code() is grpc.StatusCode.DEADLINE_EXCEEDED
            if self._is_closed:
                raise closed_error() from None
            settings = self._settings
            raise read_rpc_error(error, settings.address, settings.uses_tls) from error
        except asyncio.CancelledError:
            # Raised in a cancelled task, and by a call that close() cancelled.
            if self._is_closed:
                raise closed_error() from None
            # Checks leave a call at their own deadlines.
            has_missed = True if time.monotonic() >= deadline else None
            raise
        finally:
            state.calls.discard(call)
            self._end(state, carrier, started_at, has_missed)

    def _end(self, state: _LoopState, carrier: Carrier, started_at: float, has_missed: bool | None) -> None:
        """Opens another connection if calls keep meeting their deadlines on one, and closes the former one once
        it carries no calls. Streams on it are opened again."""
        carrier.running -= 1
        if has_missed is False:
            carrier.clear_missed()
        elif has_missed and carrier.miss(started_at) and carrier is state.carrier:
            state.carrier = None
        if carrier is not state.carrier and carrier.running == 0 and not self._is_closed:
            task = state.loop.create_task(carrier.channel.close())
            state.closing.add(task)
            task.add_done_callback(state.closing.discard)

    def _open_carrier(self, state: _LoopState) -> Carrier:
        if state.carrier is None:
            state.carrier = Carrier(self._settings.create_channel(grpc.aio))
        return state.carrier

    async def _load_keys(self) -> None:
        """Loads the keys once for all tasks that need them. A cancelled task does not stop the others."""
        state = self._open()
        if state.loading is None:
            state.loading = state.loop.create_task(self._reload_keys())
            state.loading.add_done_callback(lambda _task: setattr(state, "loading", None))
        await asyncio.shield(state.loading)

    async def _reload_keys(self) -> None:
        self._keys.begin_load()
        issuer, keys = await asyncio.gather(
            self._start(operations.get_issuer(), None), self._start(operations.get_keys(), None)
        )
        self._keys.store(issuer, keys)
