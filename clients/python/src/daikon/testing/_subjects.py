from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Literal

from ..errors import InvalidTokenError
from ..types import AccessTokenClaims, Role
from ..v1 import access_pb2
from ._tokens import read_fake_token
from ._world import Delegation, World


@dataclass(frozen=True, slots=True)
class FakeSubject:
    """A subject of decisions."""

    kind: Literal["user", "group", "link", "anonymous"] = "user"
    id: str = ""
    """The ID of the user, group or link."""
    email: str = ""
    external_id: str = ""
    is_known: bool = False
    """Whether the user, group or link exists, and the token is valid."""
    is_active: bool = True
    may_view_public: bool = False
    workspace_id: str | None = None
    """The workspace of the token, to which decisions are restricted."""
    home: str | None = None
    """The workspace of a group or link."""
    delegation: Delegation | None = None
    """The delegation by which an agent acts for the user."""


def find_subject(world: World, subject: access_pb2.AccessSubject, revoked: set[str]) -> FakeSubject:
    id = subject.id
    if subject.type == "anonymous":
        return FakeSubject("anonymous", may_view_public=True)
    if subject.type == "link":
        return _find_link(world, id)
    if subject.type == "access_token":
        try:
            claims = read_fake_token(id)
        except InvalidTokenError:
            return FakeSubject()
        return FakeSubject() if id in revoked else token_subject(world, claims)
    if subject.type == "delegation":
        delegation = world.delegations.get(id)
        # A service knows only the delegations for itself.
        is_known = delegation is not None and delegation.service == world.service
        return _delegation_subject(world, id) if is_known else FakeSubject()
    if subject.type == "group":
        return group_subject(world, id)
    if subject.type != "user":
        # A fake has no API keys.
        return FakeSubject()
    user = world.find_user(id)
    return FakeSubject(may_view_public=True) if user is None else user_subject(world, user.id)


def user_subject(world: World, user_id: str, workspace_id: str | None = None) -> FakeSubject:
    """A user as a subject, with the workspace of their token."""
    user = world.users.get(user_id)
    if user is None:
        return FakeSubject()
    return FakeSubject(
        "user",
        user.id,
        user.email,
        user.external_id,
        is_known=True,
        is_active=user.is_active,
        may_view_public=user.is_active,
        workspace_id=workspace_id,
    )


def token_subject(world: World, claims: AccessTokenClaims) -> FakeSubject:
    """Whom an access token names as a subject."""
    if "delegation_id" in claims:
        return _delegation_subject(world, claims["delegation_id"])
    return user_subject(world, claims["sub"], claims["wid"])


def _delegation_subject(world: World, id: str) -> FakeSubject:
    """The user of a delegation as a subject, in the workspace of the delegation."""
    delegation = world.delegations.get(id)
    if delegation is None:
        return FakeSubject()
    subject = user_subject(world, delegation.user_id, delegation.workspace_id)
    return replace(subject, delegation=delegation)


def group_subject(world: World, id: str) -> FakeSubject:
    """A group as a subject."""
    group = world.groups.get(id)
    if group is None:
        return FakeSubject("group", id)
    return FakeSubject("group", id, is_known=True, may_view_public=True, home=group.workspace_id)


def find_role_of(world: World, subject: FakeSubject, workspace_id: str) -> Role | None:
    """The role of a subject in a workspace, or None. A group or link counts as a viewer of its own."""
    if subject.kind == "user":
        return world.find_role(workspace_id, subject.id)
    return "viewer" if subject.home == workspace_id else None


def has_guest(world: World, subject: FakeSubject, workspace_id: str) -> bool:
    """Whether the visibility `workspace` is nothing to a subject: to guests, and to a group that has an active
    guest among its effective members.
    """
    if subject.kind == "user":
        return world.is_guest(workspace_id, subject.id)
    if subject.kind != "group":
        return False
    visited: set[str] = set()
    unvisited = [subject.id]
    while unvisited:
        group = world.groups.get(unvisited.pop())
        if group is None:
            continue
        for user_id in group.members:
            user = world.users.get(user_id)
            if user is not None and user.is_active and world.is_guest(workspace_id, user_id):
                return True
        unvisited += group.groups - visited
        visited |= group.groups
    return False


def _find_link(world: World, token: str) -> FakeSubject:
    now = datetime.now(timezone.utc)
    for resource in world.resources.values():
        for link in resource.links:
            is_current = link.expires_at is None or link.expires_at > now
            if link.token == token and is_current:
                home = resource.workspace_id
                return FakeSubject("link", link.id, is_known=True, may_view_public=True, home=home)
    return FakeSubject("link")
