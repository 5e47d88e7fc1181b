from __future__ import annotations

from typing import Any

from google.protobuf.json_format import MessageToDict

from .._advice import with_advice
from ..errors import NotFoundError, PermissionDeniedError, UnauthenticatedError
from ..types import AccessTokenClaims, Reason
from ._decide import decide, is_owner
from ._subjects import token_subject, user_subject
from ._tokens import read_fake_token
from ._world import Registered, World


class Rights:
    """The rights of the users whose tokens accompany changes."""

    def __init__(self, world: World, revoked: set[str]) -> None:
        self._world = world
        self._revoked = revoked

    def require_user(self, token: str | None) -> AccessTokenClaims:
        if token is None:
            message = with_advice("TOKEN_MISSING", "The access token is missing")
            raise UnauthenticatedError("TOKEN_MISSING", message)
        claims = read_fake_token(token)
        is_member = self._world.find_role(claims["wid"], claims["sub"]) is not None
        if token in self._revoked or not is_member:
            message = with_advice("TOKEN_REVOKED", "The token was revoked")
            raise UnauthenticatedError("TOKEN_REVOKED", message)
        return claims

    def require_resource(self, request: Any) -> Registered:
        found = self._world.resources.get((request.resource_type, request.resource_id))
        if found is None:
            raise NotFoundError("RESOURCE_NOT_FOUND", "Resource not found")
        return found

    def require_manageable(self, request: Any, token: str | None, context: Any = None) -> Registered:
        """Finds a resource. If there is a token, its user must be allowed to manage the resource. `context` is
        that of the request by default."""
        claims = None if token is None else self.require_user(token)
        found = self.require_resource(request)
        if claims is None:
            return found
        if claims["wid"] != found.workspace_id:
            raise NotFoundError("RESOURCE_NOT_FOUND", "Resource not found")
        given = request.context if context is None else context
        denial = self._find_denial(claims, "manage", found, given)
        _require_covered(denial)
        if denial is not None:
            raise PermissionDeniedError(
                "NOT_THE_OWNER",
                "Only the resource's owner, an owner or admin of its workspace,"
                " or a user whose role includes manage may do this",
            )
        return found

    def require_ownership(self, resource: Registered, token: str | None, context: Any) -> None:
        """Requires that the user may do what a role with `manage` is not enough for."""
        if token is None:
            return
        claims = self.require_user(token)
        denial = self._find_denial(claims, "manage", resource, context)
        if not is_owner(self._world, user_subject(self._world, claims["sub"]), resource):
            raise PermissionDeniedError(
                "NOT_THE_OWNER",
                "Only the resource's owner, or an owner or admin of its workspace, may do this",
            )
        _require_covered(denial)

    def require_editable_parent(self, parent: Registered, token: str | None, context: Any) -> None:
        if token is None:
            return
        denial = self._find_denial(self.require_user(token), "edit", parent, context)
        _require_covered(denial)
        if denial is not None:
            raise PermissionDeniedError("PARENT_NOT_EDITABLE", "Requires permission to edit the parent")

    def _find_denial(
        self, claims: AccessTokenClaims, action: str, resource: Registered, context: Any
    ) -> Reason | None:
        """Why a user may not perform an action, or None. Raises an error if a requirement is not met."""
        subject = token_subject(self._world, claims)
        explanation = decide(self._world, subject, action, resource.type, resource, MessageToDict(context))
        if explanation.allowed:
            return None
        reason = explanation.reasons[0]
        if reason.rule == "requirement_not_met":
            message = f"{action} requires the condition {reason.condition}, which is not met"
            raise PermissionDeniedError("REQUIREMENT_NOT_MET", message)
        return reason


def _require_covered(denial: Reason | None) -> None:
    """Raises an error if the user may perform the action, and only the delegation of an agent denies it."""
    if denial is not None and denial.rule.startswith("delegation_"):
        message = "The delegation has ended or does not cover this"
        raise PermissionDeniedError("DELEGATION_DOES_NOT_COVER", message)
