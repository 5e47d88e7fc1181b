from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Literal, TypeVar, cast

import grpc
from google.protobuf.message import Message

from . import _arguments as arguments
from . import _operations as operations
from ._exchange import ExchangeRequest, ThreadTokens
from ._management import Management
from ._operations import Operation
from ._settings import Carrier, Settings
from ._thread_batcher import ThreadBatcher
from ._tokens import KeyCache
from ._transport import ChannelOptions, create_metadata, read_rpc_error, retry_delay
from ._watch import Follower, OnDisconnect, WatchMessage, create_stream
from .errors import DaikonError, closed_error, queue_deadline_error
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


class Client(Management):
    """A client for threads.

    It connects on the first call, reconnects automatically, and is thread-safe. Create one client for the
    whole process. A forked child process opens its own connection.

    Every operation raises a `DaikonError` when it fails; a denied check is not a failure. `timeout` is in
    seconds and includes waiting and retries.

    >>> with Client("localhost:50051", service="docs", service_key="dk_…") as client:
    ...     client.resource_id(Resource("document", "roadmap"))
    '1491a4ce-1a12-540b-b57a-55f53ebb1a87'
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
        """Creates a client.

        Args:
            address: Host and port of the gRPC server, such as `localhost:50051`.
            service: The service that your resources belong to: the `service_name` of the service key.
            service_key: The service key. Required without `development_mode`.
            development_mode: Allows a client without `service_key`, for a server in development mode, which
                accepts calls without a key.
            tls: `True` or certificates for TLS, `False` for plaintext. The default is plaintext for loopback
                addresses and TLS for all others.
            timeout: Seconds after which an operation fails.
            max_in_flight: The maximum number of concurrent calls. Further calls wait.
            issuer: The only `iss` that `verify_access_token` accepts. The default is the issuer that the
                server publishes.
            grpc_options: Options of the gRPC channel, which override the client's own.
            agent: Who `exchange` obtains tokens for. A client with an agent needs no service key for it.

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
        self._tokens = ThreadTokens()
        self._loading = threading.Lock()
        self._opening = threading.Lock()
        self._slots = threading.BoundedSemaphore(max_in_flight)
        self._batcher = ThreadBatcher(self._slots, self._send_batch)
        self._carrier: Carrier | None = None
        self._replaced: set[Carrier] = set()
        """The former connections that still carry calls."""
        self._process_id = 0
        self._closed = threading.Event()

    def check(
        self,
        subject: Subject,
        action: str,
        resource: Resource,
        *,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> bool:
        """Whether the subject may perform the action on the resource. Unknown users, resources and actions are
        denied. Checks that threads start while others run share a call."""
        service = self._settings.service
        evaluation = arguments.name_evaluation(service, subject, action, resource, context)
        return self._open_batcher().evaluate([evaluation], self._settings.deadline(timeout))[0]

    def check_many(
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
        return self._open_batcher().evaluate(evaluations, deadline)

    def accessible(
        self,
        subject: Subject,
        action: str,
        type: str,
        *,
        workspace_id: Id | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> Iterator[str]:
        """The IDs of all resources of a type on which the subject may perform the action, of one workspace or
        of every workspace of the subject. Reads pages of 1,000 as you iterate; `timeout` applies to each."""
        name = arguments.name_subject(subject)
        arguments.require_action(action)
        arguments.require_type(type)
        given = arguments.search_context(context, workspace_id)
        typename = f"{self._settings.service}:{type}"

        def read_pages() -> Iterator[str]:
            token = ""
            while True:
                operation = operations.search_resources(name, action, typename, given, token)
                page = self._run(operation, self._settings.deadline(timeout))
                yield from page.ids
                token = page.next_token
                if not token:
                    return

        return read_pages()

    def subjects(
        self,
        action: str,
        resource: Resource,
        *,
        type: Literal["user", "group"] = "user",
        context: Context | None = None,
        timeout: float | None = None,
    ) -> Iterator[str]:
        """Who may perform an action on a resource now: for each user or group, the `external_id` if there is
        one, otherwise the ID. Lists members of the workspace only, also of a public resource. Reads pages of
        1,000 as you iterate; `timeout` applies to each."""
        arguments.require_action(action)
        arguments.require_resource(resource)
        given = arguments.search_context(context, None)
        typename, id = f"{self._settings.service}:{resource.type}", arguments.text(resource.id)

        def read_pages() -> Iterator[str]:
            token = ""
            while True:
                operation = operations.search_subjects(type, action, typename, id, given, token)
                page = self._run(operation, self._settings.deadline(timeout))
                yield from page.ids
                token = page.next_token
                if not token:
                    return

        return read_pages()

    def explain(
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
        return self._start(operations.explain(evaluation), timeout)

    def exchange(
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
        return self._tokens.get(request, deadline, lambda: self._run(request.operation(agent), deadline))

    def verify_access_token(
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
            return self._start(operations.verify_api_key(token), None)
        if self._keys.needs_load(token):
            with self._loading:
                if self._keys.needs_load(token):
                    self._load_keys(token)
        return self._keys.verify(token, audience, delegated)

    def resource_id(self, resource: Resource) -> str:
        """The UUID that identifies a resource in the API (`resource_id`)."""
        arguments.require_resource(resource)
        return arguments.resource_id(self._settings.service, resource.type, resource.id)

    def call(
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
            client.call("PermissionService/Accessible", request, AccessibleResourcesResponse, as_=token)
        """
        token = arguments.require_token(as_)
        operation: Operation[Response] = Operation(
            method, request, response_type, lambda response: response, retry=retry, token=token
        )
        return self._start(operation, timeout)

    def watch(
        self,
        *,
        cursor: str | None = None,
        workspace_id: Id | None = None,
        actions: Iterable[str] = (),
        on_disconnect: OnDisconnect | None = None,
    ) -> Iterator[WatchMessage]:
        """Follows the activity log.

        It reconnects after the last message that you have received, so that no event is missed. Store the
        cursor of a message once you have processed it, and begin there next time. The iteration ends when you
        leave the loop or close the client.

            for message in client.watch(cursor=stored, actions=["permission.*"]):
                if message.event:
                    apply(message.event)
                store(message.cursor)

        Args:
            cursor: Begins after this cursor; `earliest` begins with the oldest event that is retained. By
                default, only new events.
            workspace_id: Only events in this workspace.
            actions: Only these actions. `member.*` selects all that begin with `member.`.
            on_disconnect: Called with the error when the connection has ended, before the next attempt. Use
                it for a log.

        Raises:
            CursorGoneError: Events after the cursor are no longer retained.
            DaikonError: The arguments or credentials are not valid.
        """
        follower = Follower(cursor, workspace_id, actions, on_disconnect)

        def follow() -> Iterator[WatchMessage]:
            if self._closed.is_set():
                raise closed_error()
            delay = 0.0
            while not self._closed.wait(delay):
                error: DaikonError | None = None
                try:
                    for response in self._open_stream(follower):
                        yield follower.receive(response)
                except DaikonError as failure:
                    error = failure
                if not self._closed.is_set():
                    delay = follower.delay(error)

        return follow()

    def _open_stream(self, follower: Follower) -> Iterator[Any]:
        metadata = create_metadata(self._settings.service_key, None)
        with self._opening:
            call = create_stream(self._open_carrier().channel)(follower.request, metadata=metadata)
        try:
            yield from call
        except grpc.RpcError as error:
            settings = self._settings
            raise read_rpc_error(error, settings.address, settings.uses_tls) from error
        finally:
            call.cancel()

    def close(self) -> None:
        """Closes the connection. Running operations fail with a `CancelledError`."""
        self._closed.set()
        self._open_batcher().close()
        with self._opening:
            if self._process_id == os.getpid():
                for carrier in (self._carrier, *self._replaced):
                    if carrier is not None:
                        carrier.channel.close()
                self._replaced.clear()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _open_batcher(self) -> ThreadBatcher:
        # The batches of a parent process do not end in a forked child.
        if self._batcher.process_id != os.getpid():
            self._slots = threading.BoundedSemaphore(self._settings.max_in_flight)
            self._batcher = ThreadBatcher(self._slots, self._send_batch)
        return self._batcher

    def _send_batch(self, evaluations: list[arguments.Evaluation], deadline: float) -> list[bool | DaikonError]:
        return self._send(operations.evaluate_batch(evaluations), deadline)

    def _start(self, operation: Operation[Result], timeout: float | None) -> Result:
        return self._run(operation, self._settings.deadline(timeout))

    def _run(self, operation: Operation[Result], deadline: float) -> Result:
        if not self._slots.acquire(timeout=max(deadline - time.monotonic(), 0)):
            raise queue_deadline_error()
        try:
            return self._send(operation, deadline)
        finally:
            self._slots.release()

    def _send(self, operation: Operation[Result], deadline: float) -> Result:
        attempt = 1
        while True:
            try:
                return operation.read(self._send_once(operation, deadline))
            except DaikonError as error:
                if attempt > 1 and error.reason == operation.success_reason:
                    return cast(Result, None)
                remaining = deadline - time.monotonic()
                delay = retry_delay(error, attempt, operation.retry, remaining)
                if delay is None:
                    raise
            self._closed.wait(delay)
            attempt += 1

    def _send_once(self, operation: Operation[Any], deadline: float) -> Any:
        metadata = create_metadata(self._settings.service_key, operation.token)
        carrier, method = self._begin(operation)
        started_at = time.monotonic()
        remaining = max(deadline - started_at, 0)
        has_missed = False
        try:
            return method(operation.request, timeout=remaining, metadata=metadata)
        except grpc.RpcError as error:
            has_missed = cast(Any, error).code() is grpc.StatusCode.DEADLINE_EXCEEDED
            if self._closed.is_set():
                raise closed_error() from None
            settings = self._settings
            raise read_rpc_error(error, settings.address, settings.uses_tls) from error
        except ValueError as error:
            # grpcio raises this for a channel that another thread has just closed.
            if self._closed.is_set():
                raise closed_error() from error
            raise
        finally:
            self._end(carrier, started_at, has_missed)

    def _begin(self, operation: Operation[Any]) -> tuple[Carrier, Any]:
        with self._opening:
            carrier = self._open_carrier()
            method = carrier.find_method(operation.method, operation.response_type)
            carrier.running += 1
            return carrier, method

    def _end(self, carrier: Carrier, started_at: float, has_missed: bool) -> None:
        """Opens another connection if calls keep meeting their deadlines on one, and closes the former one once
        it carries no calls. Streams on it are opened again."""
        with self._opening:
            carrier.running -= 1
            if not has_missed:
                carrier.clear_missed()
            elif carrier.miss(started_at) and carrier is self._carrier:
                self._carrier = None
                self._replaced.add(carrier)
            if carrier in self._replaced and carrier.running == 0:
                self._replaced.discard(carrier)
                carrier.channel.close()

    def _open_carrier(self) -> Carrier:
        """Returns the channel. The caller must hold `_opening`."""
        # A channel does not survive fork(), so a child process opens its own.
        if self._closed.is_set():
            raise closed_error()
        if self._carrier is None or self._process_id != os.getpid():
            self._process_id = os.getpid()
            self._replaced = set()
            self._carrier = Carrier(self._settings.create_channel(grpc))
        return self._carrier

    def _load_keys(self, token: str) -> None:
        self._keys.begin_load()
        try:
            issuer = self._start(operations.get_issuer(), None)
            keys = self._start(operations.get_keys(), None)
        except DaikonError:
            if self._keys.has_key(token):
                return
            raise
        self._keys.store(issuer, keys)
