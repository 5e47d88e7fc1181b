from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple, TypeVar

from ._operations import Operation
from .errors import DaikonError, invalid_argument, response_deadline_error
from .types import AgentCredentials, DelegatedToken
from .v1 import oauth_pb2

_access_token = "urn:ietf:params:oauth:token-type:access_token"
_delegation = "urn:daikon:params:oauth:token-type:delegation"
_api_key = "urn:daikon:params:oauth:token-type:api_key"

# How long before its end a token is replaced.
_margin = timedelta(minutes=1)

# The maximum number of tokens that are kept.
_max_tokens = 1000

Entry = TypeVar("Entry")


class ExchangeRequest(NamedTuple):
    """What to exchange for a token."""

    subject_token: str | None
    delegation_id: str | None
    resource: str | None
    scope: str | None

    def check(self, agent: AgentCredentials | None) -> None:
        """Raises InvalidArgumentError for what cannot be exchanged."""
        if agent is None:
            raise invalid_argument(("agent", "is required by exchange"))
        if self.subject_token is None and self.delegation_id is None:
            raise invalid_argument(("subject_token", "is required, or delegation_id"))
        for field, value in self._asdict().items():
            if value is not None and not (isinstance(value, str) and value):
                raise invalid_argument((field, "must be a non-empty string"))

    def operation(self, agent: AgentCredentials) -> Operation[DelegatedToken]:
        """The exchange (RFC 8693). The end of the token counts from here."""
        request = oauth_pb2.OAuthTokenRequest(
            grant_type="urn:ietf:params:oauth:grant-type:token-exchange",
            resource=self.resource,
            scope=self.scope,
        )
        if self.subject_token is None:
            request.subject_token, request.subject_token_type = str(self.delegation_id), _delegation
        else:
            request.subject_token, request.subject_token_type = self.subject_token, _access_token
            if self.delegation_id is not None:
                request.delegation_id = self.delegation_id
        if agent.api_key is None:
            request.client_id, request.client_secret = str(agent.client_id), str(agent.client_secret)
        else:
            request.actor_token, request.actor_token_type = agent.api_key, _api_key
        sent_at = datetime.now(timezone.utc)

        def read(response: oauth_pb2.OAuthTokenResponse) -> DelegatedToken:
            if not response.access_token or response.expires_in <= 0:
                raise DaikonError("internal", "INTERNAL", "daikon returned no token")
            expires_at = sent_at + timedelta(seconds=response.expires_in)
            return DelegatedToken(response.access_token, response.scope, expires_at)

        return Operation("OAuthService/IssueToken", request, oauth_pb2.OAuthTokenResponse, read)


class ThreadTokens:
    """The tokens of a client for threads. Threads that need the same one share a request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokens: dict[ExchangeRequest, Future[DelegatedToken]] = {}
        self._process_id = 0

    def get(
        self, request: ExchangeRequest, deadline: float, issue: Callable[[], DelegatedToken]
    ) -> DelegatedToken:
        with self._lock:
            # What a parent process was waiting for never arrives in a forked child.
            if self._process_id != os.getpid():
                self._process_id, self._tokens = os.getpid(), {}
            found = self._tokens.get(request)
            is_current = found is not None and (not found.done() or _is_current(found.result()))
            if found is None or not is_current:
                found = None
                issued: Future[DelegatedToken] = Future()
                _keep(self._tokens, request, issued)
        if found is not None:
            try:
                return found.result(timeout=max(deadline - time.monotonic(), 0))
            except TimeoutError:
                raise response_deadline_error() from None
        try:
            token = issue()
        except BaseException as error:
            with self._lock:
                if self._tokens.get(request) is issued:
                    del self._tokens[request]
            issued.set_exception(error)
            raise
        issued.set_result(token)
        return token


class LoopTokens:
    """The tokens of a client for asyncio. Tasks that need the same one share a request."""

    def __init__(self) -> None:
        self._tokens: dict[ExchangeRequest, asyncio.Task[DelegatedToken]] = {}

    async def get(
        self,
        request: ExchangeRequest,
        deadline: float,
        issue: Callable[[], Coroutine[Any, Any, DelegatedToken]],
    ) -> DelegatedToken:
        found = self._tokens.get(request)
        if found is None or (found.done() and not _is_current(found.result())):
            found = asyncio.get_running_loop().create_task(issue())
            _keep(self._tokens, request, found)
            found.add_done_callback(lambda task: self._remove_failed(request, task))
        # A cancelled task does not stop the others.
        done, _ = await asyncio.wait([found], timeout=max(deadline - time.monotonic(), 0))
        if not done:
            raise response_deadline_error()
        return found.result()

    def _remove_failed(self, request: ExchangeRequest, task: asyncio.Task[DelegatedToken]) -> None:
        has_failed = task.cancelled() or task.exception() is not None
        if has_failed and self._tokens.get(request) is task:
            del self._tokens[request]


def _is_current(token: DelegatedToken) -> bool:
    return token.expires_at - _margin > datetime.now(timezone.utc)


def _keep(tokens: dict[ExchangeRequest, Entry], request: ExchangeRequest, entry: Entry) -> None:
    tokens.pop(request, None)
    tokens[request] = entry
    if len(tokens) > _max_tokens:
        del tokens[next(iter(tokens))]
