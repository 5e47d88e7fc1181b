# Without postponed annotations: FastAPI cannot resolve those of an object that is a dependency.
from collections.abc import MutableMapping
from typing import Any
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse
from fastapi.security import HTTPBearer

from ._http import RequestUser
from ._protected_resource import ResourceGuard

# Only adds the access token to the OpenAPI document. The guards themselves read the header.
access_token_scheme = HTTPBearer(scheme_name="access token", auto_error=False)


class ProtectedResource:
    """A dependency that requires a token of an API. Create it with `Guards.protected_resource`."""

    router: APIRouter
    """Serves the metadata of the API. Include it in the app, not in a router with a prefix."""

    def __init__(self, guard: ResourceGuard, users: MutableMapping[Request, RequestUser]) -> None:
        self._guard = guard
        self._users = users
        self.router = APIRouter()
        self.router.add_api_route(
            unquote(guard.metadata_path), self._serve_metadata, methods=["GET", "HEAD"], include_in_schema=False
        )

    async def __call__(self, request: Request, _scheme: Any = Depends(access_token_scheme)) -> RequestUser:
        user = await self._guard.authenticate(request.headers.get("authorization"))
        self._users[request] = user
        return user

    async def _serve_metadata(self) -> JSONResponse:
        # Pages of other origins may read it, too.
        headers = {"access-control-allow-origin": "*"}
        return JSONResponse(await self._guard.read_metadata(), headers=headers)
