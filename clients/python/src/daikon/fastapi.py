"""Guards for FastAPI.

client = daikon.AsyncClient("localhost:50051", service="docs", service_key="dk_…")
guards = Guards(client)
app = FastAPI()
guards.handle_errors(app)

def document(id: str) -> Resource:
    return Resource("document", id)

@app.put("/documents/{id}")
async def save(id: str, user: RequestUser = Depends(guards.require_permission("edit", document))):
    ...
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse

from ._async_client import AsyncClient
from ._fastapi_resource import ProtectedResource, access_token_scheme
from ._http import Problem, RequestAgent, RequestUser, denied_error, read_bearer, to_problem
from ._protected_resource import ResourceGuard
from ._recent_sign_in import sign_in_check
from .errors import DaikonError
from .types import Context, Resource

__all__ = ["Guards", "Problem", "ProtectedResource", "RequestAgent", "RequestUser", "to_problem"]

Item = TypeVar("Item")


class Guards:
    """Dependencies that require a user or a permission."""

    def __init__(self, client: AsyncClient, *, agents: bool = False) -> None:
        """Creates guards.

        Args:
            client: The client that verifies tokens and checks permissions.
            agents: Whether tokens with which an agent acts for a user are accepted, too. `RequestUser.agent` is
                then the agent. Checks decide for both; what a view decides without one, it must decide for the
                agent as well.
        """
        self._agents = agents
        self._client = client
        self._users: WeakKeyDictionary[Request, RequestUser] = WeakKeyDictionary()

    async def require_user(self, request: Request, _scheme: Any = Depends(access_token_scheme)) -> RequestUser:
        """Requires a valid access token, and responds with 401 otherwise. Verifies tokens with cached keys,
        so it accepts revoked tokens until they expire.

            @app.get("/documents")
            async def list_documents(user: RequestUser = Depends(guards.require_user)): ...
        """
        user = self._users.get(request)
        if user is not None:
            return user
        token = read_bearer(request.headers.get("authorization"))
        claims = await self._client.verify_access_token(token, delegated=self._agents)
        return RequestUser(claims, token)

    def require_recent(
        self, *, max_age: int | None = None, acr: str | None = None
    ) -> Callable[..., Awaitable[RequestUser]]:
        """Requires a valid access token of a user who signed in recently, or in a certain way. Responds with
        401 and a challenge otherwise, on which `daikon.fetch` of the browser client begins a sign-in.

            @app.delete("/account", dependencies=[Depends(guards.require_recent(max_age=300))])

        Args:
            max_age: Seconds since the sign-in, from 60.
            acr: The class of the sign-in.
        """
        check = sign_in_check(max_age, acr)

        async def require(user: RequestUser = Depends(self.require_user)) -> RequestUser:
            check(user.claims)
            return user

        return require

    def require_permission(
        self,
        action: str,
        resource: Callable[..., Resource | Awaitable[Resource]],
        *,
        hide: bool = False,
        context: Callable[..., Context | Awaitable[Context]] | None = None,
    ) -> Callable[..., Awaitable[RequestUser]]:
        """Requires a valid access token of a user who may perform the action on the resource. Responds with
        401 or 403 otherwise, and with 503 if daikon is unavailable.

        Args:
            action: `view`, `edit`, `manage`, or an action that the service has registered.
            resource: A dependency that returns the resource, with parameters of the path or the request.
            hide: Responds with 404 instead of 403, so that the response does not reveal that the resource
                exists.
            context: A dependency that returns what conditions read as `context`.
        """

        async def require(
            user: RequestUser = Depends(self.require_user),
            found: Resource = Depends(resource),
            given: Any = Depends(context or _no_context),
        ) -> RequestUser:
            if not await self._client.check(user.subject, action, found, context=given):
                raise denied_error(action, found, hide)
            return user

        return require

    def protected_resource(self, *, resource: str, scopes: Iterable[str]) -> ProtectedResource:
        """Protects an API with tokens that are limited to it. `.router` serves the metadata of the API
        (`/.well-known/oauth-protected-resource`, RFC 9728). The dependency itself responds with 401 or 403 and
        a challenge from which clients learn where to get a token. Its user has `client_id` and `scopes`.

        As a dependency of a router or a path, it comes before other guards, which take its user.

            documents = guards.protected_resource(resource="https://docs.example.com/api", scopes=["read"])
            app.include_router(documents.router)

            @app.get("/api/documents")
            async def list_documents(user: RequestUser = Depends(documents)): ...

        Args:
            resource: The URI of the API, as it is registered in daikon.
            scopes: The scopes that every request needs.

        Raises:
            InvalidArgumentError: An argument cannot be right.
        """
        return ProtectedResource(ResourceGuard(self._client, resource, scopes, self._agents), self._users)

    async def filter(
        self,
        user: RequestUser,
        action: str,
        items: Iterable[Item],
        resource_of: Callable[[Item], Resource],
        *,
        context: Context | None = None,
    ) -> list[Item]:
        """The items whose resources the user may perform the action on, in order."""
        listed = list(items)
        checks = [(user.subject, action, resource_of(item)) for item in listed]
        allowed = await self._client.check_many(checks, context=context)
        return [item for item, is_allowed in zip(listed, allowed) if is_allowed]

    def handle_errors(self, app: FastAPI) -> None:
        """Responds to errors of guards and of client operations in endpoints with RFC 9457 problems."""
        app.add_exception_handler(DaikonError, _respond)


def _no_context() -> None:
    return None


async def _respond(_request: Request, error: Exception) -> JSONResponse:
    problem = to_problem(error) if isinstance(error, DaikonError) else None
    if problem is None:
        raise error
    headers = {**problem.headers, "content-type": "application/problem+json"}
    return JSONResponse(problem.body, problem.status, headers)
