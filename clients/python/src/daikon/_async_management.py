"""The operations of `AsyncClient` on resources, shares, links and types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import _changes as changes
from . import _links as link_operations
from . import _types as types
from ._operations import Operation
from .types import (
    Condition,
    ConditionDeclaration,
    Context,
    DeclaredType,
    Grantee,
    Id,
    Link,
    NewLink,
    NewShare,
    Permission,
    RegisteredResource,
    Registration,
    Requirement,
    Resource,
    RoleDeclaration,
    Share,
    Visibility,
)

if TYPE_CHECKING:
    from ._settings import Settings

Result = TypeVar("Result")


class AsyncManagement:
    _settings: Settings

    async def _start(self, operation: Operation[Result], timeout: float | None) -> Result:
        raise NotImplementedError

    async def register(
        self,
        resource: Resource,
        *,
        workspace_id: Id,
        owner_id: Id | None = None,
        owner_email: str | None = None,
        owner_external_id: str | None = None,
        visibility: Visibility | None = None,
        parent: Resource | None = None,
        attributes: Mapping[str, Any] | None = None,
        display_name: str | None = None,
        timeout: float | None = None,
    ) -> RegisteredResource:
        """Registers a resource. Call it when the resource is created; repeating the call with the same
        workspace and owner returns the registered resource.

        Args:
            resource: The resource.
            workspace_id: The workspace of the resource.
            owner_id: The user who owns the resource, a member of the workspace. Pass either this,
                `owner_email` or `owner_external_id`.
            owner_email: The e-mail address of the owner.
            owner_external_id: The `external_id` of the owner.
            visibility: `private` by default.
            parent: The resource whose grants it inherits, in the same workspace.
            attributes: What conditions read as `resource.attributes`: JSON values by name, at most 4 KiB.
            display_name: The name for people, at most 255 characters.
            timeout: Seconds after which the operation fails.
        """
        registration = Registration(
            resource=resource,
            workspace_id=workspace_id,
            owner_id=owner_id,
            owner_email=owner_email,
            owner_external_id=owner_external_id,
            visibility=visibility,
            parent=parent,
            attributes=attributes,
            display_name=display_name,
        )
        return await self._start(changes.register(self._settings.service, registration), timeout)

    async def register_many(
        self, registrations: Iterable[Registration], *, timeout: float | None = None
    ) -> list[RegisteredResource]:
        """Registers up to 1,000 resources, all or none. Items may name each other as parents."""
        return await self._start(changes.register_many(self._settings.service, registrations), timeout)

    async def get(self, resource: Resource, *, timeout: float | None = None) -> RegisteredResource:
        """A registered resource."""
        return await self._start(changes.get(self._settings.service, resource), timeout)

    async def unregister(
        self,
        resource: Resource,
        *,
        cascade: bool = False,
        as_: str | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> None:
        """Removes a resource and its shares. Call it when the resource is deleted. With `cascade`, also removes
        everything below it."""
        operation = changes.unregister(self._settings.service, resource, cascade, as_, context)
        return await self._start(operation, timeout)

    @overload
    async def share(
        self,
        resource: Resource,
        grantee: Grantee,
        permission: Permission,
        *,
        as_: str | None = None,
        expires_at: datetime | None = None,
        condition: Condition | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> Share: ...

    @overload
    async def share(
        self,
        resource: Resource,
        grantee: Grantee,
        *,
        role: str,
        as_: str | None = None,
        expires_at: datetime | None = None,
        condition: Condition | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> Share: ...

    async def share(
        self,
        resource: Resource,
        grantee: Grantee,
        permission: Permission | None = None,
        *,
        role: str | None = None,
        as_: str | None = None,
        expires_at: datetime | None = None,
        condition: Condition | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> Share:
        """Shares a resource, or replaces an existing share. Pass either a permission or a role.

        Args:
            resource: The resource.
            grantee: The user or group with whom it is shared.
            permission: `view` or `edit`.
            role: A role that your service declared for the resource type.
            as_: The access token of the user who shares, and must be allowed to `manage` the resource.
                Required. To grant a role that contains `manage`, the user must own the resource or an
                ancestor that it inherits from, or be an owner or admin of the workspace.
            expires_at: When the share ends, with a time zone.
            condition: The condition under which the share counts. By default, it always does.
            context: What the conditions that `manage` requires read.
            timeout: Seconds after which the operation fails.
        """
        new = NewShare(
            resource=resource,
            grantee=grantee,
            permission=permission,
            role=role,
            expires_at=expires_at,
            condition=condition,
        )
        return await self._start(changes.share(self._settings.service, new, as_, context), timeout)

    async def share_many(
        self,
        shares: Iterable[NewShare],
        *,
        as_: str | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> list[Share]:
        """Grants up to 1,000 shares, all or none. With `as_`, that user must be allowed to `manage` every resource;
        without it, your service decides."""
        operation = changes.share_many(self._settings.service, shares, as_, context)
        return await self._start(operation, timeout)

    async def shares(self, resource: Resource, *, timeout: float | None = None) -> list[Share]:
        """The shares of a resource, without those that have ended."""
        registered = await self._start(changes.get(self._settings.service, resource), timeout)
        return list(registered.shares)

    async def revoke(
        self,
        resource: Resource,
        grantee: Grantee,
        *,
        as_: str | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> None:
        """Ends the share of a user or group. With `as_`, that user must be allowed to `manage` the resource."""
        operation = changes.revoke(self._settings.service, resource, grantee, as_, context)
        return await self._start(operation, timeout)

    async def set_visibility(
        self,
        resource: Resource,
        visibility: Visibility,
        *,
        as_: str | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> RegisteredResource:
        """Makes a resource visible to its whole workspace or to everybody, or private again."""
        service = self._settings.service
        return await self._start(changes.set_visibility(service, resource, visibility, as_, context), timeout)

    async def set_attributes(
        self,
        resource: Resource,
        attributes: Mapping[str, Any],
        *,
        as_: str | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> RegisteredResource:
        """Changes attributes, which conditions read, by a merge patch (RFC 7396): members of `attributes` are
        merged, and `None` removes a member."""
        service = self._settings.service
        return await self._start(changes.set_attributes(service, resource, attributes, as_, context), timeout)

    async def set_display_name(
        self,
        resource: Resource,
        display_name: str | None,
        *,
        as_: str | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> RegisteredResource:
        """Sets the name of a resource for people, or removes it."""
        service = self._settings.service
        operation = changes.set_display_name(service, resource, display_name, as_, context)
        return await self._start(operation, timeout)

    async def set_parent(
        self,
        resource: Resource,
        parent: Resource | None,
        *,
        inherits: bool | None = None,
        as_: str | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> RegisteredResource:
        """Moves a resource, with everything below it, to another parent of the same workspace, or to none.

        `inherits` says whether it inherits the grants of its parent; by default, this does not change. The user
        of `as_` must also be allowed to `edit` the new parent."""
        service = self._settings.service
        operation = changes.set_parent(service, resource, parent, inherits, as_, context)
        return await self._start(operation, timeout)

    async def transfer(
        self,
        resource: Resource,
        user_id: Id,
        *,
        as_: str | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> RegisteredResource:
        """Makes another member of the workspace the owner of a resource."""
        service = self._settings.service
        return await self._start(changes.transfer(service, resource, user_id, as_, context), timeout)

    @overload
    async def create_link(
        self,
        resource: Resource,
        permission: Permission,
        *,
        as_: str | None = None,
        name: str | None = None,
        expires_at: datetime | None = None,
        condition: Condition | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> NewLink: ...

    @overload
    async def create_link(
        self,
        resource: Resource,
        *,
        role: str,
        as_: str | None = None,
        name: str | None = None,
        expires_at: datetime | None = None,
        condition: Condition | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> NewLink: ...

    async def create_link(
        self,
        resource: Resource,
        permission: Permission | None = None,
        *,
        role: str | None = None,
        as_: str | None = None,
        name: str | None = None,
        expires_at: datetime | None = None,
        condition: Condition | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> NewLink:
        """Creates a link. Anyone who has its token may do what it grants. The token is returned only here.

        Args:
            resource: The resource.
            permission: `view` or `edit`. Pass either this or `role`.
            role: A role that your service declared for the resource type, which must not contain `manage`.
            as_: The access token of the user who creates the link, and must be allowed to `manage` the
                resource. Required.
            name: A name by which people tell links apart.
            expires_at: When the link ends, with a time zone.
            condition: The condition under which the link counts. By default, it always does.
            context: What the conditions that `manage` requires read.
            timeout: Seconds after which the operation fails.
        """
        service = self._settings.service
        operation = link_operations.create_link(
            service, resource, permission, role, name, expires_at, condition, as_, context
        )
        return await self._start(operation, timeout)

    async def links(
        self,
        resource: Resource,
        *,
        as_: str | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> list[Link]:
        """The links to a resource, oldest first, without their tokens. `as_` is required."""
        operation = link_operations.list_links(self._settings.service, resource, as_, context)
        return await self._start(operation, timeout)

    async def revoke_link(
        self,
        resource: Resource,
        link_id: str,
        *,
        as_: str | None = None,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> None:
        """Revokes a link by its ID. `as_` is required."""
        operation = link_operations.delete_link(self._settings.service, resource, link_id, as_, context)
        return await self._start(operation, timeout)

    async def register_actions(
        self, actions: Iterable[str | tuple[str, str]], *, timeout: float | None = None
    ) -> None:
        """Registers actions besides `view`, `edit` and `manage`: names, or tuples of a name and a description.
        Existing actions are kept."""
        return await self._start(types.register_actions(self._settings.service, actions), timeout)

    async def declare_type(
        self,
        type: str,
        *,
        description: str = "",
        allow_public: bool = False,
        roles: Iterable[RoleDeclaration] = (),
        conditions: Iterable[ConditionDeclaration] = (),
        requirements: Iterable[Requirement] = (),
        dry_run: bool = False,
        timeout: float | None = None,
    ) -> DeclaredType:
        """Replaces the declaration of a resource type as a whole. Fails with `already_exists` if shares or
        links use what it would remove. With `dry_run`, changes nothing, and returns what uses the current
        declaration.

            await client.declare_type("issue", roles=[RoleDeclaration("triage", ["view", "label"])])
        """
        operation = types.declare_type(
            self._settings.service,
            type,
            description=description,
            allow_public=allow_public,
            roles=roles,
            conditions=conditions,
            requirements=requirements,
            dry_run=dry_run,
        )
        return await self._start(operation, timeout)

    async def resource_types(self, *, timeout: float | None = None) -> list[DeclaredType]:
        """The declared resource types of the service."""
        return await self._start(types.list_types(self._settings.service), timeout)

    async def delete_type(self, type: str, *, timeout: float | None = None) -> None:
        """Removes the declaration of a resource type, which nothing may use."""
        return await self._start(types.delete_type(self._settings.service, type), timeout)
