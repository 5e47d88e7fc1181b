"""Guards for Django views, with and without async.

client = daikon.Client("localhost:50051", service="docs", service_key="dk_…")
guards = Guards(client)

@guards.require_permission("edit", lambda request, id: Resource("document", id))
def save(request, id):
    guards.user_of(request).claims["sub"]
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.http import HttpRequest, HttpResponse, JsonResponse

from ._client import Client
from ._http import Problem, RequestAgent, RequestUser, denied_error, read_bearer, to_problem
from ._recent_sign_in import sign_in_check
from .errors import DaikonError
from .types import Context, Resource

__all__ = ["Guards", "Problem", "RequestAgent", "RequestUser", "to_problem"]

Item = TypeVar("Item")
View = TypeVar("View", bound=Callable[..., Any])

_attribute = "daikon_user"


class Guards:
    """Decorators for views that require a user or a permission. They also convert the errors of client
    operations in the view to RFC 9457 problems."""

    def __init__(self, client: Client, *, agents: bool = False) -> None:
        """Creates guards.

        Args:
            client: The client that verifies tokens and checks permissions.
            agents: Whether tokens with which an agent acts for a user are accepted, too. `RequestUser.agent` is
                then the agent. Checks decide for both; what a view decides without one, it must decide for the
                agent as well.
        """
        self._agents = agents
        self._client = client

    def require_user(self, view: View) -> View:
        """Requires a valid access token, and responds with 401 otherwise. Verifies tokens with cached keys,
        so it accepts revoked tokens until they expire."""
        return self._guard(view, lambda request, args, kwargs: self._authenticate(request))

    def require_recent(self, *, max_age: int | None = None, acr: str | None = None) -> Callable[[View], View]:
        """Requires a valid access token of a user who signed in recently, or in a certain way. Responds with
        401 and a challenge otherwise, on which `daikon.fetch` of the browser client begins a sign-in.

            @guards.require_recent(max_age=300)

        Args:
            max_age: Seconds since the sign-in, from 60.
            acr: The class of the sign-in.
        """
        check = sign_in_check(max_age, acr)

        def authenticate(request: HttpRequest, _args: Any, _kwargs: Any) -> None:
            check(self._authenticate(request).claims)

        return lambda view: self._guard(view, authenticate)

    def require_permission(
        self,
        action: str,
        resource: Callable[..., Resource],
        *,
        hide: bool = False,
        context: Callable[..., Context] | None = None,
    ) -> Callable[[View], View]:
        """Requires a valid access token of a user who may perform the action on the resource. Responds with
        401 or 403 otherwise, and with 503 if daikon is unavailable.

        Args:
            action: `view`, `edit`, `manage`, or an action that the service has registered.
            resource: Returns the resource; called with the arguments of the view.
            hide: Responds with 404 instead of 403, so that the response does not reveal that the resource
                exists.
            context: Returns what conditions read as `context`; called with the arguments of the view.
        """

        def authorize(request: HttpRequest, args: Any, kwargs: Any) -> None:
            user = self._authenticate(request)
            found = resource(request, *args, **kwargs)
            given = None if context is None else context(request, *args, **kwargs)
            if not self._client.check(user.subject, action, found, context=given):
                raise denied_error(action, found, hide)

        return lambda view: self._guard(view, authorize)

    def user_of(self, request: HttpRequest) -> RequestUser:
        """The user of a request that passed a guard."""
        user = getattr(request, _attribute, None)
        if isinstance(user, RequestUser):
            return user
        raise RuntimeError("No user: add require_user or require_permission to this view")

    def filter(
        self,
        request: HttpRequest,
        action: str,
        items: Iterable[Item],
        resource_of: Callable[[Item], Resource],
        *,
        context: Context | None = None,
    ) -> list[Item]:
        """The items whose resources the user of the request may perform the action on, in order."""
        subject = self.user_of(request).subject
        listed = list(items)
        checks = [(subject, action, resource_of(item)) for item in listed]
        allowed = self._client.check_many(checks, context=context)
        return [item for item, is_allowed in zip(listed, allowed) if is_allowed]

    def _authenticate(self, request: HttpRequest) -> RequestUser:
        token = read_bearer(request.headers.get("authorization"))
        claims = self._client.verify_access_token(token, delegated=self._agents)
        user = RequestUser(claims, token)
        setattr(request, _attribute, user)
        return user

    def _guard(self, view: View, guard: Callable[[HttpRequest, Any, Any], Any]) -> View:
        if iscoroutinefunction(view):
            # Not on the database thread, because a call to daikon must not delay other requests.
            guard_async = sync_to_async(guard, thread_sensitive=False)

            @functools.wraps(view)
            async def guarded_async(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
                try:
                    await guard_async(request, args, kwargs)
                    return await view(request, *args, **kwargs)
                except DaikonError as error:
                    return _respond(error)

            return cast(View, guarded_async)

        @functools.wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            try:
                guard(request, args, kwargs)
                return view(request, *args, **kwargs)
            except DaikonError as error:
                return _respond(error)

        return cast(View, guarded)


def _respond(error: DaikonError) -> HttpResponse:
    problem = to_problem(error)
    if problem is None:
        raise error
    return JsonResponse(
        problem.body,
        status=problem.status,
        content_type="application/problem+json",
        headers=problem.headers,
    )
