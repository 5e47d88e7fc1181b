// Made by npm run generate.
export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check liveness
         * @description Responds while the server accepts requests. Exempt from rate limits.
         */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/evaluation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Evaluate access
         * @description Returns whether the subject may perform the action on the resource. Unknown subjects, resources and actions are denied; they are not errors. With `context.explain: true`, the response includes the reasons for the decision in `context.reasons`.
         */
        post: operations["AccessService_Evaluate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/evaluations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Evaluate access in a batch
         * @description Evaluates up to 1,000 items, in order. The subject, action, resource and context of the request are the defaults for items that omit them. An invalid item is denied, with the error in its context. A request without items is evaluated as a single request.
         */
        post: operations["AccessService_EvaluateBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/search/subject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search subjects
         * @description Lists the users who may perform the action on the resource, ordered by UUID.
         */
        post: operations["AccessService_SearchSubjects"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/search/resource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search resources
         * @description Lists the resources of a type on which the subject may perform the action. The search covers all workspaces of the subject, or only the workspace in `context.workspace_id`.
         */
        post: operations["AccessService_SearchResources"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/search/action": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search actions
         * @description Lists the actions that the subject may perform on the resource: built-in ones and those that the service has registered.
         */
        post: operations["AccessService_SearchActions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/authzen-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get AuthZEN metadata
         * @description Returns the endpoints of the Access API (AuthZEN Authorization API 1.0, section 9).
         */
        get: operations["AccessService_GetAccessConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permissions/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check permissions
         * @description Returns whether the user of the access token may perform each action, in the order of the request. Unknown resources and actions are denied; they are not errors.
         */
        post: operations["PermissionService_Check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permissions/accessible": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List accessible resources
         * @description Lists the resources of a type on which the user of the access token may perform an action, ordered by ID, one page at a time.
         *
         *     Requires role `viewer` or higher.
         */
        post: operations["PermissionService_Accessible"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permissions/{permission_id}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Share a resource
         * @description Grants a user or a group of the workspace permission to view or edit a resource, until `expires_at` if it is present. Sharing again replaces the permission and the expiry. Fails with `NOT_FOUND` if the grantee is not in the workspace.
         *
         *     The request identifies the resource by `permission_id`, or by `service_name`, `resource_type` and `resource_id`.
         *
         *     The user must be allowed to `manage` the resource: as its owner, as the owner of an ancestor that it inherits from, or as an owner or admin of the workspace.
         *
         *     Requires role `viewer` or higher.
         */
        post: operations["PermissionService_Share"];
        /**
         * Revoke a share
         * @description Revokes the share of a user or a group. `permission` is required, but any value revokes the share; `expires_at` is ignored. Fails with `NOT_FOUND` if there is no such share.
         *
         *     The request identifies the resource by `permission_id`, or by `service_name`, `resource_type` and `resource_id`.
         *
         *     With an access token, its user must be allowed to `manage` the resource: as its owner, as the owner of an ancestor that it inherits from, or as an owner or admin of the workspace. Without one, the service alone decides.
         *
         *     A user of an access token requires role `viewer` or higher.
         */
        delete: operations["PermissionService_RevokeShare"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permissions/resource/{service_name}/{resource_type}/{resource_id}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Share a resource
         * @description Grants a user or a group of the workspace permission to view or edit a resource, until `expires_at` if it is present. Sharing again replaces the permission and the expiry. Fails with `NOT_FOUND` if the grantee is not in the workspace.
         *
         *     The request identifies the resource by `permission_id`, or by `service_name`, `resource_type` and `resource_id`.
         *
         *     The user must be allowed to `manage` the resource: as its owner, as the owner of an ancestor that it inherits from, or as an owner or admin of the workspace.
         *
         *     Requires role `viewer` or higher.
         */
        post: operations["PermissionService_Share_by_service_name"];
        /**
         * Revoke a share
         * @description Revokes the share of a user or a group. `permission` is required, but any value revokes the share; `expires_at` is ignored. Fails with `NOT_FOUND` if there is no such share.
         *
         *     The request identifies the resource by `permission_id`, or by `service_name`, `resource_type` and `resource_id`.
         *
         *     With an access token, its user must be allowed to `manage` the resource: as its owner, as the owner of an ancestor that it inherits from, or as an owner or admin of the workspace. Without one, the service alone decides.
         *
         *     A user of an access token requires role `viewer` or higher.
         */
        delete: operations["PermissionService_RevokeShare_by_service_name"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permissions/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a resource
         * @description Registers a resource with its workspace, owner and visibility. Call it when your service creates a resource. Registering a resource again with the same workspace and owner returns the existing record. Fails with `ALREADY_EXISTS` if the resource is registered with another workspace or owner, with `NOT_FOUND` if the workspace does not exist, and with `INVALID_ARGUMENT` if the owner is not a member of it.
         */
        post: operations["PermissionService_Register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permissions/register/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register resources
         * @description Registers up to 1,000 resources in one transaction, as Register does. If any of them fails, none is registered. The parent of a resource can be in the same batch, in any position. Errors name the invalid fields, for example `resources[3].owner_id`.
         */
        post: operations["PermissionService_RegisterBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permissions/{permission_id}/visibility": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update visibility
         * @description Makes a resource visible to its whole workspace, or private.
         *
         *     The request identifies the resource by `permission_id`, or by `service_name`, `resource_type` and `resource_id`.
         *
         *     With an access token, its user must be allowed to `manage` the resource: as its owner, as the owner of an ancestor that it inherits from, or as an owner or admin of the workspace. Without one, the service alone decides.
         *
         *     A user of an access token requires role `viewer` or higher.
         */
        patch: operations["PermissionService_UpdateVisibility"];
        trace?: never;
    };
    "/permissions/resource/{service_name}/{resource_type}/{resource_id}/visibility": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update visibility
         * @description Makes a resource visible to its whole workspace, or private.
         *
         *     The request identifies the resource by `permission_id`, or by `service_name`, `resource_type` and `resource_id`.
         *
         *     With an access token, its user must be allowed to `manage` the resource: as its owner, as the owner of an ancestor that it inherits from, or as an owner or admin of the workspace. Without one, the service alone decides.
         *
         *     A user of an access token requires role `viewer` or higher.
         */
        patch: operations["PermissionService_UpdateVisibility_by_service_name"];
        trace?: never;
    };
    "/permissions/{permission_id}/owner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Transfer ownership
         * @description Makes another member of the workspace the owner of a resource. Fails with `INVALID_ARGUMENT` if the new owner is not a member.
         *
         *     The request identifies the resource by `permission_id`, or by `service_name`, `resource_type` and `resource_id`.
         *
         *     With an access token, its user must be allowed to `manage` the resource: as its owner, as the owner of an ancestor that it inherits from, or as an owner or admin of the workspace. Without one, the service alone decides.
         *
         *     A user of an access token requires role `viewer` or higher.
         */
        patch: operations["PermissionService_TransferOwnership"];
        trace?: never;
    };
    "/permissions/resource/{service_name}/{resource_type}/{resource_id}/owner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Transfer ownership
         * @description Makes another member of the workspace the owner of a resource. Fails with `INVALID_ARGUMENT` if the new owner is not a member.
         *
         *     The request identifies the resource by `permission_id`, or by `service_name`, `resource_type` and `resource_id`.
         *
         *     With an access token, its user must be allowed to `manage` the resource: as its owner, as the owner of an ancestor that it inherits from, or as an owner or admin of the workspace. Without one, the service alone decides.
         *
         *     A user of an access token requires role `viewer` or higher.
         */
        patch: operations["PermissionService_TransferOwnership_by_service_name"];
        trace?: never;
    };
    "/permissions/{permission_id}/parent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Move a resource
         * @description Sets or removes the parent of a resource, or changes whether the resource inherits grants from it. The descendants of the resource move with it. Absent fields are left unchanged. Fails with `ALREADY_EXISTS` if the parent is the resource itself or one of its descendants, and with `INVALID_ARGUMENT` if the resulting chain would be too long.
         *
         *     The request identifies the resource by `permission_id`, or by `service_name`, `resource_type` and `resource_id`.
         *
         *     With an access token, its user must be allowed to `manage` the resource: as its owner, as the owner of an ancestor that it inherits from, or as an owner or admin of the workspace. To set a parent, the user must also be allowed to `edit` the new parent. Without one, the service alone decides.
         *
         *     A user of an access token requires role `viewer` or higher.
         */
        patch: operations["PermissionService_UpdateParent"];
        trace?: never;
    };
    "/permissions/resource/{service_name}/{resource_type}/{resource_id}/parent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Move a resource
         * @description Sets or removes the parent of a resource, or changes whether the resource inherits grants from it. The descendants of the resource move with it. Absent fields are left unchanged. Fails with `ALREADY_EXISTS` if the parent is the resource itself or one of its descendants, and with `INVALID_ARGUMENT` if the resulting chain would be too long.
         *
         *     The request identifies the resource by `permission_id`, or by `service_name`, `resource_type` and `resource_id`.
         *
         *     With an access token, its user must be allowed to `manage` the resource: as its owner, as the owner of an ancestor that it inherits from, or as an owner or admin of the workspace. To set a parent, the user must also be allowed to `edit` the new parent. Without one, the service alone decides.
         *
         *     A user of an access token requires role `viewer` or higher.
         */
        patch: operations["PermissionService_UpdateParent_by_service_name"];
        trace?: never;
    };
    "/permissions/resource/{service_name}/{resource_type}/{resource_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a resource
         * @description Returns the permission record of a resource with all its shares.
         */
        get: operations["PermissionService_GetResource"];
        put?: never;
        post?: never;
        /**
         * Unregister a resource
         * @description Deletes the permission record of a resource and its shares. Call it when your service deletes a resource.
         *
         *     The request identifies the resource by `permission_id`, or by `service_name`, `resource_type` and `resource_id`.
         *
         *     With an access token, its user must be allowed to `manage` the resource: as its owner, as the owner of an ancestor that it inherits from, or as an owner or admin of the workspace. Without one, the service alone decides.
         *
         *     A user of an access token requires role `viewer` or higher.
         */
        delete: operations["PermissionService_Unregister_by_service_name"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permissions/{permission_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unregister a resource
         * @description Deletes the permission record of a resource and its shares. Call it when your service deletes a resource.
         *
         *     The request identifies the resource by `permission_id`, or by `service_name`, `resource_type` and `resource_id`.
         *
         *     With an access token, its user must be allowed to `manage` the resource: as its owner, as the owner of an ancestor that it inherits from, or as an owner or admin of the workspace. Without one, the service alone decides.
         *
         *     A user of an access token requires role `viewer` or higher.
         */
        delete: operations["PermissionService_Unregister"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permissions/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List granted actions
         * @description Lists the actions of a service that custom roles grant to the user of the access token in the workspace of the token.
         *
         *     Requires role `viewer` or higher.
         */
        get: operations["PermissionService_ListGrantedActions"];
        /**
         * Register actions
         * @description Registers actions of a service, which custom roles can grant, or updates their descriptions. Actions that are not in the request remain registered. Returns all actions of the service.
         */
        put: operations["PermissionService_RegisterActions"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workspaces
         * @description Lists the workspaces that the user is a member of or has been invited to, ordered by name.
         */
        get: operations["WorkspaceService_ListWorkspaces"];
        put?: never;
        /**
         * Create a workspace
         * @description Creates a workspace with the caller as its owner. Fails with `ALREADY_EXISTS` if another workspace has the slug.
         */
        post: operations["WorkspaceService_CreateWorkspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workspaces/{workspace_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workspace
         * @description Returns a workspace.
         *
         *     Requires role `viewer` or higher.
         */
        get: operations["WorkspaceService_GetWorkspace"];
        put?: never;
        post?: never;
        /**
         * Delete a workspace
         * @description Deletes a workspace with its memberships, groups, custom roles, permission records and sessions.
         *
         *     Requires role `owner` or higher.
         */
        delete: operations["WorkspaceService_DeleteWorkspace"];
        options?: never;
        head?: never;
        /**
         * Update a workspace
         * @description Updates the fields that are present.
         *
         *     Requires role `admin` or higher.
         */
        patch: operations["WorkspaceService_UpdateWorkspace"];
        trace?: never;
    };
    "/workspaces/{workspace_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members
         * @description Lists the members of a workspace, including invited ones, ordered by user ID.
         *
         *     Requires role `viewer` or higher.
         *
         *     Limited to 60 requests per minute and client.
         */
        get: operations["WorkspaceService_ListMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workspaces/{workspace_id}/members/invite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite a member
         * @description Invites a person by e-mail address. If no user has the address, a user is created; the first sign-in with the verified address takes over that user. Inviting a person again updates the role of the pending invitation. Fails with `ALREADY_EXISTS` if the person is already a member.
         *
         *     Only owners can invite owners.
         *
         *     Requires role `admin` or higher.
         */
        post: operations["WorkspaceService_InviteMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workspaces/{workspace_id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Removes a member with their group memberships, custom roles, shares and sessions in the workspace. Members can remove themselves. Removing another member requires role `admin`, or `owner` if that member is an owner. Fails with `ALREADY_EXISTS` if the member is the last active owner.
         *
         *     Requires role `viewer` or higher.
         */
        delete: operations["WorkspaceService_RemoveMember"];
        options?: never;
        head?: never;
        /**
         * Update a member
         * @description Changes the role of a member. Only owners can grant or revoke the role `owner`. Fails with `ALREADY_EXISTS` if the member is the last active owner of the workspace.
         *
         *     Requires role `admin` or higher.
         */
        patch: operations["WorkspaceService_UpdateMember"];
        trace?: never;
    };
    "/workspaces/{workspace_id}/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List groups
         * @description Lists the groups of a workspace, ordered by name.
         *
         *     Requires role `viewer` or higher.
         */
        get: operations["GroupService_ListGroups"];
        put?: never;
        /**
         * Create a group
         * @description Creates a group in a workspace. Fails with `ALREADY_EXISTS` if another group in it has the name.
         *
         *     Requires role `admin` or higher.
         */
        post: operations["GroupService_CreateGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workspaces/{workspace_id}/groups/{group_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a group
         * @description Deletes a group with its memberships and the shares granted to it. Its child groups remain.
         *
         *     Requires role `admin` or higher.
         */
        delete: operations["GroupService_DeleteGroup"];
        options?: never;
        head?: never;
        /**
         * Update a group
         * @description Updates the fields that are present. Fails with `ALREADY_EXISTS` if another group in the workspace has the name.
         *
         *     Requires role `admin` or higher.
         */
        patch: operations["GroupService_UpdateGroup"];
        trace?: never;
    };
    "/workspaces/{workspace_id}/groups/{group_id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a group member
         * @description Adds a member of the workspace to a group. Adding a member again has no effect.
         *
         *     Requires role `admin` or higher.
         */
        post: operations["GroupService_AddGroupMember"];
        /**
         * Remove a group member
         * @description Removes a direct member from a group.
         *
         *     Requires role `admin` or higher.
         */
        delete: operations["GroupService_RemoveGroupMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workspaces/{workspace_id}/groups/{group_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List group members
         * @description Lists the direct members of a group, ordered by user ID. With `effective`, also lists the members of its descendants.
         *
         *     Requires role `viewer` or higher.
         *
         *     Limited to 60 requests per minute and client.
         */
        get: operations["GroupService_ListGroupMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workspaces/{workspace_id}/groups/{group_id}/groups/{child_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a child group
         * @description Adds a group of the workspace as a child of a group. Every decision treats members of the child as members of the group. Adding a child again has no effect.
         *
         *     Fails with `ALREADY_EXISTS` if the link would create a cycle, and with `INVALID_ARGUMENT` if it would create a chain of more than 16 groups.
         *
         *     Requires role `admin` or higher.
         */
        post: operations["GroupService_AddChildGroup"];
        /**
         * Remove a child group
         * @description Removes a child from a group. The child and its members are not deleted.
         *
         *     Requires role `admin` or higher.
         */
        delete: operations["GroupService_RemoveChildGroup"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workspaces/{workspace_id}/groups/{group_id}/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List child groups
         * @description Lists the direct children of a group, ordered by name.
         *
         *     Requires role `viewer` or higher.
         */
        get: operations["GroupService_ListChildGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current user
         * @description Returns the user identified by the access token.
         */
        get: operations["UserService_GetMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the current user
         * @description Updates the fields that are present.
         */
        patch: operations["UserService_UpdateMe"];
        trace?: never;
    };
    "/users/me/permissions/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check own permissions
         * @description Returns whether the current user may perform each action, in the order of the request. Works like `POST /permissions/check`, but browsers can call it without a service key and for any service.
         */
        post: operations["UserService_CheckMyPermissions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me/permissions/accessible": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List own accessible resources
         * @description Lists the resources of a type on which the current user may perform an action. Works like `POST /permissions/accessible`, but without a service key.
         *
         *     Requires role `viewer` or higher.
         */
        post: operations["UserService_ListMyAccessibleResources"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description Lists the active sessions of the user, newest first. Each sign-in starts a session.
         */
        get: operations["UserService_ListSessions"];
        put?: never;
        post?: never;
        /**
         * End other sessions
         * @description Ends all sessions of the user except that of the access token, including sign-ins that are not yet complete.
         */
        delete: operations["UserService_EndOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description Ends a session of the user. Its refresh token and access tokens are rejected immediately.
         */
        delete: operations["UserService_EndSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List linked accounts
         * @description Lists the accounts at identity providers with which the user can sign in, oldest first.
         */
        get: operations["UserService_ListAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me/accounts/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unlink an account
         * @description Unlinks an account. Also ends the user's other sessions that were started through its provider, and the user's admin tokens. Fails with `ALREADY_EXISTS` for the last account.
         */
        delete: operations["UserService_UnlinkAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get statistics
         * @description Returns totals, the largest workspaces, recent activity and daily counts, for a dashboard.
         */
        get: operations["AdminService_GetStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List activity
         * @description Lists activity events, newest first, one page at a time. Filters are combined with AND.
         */
        get: operations["AdminService_ListActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look up names
         * @description Returns the types and names of the objects with the given IDs: users, workspaces, groups, custom roles, permission records, service apps and client apps. Unknown IDs are omitted.
         */
        post: operations["AdminService_LookUpNames"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Lists users, ordered by e-mail address, one page at a time.
         */
        get: operations["AdminService_ListUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user
         * @description Returns a user with their linked accounts, memberships, groups, custom roles and active sessions.
         */
        get: operations["AdminService_GetUser"];
        put?: never;
        post?: never;
        /**
         * Delete a user
         * @description Deletes a user with their memberships, shares, sessions and linked accounts. The activity log keeps its entries, but without the user's name, e-mail address, IP address and account IDs at identity providers. Workspaces without other members are deleted. Resources in other workspaces are transferred to the user `transfer_to`.
         *
         *     Fails with `ALREADY_EXISTS` if the user owns such resources and `transfer_to` is absent, or if the user is the last active owner of a workspace with other members.
         */
        delete: operations["AdminService_DeleteUser"];
        options?: never;
        head?: never;
        /**
         * Update a user
         * @description Updates the fields that are present. Deactivating a user ends all of their sessions. Administrators cannot deactivate their own account. Fails with `ALREADY_EXISTS` if the `external_id` already identifies another user.
         */
        patch: operations["AdminService_UpdateUser"];
        trace?: never;
    };
    "/admin/users/{user_id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a user
         * @description Returns all data about a user, with at most 100,000 activity events.
         */
        get: operations["AdminService_ExportUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{user_id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End all sessions
         * @description Ends all sessions of a user, including sign-ins that are not yet complete. The access tokens of these sessions are rejected immediately. The user can sign in again.
         */
        delete: operations["AdminService_EndUserSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{user_id}/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description Ends a session of a user. Its access tokens are rejected immediately.
         */
        delete: operations["AdminService_EndUserSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{user_id}/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add user to workspace
         * @description Invites an existing user to a workspace, like InviteMember with the user's e-mail address. Fails with `ALREADY_EXISTS` if the user is already a member.
         */
        post: operations["AdminService_AddUserToWorkspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workspaces
         * @description Lists workspaces, ordered by slug, one page at a time.
         */
        get: operations["AdminService_ListWorkspaces"];
        put?: never;
        /**
         * Create a workspace
         * @description Creates a workspace with the administrator as its owner. Fails with `ALREADY_EXISTS` if another workspace has the slug.
         */
        post: operations["AdminService_CreateWorkspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/workspaces/all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all workspaces
         * @description Lists the ID, name and slug of every workspace, ordered by name, for selection lists.
         */
        get: operations["AdminService_ListAllWorkspaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/workspaces/{workspace_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workspace
         * @description Returns a workspace. `role` is that of the administrator, if they are a member.
         */
        get: operations["AdminService_GetWorkspace"];
        put?: never;
        post?: never;
        /**
         * Delete a workspace
         * @description Deletes a workspace with its memberships, groups, custom roles, permission records and sessions.
         */
        delete: operations["AdminService_DeleteWorkspace"];
        options?: never;
        head?: never;
        /**
         * Update a workspace
         * @description Updates the fields that are present.
         */
        patch: operations["AdminService_UpdateWorkspace"];
        trace?: never;
    };
    "/admin/workspaces/{workspace_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members
         * @description Lists the members of a workspace, including invited ones, ordered by user ID.
         */
        get: operations["AdminService_ListMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/workspaces/{workspace_id}/members/invite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite a member
         * @description Invites a person by e-mail address. If no user has the address, a user is created; the first sign-in with the verified address takes over that user. Inviting a person again updates the role of the pending invitation. Fails with `ALREADY_EXISTS` if the person is already a member.
         */
        post: operations["AdminService_InviteMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/workspaces/{workspace_id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Removes a member with their group memberships, custom roles, shares and sessions in the workspace. Fails with `ALREADY_EXISTS` if the member is the last active owner of the workspace.
         */
        delete: operations["AdminService_RemoveMember"];
        options?: never;
        head?: never;
        /**
         * Update a member
         * @description Changes the role of a member. Fails with `ALREADY_EXISTS` if the member is the last active owner of the workspace.
         */
        patch: operations["AdminService_UpdateMember"];
        trace?: never;
    };
    "/admin/workspaces/{workspace_id}/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List groups
         * @description Lists the groups of a workspace, ordered by name.
         */
        get: operations["AdminService_ListGroups"];
        put?: never;
        /**
         * Create a group
         * @description Creates a group in a workspace. Fails with `ALREADY_EXISTS` if another group in it has the name.
         */
        post: operations["AdminService_CreateGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/groups/{group_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a group
         * @description Deletes a group with its memberships and the shares granted to it. Its child groups remain.
         */
        delete: operations["AdminService_DeleteGroup"];
        options?: never;
        head?: never;
        /**
         * Update a group
         * @description Updates the fields that are present. Fails with `ALREADY_EXISTS` if another group in the workspace has the name.
         */
        patch: operations["AdminService_UpdateGroup"];
        trace?: never;
    };
    "/admin/groups/{group_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List group members
         * @description Lists the direct members of a group, ordered by user ID. With `effective`, also lists the members of its descendants.
         */
        get: operations["AdminService_ListGroupMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/groups/{group_id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a group member
         * @description Adds a member of the workspace to a group. Adding a member again has no effect.
         */
        post: operations["AdminService_AddGroupMember"];
        /**
         * Remove a group member
         * @description Removes a direct member from a group.
         */
        delete: operations["AdminService_RemoveGroupMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/groups/{group_id}/groups/{child_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a child group
         * @description Adds a group of the same workspace as a child of a group. Every decision treats members of the child as members of the group. Adding a child again has no effect.
         *
         *     Fails with `ALREADY_EXISTS` if the link would create a cycle, and with `INVALID_ARGUMENT` if it would create a chain of more than 16 groups.
         */
        post: operations["AdminService_AddChildGroup"];
        /**
         * Remove a child group
         * @description Removes a child from a group. The child and its members are not deleted.
         */
        delete: operations["AdminService_RemoveChildGroup"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/groups/{group_id}/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List child groups
         * @description Lists the direct children of a group, ordered by name.
         */
        get: operations["AdminService_ListChildGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List permission records
         * @description Lists the permission records of resources, newest first, one page at a time. Filters are combined with AND.
         */
        get: operations["AdminService_ListPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/permissions/{permission_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a permission record
         * @description Returns the permission record of a resource with all its shares.
         */
        get: operations["AdminService_GetPermission"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/permissions/{permission_id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain a decision
         * @description Returns whether a user may perform an action on a resource, and why. Invited users are treated as members.
         */
        get: operations["AdminService_ExplainPermission"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/permissions/{permission_id}/subjects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who has access
         * @description Lists the users who may perform an action on a resource, ordered by ID, with the reasons. Invited users are treated as members.
         */
        get: operations["AdminService_ListPermissionSubjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/permissions/{permission_id}/visibility": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update visibility
         * @description Makes a resource visible to its whole workspace, or private.
         */
        patch: operations["AdminService_UpdateVisibility"];
        trace?: never;
    };
    "/admin/permissions/{permission_id}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Share a resource
         * @description Grants a user or a group of the workspace permission to view or edit a resource, until `expires_at` if it is present. Sharing again replaces the permission and the expiry.
         */
        post: operations["AdminService_Share"];
        /**
         * Revoke a share
         * @description Revokes the share of a user or a group. `permission` is required, but any value revokes the share; `expires_at` is ignored.
         */
        delete: operations["AdminService_RevokeShare"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/service-actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List service actions
         * @description Lists the registered actions of all services, ordered by service and name.
         */
        get: operations["AdminService_ListServiceActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/workspaces/{workspace_id}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List custom roles
         * @description Lists the custom roles of a workspace, ordered by name.
         */
        get: operations["AdminService_ListRoles"];
        put?: never;
        /**
         * Create a custom role
         * @description Creates a custom role without actions or members. Fails with `ALREADY_EXISTS` if another role in the workspace has the name.
         */
        post: operations["AdminService_CreateRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/roles/{role_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a custom role
         * @description Deletes a custom role. Its members lose the actions that only this role grants them.
         */
        delete: operations["AdminService_DeleteRole"];
        options?: never;
        head?: never;
        /**
         * Update a custom role
         * @description Updates the fields that are present. Fails with `ALREADY_EXISTS` if another role in the workspace has the name.
         */
        patch: operations["AdminService_UpdateRole"];
        trace?: never;
    };
    "/admin/roles/{role_id}/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List role actions
         * @description Lists the actions that a custom role grants, ordered by service and name.
         */
        get: operations["AdminService_ListRoleActions"];
        put?: never;
        /**
         * Add role actions
         * @description Adds actions to a custom role: all of them, or none if one does not exist. Actions that the role already grants are ignored.
         */
        post: operations["AdminService_AddRoleActions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/roles/{role_id}/actions/{service_action_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a role action
         * @description Removes an action from a custom role.
         */
        delete: operations["AdminService_RemoveRoleAction"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/roles/{role_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List role members
         * @description Lists the members who have a custom role, ordered by user ID.
         */
        get: operations["AdminService_ListRoleMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/roles/{role_id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a role member
         * @description Assigns a custom role to a member of its workspace. Assigning it again has no effect.
         */
        post: operations["AdminService_AddRoleMember"];
        /**
         * Remove a role member
         * @description Removes a custom role from a member.
         */
        delete: operations["AdminService_RemoveRoleMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/service-apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List service apps
         * @description Lists the service apps, oldest first, without their keys.
         */
        get: operations["AdminService_ListServiceApps"];
        put?: never;
        /**
         * Create a service app
         * @description Creates a service app with its first key. Only this response contains the key.
         */
        post: operations["AdminService_CreateServiceApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/service-apps/{service_app_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a service app
         * @description Deletes a service app with its keys. Fails with `ALREADY_EXISTS` if it is the last active app and `force` is not `true`.
         */
        delete: operations["AdminService_DeleteServiceApp"];
        options?: never;
        head?: never;
        /**
         * Update a service app
         * @description Updates the fields that are present. Keys of an inactive app are rejected. Fails with `ALREADY_EXISTS` if it would deactivate the last active app and `force` is not `true`.
         */
        patch: operations["AdminService_UpdateServiceApp"];
        trace?: never;
    };
    "/admin/service-apps/{service_app_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a service key
         * @description Creates a new key for a service app. Only this response contains the key. Older keys remain valid for `overlap_seconds`.
         */
        post: operations["AdminService_RotateServiceApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/client-apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List client apps
         * @description Lists the client apps, oldest first.
         */
        get: operations["AdminService_ListClientApps"];
        put?: never;
        /**
         * Create a client app
         * @description Registers a client app with the redirect URIs that may receive authorization codes. For a confidential app, the response contains its client secret, which cannot be retrieved again.
         */
        post: operations["AdminService_CreateClientApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/client-apps/{client_app_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a client app
         * @description Deletes a client app with its redirect URIs and secrets, and ends its sessions.
         */
        delete: operations["AdminService_DeleteClientApp"];
        options?: never;
        head?: never;
        /**
         * Update a client app
         * @description Updates the fields that are present. Users cannot sign in to an inactive app.
         */
        patch: operations["AdminService_UpdateClientApp"];
        trace?: never;
    };
    "/admin/client-apps/{client_app_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a client secret
         * @description Creates a new secret for a confidential client app. Only this response contains the secret. Older secrets remain valid for `overlap_seconds`. Fails with `FAILED_PRECONDITION` for a public app.
         */
        post: operations["AdminService_RotateClientApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/import/csv/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a CSV import
         * @description Reports what an import would change, without changing anything.
         */
        post: operations["AdminService_PreviewCsvImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/import/csv/execute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Execute a CSV import
         * @description Imports a file in one transaction. If any row has an error, the import fails with `INVALID_ARGUMENT` and changes nothing. Importing the same file again has no effect. Fails with `ALREADY_EXISTS` if a group or user in the file is changed during the import; the call can then be repeated.
         */
        post: operations["AdminService_ExecuteCsvImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin a sign-in
         * @description Redirects the browser to the identity provider. The parameters are those of an authorization request with PKCE (RFC 7636).
         *
         *     Limited to 10 requests per minute and client.
         */
        get: operations["AuthService_BeginLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/callback/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Complete a sign-in
         * @description Handles the callback of the identity provider and redirects to the client app with a `code` or an `error`.
         *
         *     Limited to 10 requests per minute and client.
         */
        get: operations["AuthService_CompleteLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sign-in workspaces
         * @description Lists the workspaces that an authorization code can be exchanged for. This does not consume the code.
         *
         *     Limited to 10 requests per minute and client.
         */
        get: operations["AuthService_ListCodeWorkspaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a code
         * @description Exchanges an authorization code for tokens for one workspace. A code can be used once; using it again with the correct verifier ends its session. Fails with `PERMISSION_DENIED` if the user is not a member of the workspace, without consuming the code.
         *
         *     Limited to 10 requests per minute and client.
         */
        post: operations["AuthService_ExchangeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refresh tokens
         * @description Exchanges a refresh token for a new access token and refresh token. A refresh token can be used once; using it again ends its session.
         *
         *     Limited to 10 requests per minute and client.
         */
        post: operations["AuthService_RefreshToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/switch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switch the workspace
         * @description Exchanges a refresh token for tokens for another workspace of the user, and revokes the access tokens of the session. Fails with `PERMISSION_DENIED` if the user is not a member of that workspace; the refresh token then remains valid.
         *
         *     Limited to 10 requests per minute and client.
         */
        post: operations["AuthService_SwitchWorkspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Revokes the access token and ends all sessions of the user, including sign-ins that are not yet complete.
         */
        post: operations["AuthService_Logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/admin/login/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin an administrator sign-in
         * @description Redirects the browser of an administrator to the identity provider.
         *
         *     Limited to 5 requests per minute and client.
         */
        get: operations["AuthService_BeginAdminLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/admin/callback/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Complete an administrator sign-in
         * @description Handles the callback of the identity provider, sets the admin cookie and redirects to the admin console. If the sign-in fails, redirects to the sign-in page of the console with an `error`.
         *
         *     Limited to 5 requests per minute and client.
         */
        get: operations["AuthService_CompleteAdminLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/admin/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out an administrator
         * @description Revokes the admin token and deletes the admin cookie.
         */
        post: operations["AuthService_AdminLogout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/admin/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current administrator
         * @description Returns the administrator identified by the admin token.
         */
        get: operations["AuthService_GetAdminMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get signing keys
         * @description Returns the public keys that verify tokens, as a JSON Web Key Set (RFC 7517).
         */
        get: operations["AuthService_GetKeySet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/openid-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get issuer metadata
         * @description Returns the metadata of this issuer (OpenID Connect Discovery 1.0, RFC 8414).
         */
        get: operations["AuthService_GetConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get issuer metadata
         * @description Returns the metadata of this issuer (OpenID Connect Discovery 1.0, RFC 8414).
         */
        get: operations["AuthService_GetConfiguration_get_oauth_authorization_server"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Authorize a client
         * @description The authorization endpoint (RFC 6749, section 3.1; OpenID Connect Core 1.0, section 3.1.2). Signs the user in, unless the browser has a session, and redirects to the client app with a `code` or an `error`. Displays a page if the user must choose an identity provider or a workspace.
         *
         *     Limited to 20 requests per minute and client.
         */
        get: operations["OAuthService_Authorize"];
        put?: never;
        /**
         * Authorize a client
         * @description The authorization endpoint (RFC 6749, section 3.1; OpenID Connect Core 1.0, section 3.1.2). Signs the user in, unless the browser has a session, and redirects to the client app with a `code` or an `error`. Displays a page if the user must choose an identity provider or a workspace.
         *
         *     Limited to 20 requests per minute and client.
         */
        post: operations["OAuthService_Authorize_post_authorize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue tokens
         * @description The token endpoint (RFC 6749, section 3.2). Supports the grants `authorization_code` and `refresh_token`.
         *
         *     Limited to 60 requests per minute and client.
         */
        post: operations["OAuthService_IssueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/userinfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get user claims
         * @description The UserInfo endpoint (OpenID Connect Core 1.0, section 5.3). Returns the claims that the scope of the access token covers. Requires the scope `openid`.
         */
        get: operations["OAuthService_GetUserInfo"];
        put?: never;
        /**
         * Get user claims
         * @description The UserInfo endpoint (OpenID Connect Core 1.0, section 5.3). Returns the claims that the scope of the access token covers. Requires the scope `openid`.
         */
        post: operations["OAuthService_GetUserInfo_post_userinfo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a token
         * @description The revocation endpoint (RFC 7009). Revokes an access token, or ends the session of a refresh token. An unknown or invalid token is not an error.
         *
         *     Limited to 60 requests per minute and client.
         */
        post: operations["OAuthService_RevokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Introspect a token
         * @description The introspection endpoint (RFC 7662). Returns whether a token is active and, if so, its claims. The service key can also be sent as `authorization: Bearer <key>`.
         */
        post: operations["OAuthService_IntrospectToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign out a browser
         * @description The logout endpoint (OpenID Connect RP-Initiated Logout 1.0). Ends the browser session and the sessions of all client apps that began in it. Unless the request contains an ID token of the browser session, a page asks the user to confirm.
         *
         *     Limited to 20 requests per minute and client.
         */
        get: operations["OAuthService_EndBrowserSession"];
        put?: never;
        /**
         * Sign out a browser
         * @description The logout endpoint (OpenID Connect RP-Initiated Logout 1.0). Ends the browser session and the sessions of all client apps that began in it. Unless the request contains an ID token of the browser session, a page asks the user to confirm.
         *
         *     Limited to 20 requests per minute and client.
         */
        post: operations["OAuthService_EndBrowserSession_post_logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        EvaluateRequest: {
            /** @description The subject. */
            subject: {
                /** @description `user` or `access_token`. Subjects of other types are denied every action. */
                type: string;
                /** @description The UUID, e-mail address or `external_id` of a user, at most 255 characters; or an access token, at most 16,384 characters. */
                id: string;
                /** @description Ignored. */
                properties?: Record<string, never> | null;
            };
            /** @description The action. */
            action: {
                /** @description `view`, `edit`, `manage` or an action that the service has registered. */
                name: string;
                /** @description Ignored. */
                properties?: Record<string, never> | null;
            };
            /** @description The resource. */
            resource: {
                /** @description `service_name:resource_type`, or, with a service key, the `resource_type` alone. */
                type: string;
                /** @description The UUID of the resource, or another ID that the service uses for it. At most 255 characters. */
                id: string;
                /** @description Ignored. */
                properties?: Record<string, never> | null;
            };
            /** @description `explain: true` requests the reasons for the decision. Other members are ignored. */
            context?: Record<string, never> | null;
        };
        /** @description The result of an evaluation. */
        Evaluation: {
            /** @description Whether the action is allowed. */
            decision: boolean;
            /** @description The `reasons` for the decision if they were requested, or the `error` of an invalid batch item. Absent otherwise. */
            context?: {
                [key: string]: unknown;
            };
        };
        EvaluateBatchRequest: {
            /** @description The default subject. */
            subject?: {
                /** @description `user` or `access_token`. Subjects of other types are denied every action. */
                type: string;
                /** @description The UUID, e-mail address or `external_id` of a user, at most 255 characters; or an access token, at most 16,384 characters. */
                id: string;
                /** @description Ignored. */
                properties?: Record<string, never> | null;
            } | null;
            /** @description The default action. */
            action?: {
                /** @description `view`, `edit`, `manage` or an action that the service has registered. */
                name: string;
                /** @description Ignored. */
                properties?: Record<string, never> | null;
            } | null;
            /** @description The default resource. */
            resource?: {
                /** @description `service_name:resource_type`, or, with a service key, the `resource_type` alone. */
                type: string;
                /** @description The UUID of the resource, or another ID that the service uses for it. At most 255 characters. */
                id: string;
                /** @description Ignored. */
                properties?: Record<string, never> | null;
            } | null;
            /** @description The default context. */
            context?: Record<string, never> | null;
            /**
             * @description The evaluations, at most 1,000.
             * @default []
             */
            evaluations?: {
                /** @description The subject. */
                subject?: {
                    /** @description `user` or `access_token`. Subjects of other types are denied every action. */
                    type: string;
                    /** @description The UUID, e-mail address or `external_id` of a user, at most 255 characters; or an access token, at most 16,384 characters. */
                    id: string;
                    /** @description Ignored. */
                    properties?: Record<string, never> | null;
                } | null;
                /** @description The action. */
                action?: {
                    /** @description `view`, `edit`, `manage` or an action that the service has registered. */
                    name: string;
                    /** @description Ignored. */
                    properties?: Record<string, never> | null;
                } | null;
                /** @description The resource. */
                resource?: {
                    /** @description `service_name:resource_type`, or, with a service key, the `resource_type` alone. */
                    type: string;
                    /** @description The UUID of the resource, or another ID that the service uses for it. At most 255 characters. */
                    id: string;
                    /** @description Ignored. */
                    properties?: Record<string, never> | null;
                } | null;
                /** @description The context, as in Evaluate. */
                context?: Record<string, never> | null;
            }[] | null;
            /** @description How the evaluations are executed. */
            options?: {
                /**
                 * @description `execute_all` (default), `deny_on_first_deny` or `permit_on_first_permit`. The latter two end the results after the first item that is denied or permitted, respectively.
                 * @default execute_all
                 * @enum {string|null}
                 */
                evaluations_semantic?: "execute_all" | "deny_on_first_deny" | "permit_on_first_permit" | null;
            } | null;
        };
        /** @description The response of AccessService.EvaluateBatch. */
        EvaluateBatchResponse: {
            /** @description Whether the action is allowed. Present only if the request has no items. */
            decision?: boolean;
            /** @description The context of `decision`. */
            context?: {
                [key: string]: unknown;
            };
            /** @description The results, in the order of the request. Absent if the request has no items. */
            evaluations?: components["schemas"]["Evaluation"][];
        };
        SearchSubjectsRequest: {
            /** @description The type of the subjects. */
            subject: {
                /** @description Must be `user`; the results are empty for other types. */
                type: string;
                /** @description Ignored. */
                properties?: Record<string, never> | null;
            };
            /** @description The action. */
            action: {
                /** @description `view`, `edit`, `manage` or an action that the service has registered. */
                name: string;
                /** @description Ignored. */
                properties?: Record<string, never> | null;
            };
            /** @description The resource. */
            resource: {
                /** @description `service_name:resource_type`, or, with a service key, the `resource_type` alone. */
                type: string;
                /** @description The UUID of the resource, or another ID that the service uses for it. At most 255 characters. */
                id: string;
                /** @description Ignored. */
                properties?: Record<string, never> | null;
            };
            /** @description Ignored. */
            context?: Record<string, never> | null;
            /** @description The page of results to return. */
            page?: {
                /** @description The `next_token` of the previous response. All other fields of the request must be unchanged; only `limit` may differ. */
                token?: string | null;
                /** @description The maximum number of results, 1 to 1,000. Defaults to the limit of the previous page, or to 1,000 for the first page. */
                limit?: number | null;
            } | null;
        };
        /** @description The response of AccessService.SearchSubjects. */
        SearchSubjectsResponse: {
            /** @description The position of this page. */
            page: components["schemas"]["SearchPageInfo"];
            /** @description The users, ordered by UUID. */
            results: components["schemas"]["AccessEntity"][];
        };
        /** @description The position of a page of results. */
        SearchPageInfo: {
            /** @description The token for the next page; empty on the last page. */
            next_token: string;
            /** @description The number of results in this response. */
            count: number;
        };
        /** @description A subject or a resource. */
        AccessEntity: {
            /** @description `user` for a subject, or the `type` of the request for a resource. */
            type: string;
            /** @description The `external_id` if there is one; otherwise the UUID. */
            id: string;
        };
        SearchResourcesRequest: {
            /** @description The subject. */
            subject: {
                /** @description `user` or `access_token`. Subjects of other types are denied every action. */
                type: string;
                /** @description The UUID, e-mail address or `external_id` of a user, at most 255 characters; or an access token, at most 16,384 characters. */
                id: string;
                /** @description Ignored. */
                properties?: Record<string, never> | null;
            };
            /** @description The action. */
            action: {
                /** @description `view`, `edit`, `manage` or an action that the service has registered. */
                name: string;
                /** @description Ignored. */
                properties?: Record<string, never> | null;
            };
            /** @description The type of the resources. */
            resource: {
                /** @description `service_name:resource_type`, or, with a service key, the `resource_type` alone. */
                type: string;
                /** @description Ignored. */
                properties?: Record<string, never> | null;
            };
            /** @description `workspace_id` restricts the search to one workspace. Other members are ignored. */
            context?: Record<string, never> | null;
            /** @description The page of results to return. */
            page?: {
                /** @description The `next_token` of the previous response. All other fields of the request must be unchanged; only `limit` may differ. */
                token?: string | null;
                /** @description The maximum number of results, 1 to 1,000. Defaults to the limit of the previous page, or to 1,000 for the first page. */
                limit?: number | null;
            } | null;
        };
        /** @description The response of AccessService.SearchResources. */
        SearchResourcesResponse: {
            /** @description The position of this page. */
            page: components["schemas"]["SearchPageInfo"];
            /** @description The resources, ordered by workspace and UUID. */
            results: components["schemas"]["AccessEntity"][];
        };
        SearchActionsRequest: {
            /** @description The subject. */
            subject: {
                /** @description `user` or `access_token`. Subjects of other types are denied every action. */
                type: string;
                /** @description The UUID, e-mail address or `external_id` of a user, at most 255 characters; or an access token, at most 16,384 characters. */
                id: string;
                /** @description Ignored. */
                properties?: Record<string, never> | null;
            };
            /** @description The resource. */
            resource: {
                /** @description `service_name:resource_type`, or, with a service key, the `resource_type` alone. */
                type: string;
                /** @description The UUID of the resource, or another ID that the service uses for it. At most 255 characters. */
                id: string;
                /** @description Ignored. */
                properties?: Record<string, never> | null;
            };
            /** @description Ignored. */
            context?: Record<string, never> | null;
            /** @description The page of results to return. */
            page?: {
                /** @description The `next_token` of the previous response. All other fields of the request must be unchanged; only `limit` may differ. */
                token?: string | null;
                /** @description The maximum number of results, 1 to 1,000. Defaults to the limit of the previous page, or to 1,000 for the first page. */
                limit?: number | null;
            } | null;
        };
        /** @description The response of AccessService.SearchActions. */
        SearchActionsResponse: {
            /** @description The position of this page. */
            page: components["schemas"]["SearchPageInfo"];
            /** @description The actions, ordered by name. */
            results: components["schemas"]["AllowedAction"][];
        };
        /** @description An action that is allowed. */
        AllowedAction: {
            /** @description The name of the action. */
            name: string;
        };
        /** @description The metadata of this policy decision point (AuthZEN Authorization API 1.0, section 9). */
        AccessConfiguration: {
            /** @description The base URL of this policy decision point. */
            policy_decision_point: string;
            /** @description The URL of Evaluate. */
            access_evaluation_endpoint: string;
            /** @description The URL of EvaluateBatch. */
            access_evaluations_endpoint: string;
            /** @description The URL of SearchSubjects. */
            search_subject_endpoint: string;
            /** @description The URL of SearchResources. */
            search_resource_endpoint: string;
            /** @description The URL of SearchActions. */
            search_action_endpoint: string;
        };
        PermissionCheckRequest: {
            /** @description The checks, 1 to 1,000. */
            checks: {
                /** @description The name of the service, 1 to 200 characters. */
                service_name: string;
                /** @description The type of the resource, 1 to 200 characters. */
                resource_type: string;
                /**
                 * Format: uuid
                 * @description The ID of the resource.
                 */
                resource_id: string;
                /** @description `view`, `edit`, `manage` or an action that the service has registered. Other actions are denied. */
                action: string;
            }[];
        };
        /** @description The response of UserService.CheckMyPermissions and PermissionService.Check. */
        PermissionCheckResponse: {
            /** @description The results, in the order of the request. */
            results: components["schemas"]["PermissionCheckResult"][];
        };
        /** @description A permission check and its result. */
        PermissionCheckResult: {
            /** @description The name of the service. */
            service_name: string;
            /** @description The type of the resource. */
            resource_type: string;
            /** @description The ID of the resource. */
            resource_id: string;
            /** @description The action. */
            action: string;
            /** @description Whether the action is allowed. */
            allowed: boolean;
        };
        AccessibleResourcesRequest: {
            /** @description The name of the service, 1 to 200 characters. */
            service_name: string;
            /** @description The type of the resources, 1 to 200 characters. */
            resource_type: string;
            /** @description `view`, `edit`, `manage` or an action that the service has registered. */
            action: string;
            /**
             * Format: uuid
             * @description The ID of the workspace. Must be that of the access token.
             */
            workspace_id: string;
            /**
             * @description The maximum number of IDs per page, 1 to 10,000. Defaults to 1,000.
             * @default 1000
             */
            limit?: number | null;
            /** @description The `next_page_token` of the previous response. Absent for the first page. */
            page_token?: string | null;
        };
        /** @description A page of accessible resources. */
        AccessibleResourcesResponse: {
            /** @description The IDs of the resources, in ascending order. */
            resource_ids: string[];
            /** @description Whether the user may perform the action on every resource of this type in the workspace: as an owner or admin or, for `view`, because the workspace has such resources and none of them is private. Inherited grants are not considered. */
            has_full_access: boolean;
            /** @description The token for the next page. Absent on the last page. */
            next_page_token: string | null;
        };
        ShareRequest: {
            /**
             * @description `user` or `group`.
             * @enum {string}
             */
            grantee_type: "user" | "group";
            /**
             * Format: uuid
             * @description The ID of the user or group. Must be in the workspace of the resource.
             */
            grantee_id: string;
            /**
             * @description `view` or `edit`.
             * @enum {string}
             */
            permission: "view" | "edit";
            /**
             * Format: date-time
             * @description When the share expires: in the future, at most 10 years from now. If absent, the share does not expire.
             */
            expires_at?: string | null;
        };
        /** @description A permission on a resource that is granted to a user or a group. */
        ShareResponse: {
            /** @description The ID of the share. */
            id: string;
            /** @description `user` or `group`. */
            grantee_type: string;
            /** @description The ID of the user or group. */
            grantee_id: string;
            /** @description `view` or `edit`. */
            permission: string;
            /** @description The ID of the user who shared the resource; empty if that user has been deleted. */
            granted_by: string;
            /** @description When the resource was shared. */
            granted_at: string | null;
            /** @description When the share stops granting access. Absent if it does not expire. */
            expires_at: string | null;
        };
        RegisterResourceRequest: {
            /** @description The name of the service, 1 to 200 characters. */
            service_name: string;
            /** @description The type of the resource, 1 to 200 characters. */
            resource_type: string;
            /**
             * Format: uuid
             * @description The ID of the resource. Required unless `external_id` is present. With both, it must be the UUID derived from `external_id`.
             */
            resource_id?: string | null;
            /**
             * Format: uuid
             * @description The ID of the workspace.
             */
            workspace_id: string;
            /**
             * Format: uuid
             * @description The ID of the user who owns the resource. Must be a member of the workspace.
             */
            owner_id: string;
            /**
             * @description `private` (default) or `workspace`.
             * @default private
             * @enum {string|null}
             */
            visibility?: "private" | "workspace" | null;
            /** @description The ID of the resource in your service, if that is not a UUID. At most 255 characters; must not be a UUID. It stands for the name-based UUID (version 5, RFC 9562) of `service_name/resource_type/external_id` in the namespace `f8e1572e-33cb-4304-a2f6-032bcbfe9088`. */
            external_id?: string | null;
            /** @description The parent, from which the resource inherits grants. It must belong to the same service and workspace. Registering a resource again does not move it. */
            parent?: (({
                /** @description The type of the parent, 1 to 200 characters. */
                resource_type: string;
                /**
                 * Format: uuid
                 * @description The ID of the parent. Required unless `external_id` is present. With both, it must be the UUID derived from `external_id`.
                 */
                resource_id?: string | null;
                /** @description The ID of the parent in your service, if that is not a UUID. At most 255 characters; must not be a UUID. */
                external_id?: string | null;
            } & (unknown | unknown)) | null) & (unknown | unknown);
        } & (unknown | unknown);
        /** @description The permission record of a resource: its workspace, owner, visibility, parent and shares. */
        ResourcePermissionResponse: {
            /** @description The ID of the permission record: `permission_id` in requests. */
            id: string;
            /** @description The name of the service. */
            service_name: string;
            /** @description The type of the resource. */
            resource_type: string;
            /** @description The ID of the resource. */
            resource_id: string;
            /** @description The ID of the workspace. */
            workspace_id: string;
            /** @description The ID of the user who owns the resource. */
            owner_id: string;
            /** @description `private` or `workspace`. */
            visibility: string;
            /** @description When the resource was registered. */
            created_at: string | null;
            /** @description The shares of the resource, oldest first. */
            shares: components["schemas"]["ShareResponse"][];
            /** @description The `external_id` with which the resource was registered. Absent if there is none. */
            external_id: string | null;
            /** @description The parent of the resource. Absent if there is none. */
            parent: components["schemas"]["ParentResource"] | null;
            /** @description Whether the resource inherits the grants of its parent. */
            inherits: boolean;
        };
        /** @description The parent of a resource. */
        ParentResource: {
            /** @description The type of the parent. */
            resource_type: string;
            /** @description The ID of the parent. */
            resource_id: string;
            /** @description The `external_id` with which the parent was registered. Absent if there is none. */
            external_id: string | null;
        };
        RegisterBatchRequest: {
            /** @description The resources, 1 to 1,000 without duplicates. */
            resources: ({
                /** @description The name of the service, 1 to 200 characters. */
                service_name: string;
                /** @description The type of the resource, 1 to 200 characters. */
                resource_type: string;
                /**
                 * Format: uuid
                 * @description The ID of the resource. Required unless `external_id` is present. With both, it must be the UUID derived from `external_id`.
                 */
                resource_id?: string | null;
                /**
                 * Format: uuid
                 * @description The ID of the workspace.
                 */
                workspace_id: string;
                /**
                 * Format: uuid
                 * @description The ID of the user who owns the resource. Must be a member of the workspace.
                 */
                owner_id: string;
                /**
                 * @description `private` (default) or `workspace`.
                 * @default private
                 * @enum {string|null}
                 */
                visibility?: "private" | "workspace" | null;
                /** @description The ID of the resource in your service, if that is not a UUID. At most 255 characters; must not be a UUID. It stands for the name-based UUID (version 5, RFC 9562) of `service_name/resource_type/external_id` in the namespace `f8e1572e-33cb-4304-a2f6-032bcbfe9088`. */
                external_id?: string | null;
                /** @description The parent, from which the resource inherits grants. It must belong to the same service and workspace. Registering a resource again does not move it. */
                parent?: (({
                    /** @description The type of the parent, 1 to 200 characters. */
                    resource_type: string;
                    /**
                     * Format: uuid
                     * @description The ID of the parent. Required unless `external_id` is present. With both, it must be the UUID derived from `external_id`.
                     */
                    resource_id?: string | null;
                    /** @description The ID of the parent in your service, if that is not a UUID. At most 255 characters; must not be a UUID. */
                    external_id?: string | null;
                } & (unknown | unknown)) | null) & (unknown | unknown);
            } & (unknown | unknown))[];
        };
        /** @description The response of PermissionService.RegisterBatch. */
        RegisterBatchResponse: {
            /** @description The permission records, in the order of the request. */
            resources: components["schemas"]["ResourcePermissionResponse"][];
        };
        UpdateVisibilityRequest: {
            /**
             * @description `private` or `workspace`.
             * @enum {string}
             */
            visibility: "private" | "workspace";
        };
        TransferOwnershipRequest: {
            /**
             * Format: uuid
             * @description The ID of the new owner. Must be a member of the workspace.
             */
            owner_id: string;
        };
        UpdateParentRequest: {
            /** @description The new parent, of the same service and workspace. JSON null removes the parent. */
            parent?: (({
                /** @description The type of the parent, 1 to 200 characters. */
                resource_type: string;
                /**
                 * Format: uuid
                 * @description The ID of the parent. Required unless `external_id` is present. With both, it must be the UUID derived from `external_id`.
                 */
                resource_id?: string | null;
                /** @description The ID of the parent in your service, if that is not a UUID. At most 255 characters; must not be a UUID. */
                external_id?: string | null;
            } & (unknown | unknown)) | null) & (unknown | unknown);
            /** @description Whether the resource and its descendants inherit the grants of the parent and its ancestors. */
            inherits?: boolean | null;
            /** @description Removes the parent, as JSON null in `parent` does. Must not be combined with `parent`. */
            detach?: boolean | null;
        };
        /** @description The response to an operation that has no other result. */
        Acknowledgement: {
            /** @description Always `ok`. */
            status: string;
        };
        RegisterActionsRequest: {
            /** @description The name of the service, 1 to 200 characters. */
            service_name: string;
            /** @description The actions, 1 to 1,000 with distinct names. The built-in actions `view`, `edit` and `manage` cannot be registered. */
            actions: {
                /** @description The name of the action, 1 to 200 characters. */
                name: string;
                /** @description A description, at most 2,000 characters. Defaults to an empty string. */
                description?: string | null;
            }[];
        };
        /** @description The registered actions of a service. */
        ServiceActions: {
            /** @description The name of the service. */
            service_name: string;
            /** @description The actions, ordered by name. */
            actions: components["schemas"]["ServiceAction"][];
        };
        /** @description An action that a service has registered. */
        ServiceAction: {
            /** @description The ID of the action. */
            id: string;
            /** @description The name of the action. */
            name: string;
            /** @description The description of the action. */
            description: string;
            /** @description When the action was registered. */
            registered_at: string | null;
        };
        /** @description The response of PermissionService.ListGrantedActions. */
        ListGrantedActionsResponse: {
            /** @description The name of the service. */
            service_name: string;
            /** @description The names of the actions, ordered by name. */
            actions: string[];
        };
        CreateWorkspaceRequest: {
            /** @description The name of the workspace, 1 to 200 characters. */
            name: string;
            /** @description The unique name of the workspace in URLs: 2 to 63 lower-case letters, digits and hyphens, without a hyphen at the start or the end. For example, `acme-inc`. */
            slug: string;
            /** @description A description, at most 2,000 characters. Defaults to an empty string. */
            description?: string | null;
        };
        /** @description A workspace, which has members and contains groups and resources. */
        WorkspaceResponse: {
            /** @description The ID of the workspace. */
            id: string;
            /** @description The name of the workspace. */
            name: string;
            /** @description The unique name of the workspace in URLs. */
            slug: string;
            /** @description The description of the workspace. */
            description: string;
            /** @description The caller's role in the workspace. Absent if the caller is not a member. */
            role: string | null;
            /** @description When the workspace was created. */
            created_at: string | null;
        };
        UpdateWorkspaceRequest: {
            /** @description The name of the workspace, 1 to 200 characters. */
            name?: string | null;
            /** @description A description, at most 2,000 characters. */
            description?: string | null;
        };
        /** @description The membership of a user in a workspace. The name and the avatar of an invited user are empty until they join. */
        WorkspaceMemberResponse: {
            /** @description The ID of the user. */
            user_id: string;
            /** @description The ID of the workspace. */
            workspace_id: string;
            /** @description The e-mail address, in lower case. */
            email: string;
            /** @description The display name. */
            name: string;
            /** @description The URL of the avatar; empty if there is none. */
            avatar_url: string;
            /** @description `owner`, `admin`, `editor` or `viewer`. */
            role: string;
            /** @description `active`, or `invited` until the user first obtains tokens for the workspace. */
            status: string;
            /** @description When the user first obtained tokens for the workspace. Absent while the membership is pending. */
            joined_at: string | null;
        };
        InviteMemberRequest: {
            /**
             * Format: email
             * @description The e-mail address to invite.
             */
            email: string;
            /**
             * @description The role of the member: `owner`, `admin`, `editor` or `viewer` (default).
             * @default viewer
             * @enum {string|null}
             */
            role?: "owner" | "admin" | "editor" | "viewer" | null;
        };
        UpdateMemberRequest: {
            /**
             * @description The new role: `owner`, `admin`, `editor` or `viewer`.
             * @enum {string}
             */
            role: "owner" | "admin" | "editor" | "viewer";
        };
        GroupCreateRequest: {
            /** @description The name of the group, 1 to 200 characters, unique in the workspace. */
            name: string;
            /** @description A description, at most 2,000 characters. Defaults to an empty string. */
            description?: string | null;
        };
        /** @description A group of workspace members. */
        GroupResponse: {
            /** @description The ID of the group. */
            id: string;
            /** @description The ID of the workspace. */
            workspace_id: string;
            /** @description The name of the group. */
            name: string;
            /** @description The description of the group. */
            description: string;
            /** @description The ID of the user who created the group. Absent if that user has been deleted or the group was created by the command-line tool. */
            created_by: string | null;
            /** @description When the group was created. */
            created_at: string | null;
        };
        GroupUpdateRequest: {
            /** @description The name of the group, 1 to 200 characters, unique in the workspace. */
            name?: string | null;
            /** @description A description, at most 2,000 characters. */
            description?: string | null;
        };
        /** @description A member of a group. The name and the avatar of an invited user are empty until they join the workspace. */
        GroupMemberResponse: {
            /** @description The ID of the user. */
            user_id: string;
            /** @description The ID of the group. */
            group_id: string;
            /** @description The e-mail address, in lower case. */
            email: string;
            /** @description The display name. */
            name: string;
            /** @description The URL of the avatar; empty if there is none. */
            avatar_url: string;
            /** @description When the user was added to the group or, for an indirect member, to the last group in `via`. */
            added_at: string | null;
            /** @description A shortest path of group IDs through which the user is an indirect member: from a child of the group to the group that the user was added to. Empty for direct members. */
            via: string[];
        };
        /** @description The current user. */
        UserResponse: {
            /** @description The ID of the user. */
            id: string;
            /** @description The e-mail address, in lower case. */
            email: string;
            /** @description The display name. */
            name: string;
            /** @description The URL of the avatar; empty if there is none. */
            avatar_url: string;
            /** @description Whether the user is active. */
            is_active: boolean;
            /** @description When the user was created. */
            created_at: string | null;
        };
        UpdateMeRequest: {
            /** @description The display name, 1 to 200 characters. */
            name?: string | null;
            /** @description An http or https URL of at most 2,000 characters, or an empty string to remove the avatar. */
            avatar_url?: string | null;
        };
        CheckMyPermissionsRequest: {
            /** @description The checks, 1 to 100. */
            checks: {
                /** @description The name of the service, 1 to 200 characters. */
                service_name: string;
                /** @description The type of the resource, 1 to 200 characters. */
                resource_type: string;
                /**
                 * Format: uuid
                 * @description The ID of the resource.
                 */
                resource_id: string;
                /** @description `view`, `edit`, `manage` or an action that the service has registered. Other actions are denied. */
                action: string;
            }[];
            /**
             * Format: uuid
             * @description The ID of the workspace. Must be that of the access token, which is the default.
             */
            workspace_id?: string | null;
        };
        ListMyAccessibleResourcesRequest: {
            /** @description The name of the service, 1 to 200 characters. */
            service_name: string;
            /** @description The type of the resources, 1 to 200 characters. */
            resource_type: string;
            /** @description `view`, `edit`, `manage` or an action that the service has registered. */
            action: string;
            /**
             * Format: uuid
             * @description The ID of the workspace. Must be that of the access token, which is the default.
             */
            workspace_id?: string | null;
            /**
             * @description The maximum number of IDs per page, 1 to 100. Defaults to 100.
             * @default 100
             */
            limit?: number | null;
            /** @description The `next_page_token` of the previous response. Absent for the first page. */
            page_token?: string | null;
        };
        /** @description A sign-in of a user to an application. It is active until its refresh token expires or is revoked. */
        Session: {
            /** @description The ID of the session. */
            id: string;
            /** @description The ID of the workspace that its tokens are for. */
            workspace_id: string;
            /** @description The identity provider: `google`, `microsoft` or `github`. */
            provider: string;
            /** @description The User-Agent header of the sign-in, at most 300 characters. */
            user_agent: string;
            /** @description When the user signed in. */
            created_at: string | null;
            /** @description When its refresh token was last exchanged. */
            last_used_at: string | null;
            /** @description When its refresh token expires. */
            expires_at: string | null;
            /** @description Whether the access token of the request belongs to the session. Always `false` in AdminService. */
            current: boolean;
        };
        /** @description An account at an identity provider with which the user can sign in. */
        LinkedAccountResponse: {
            /** @description The ID of the link: `account_id` in requests. */
            id: string;
            /** @description `google`, `microsoft` or `github`. */
            provider: string;
            /** @description The e-mail address of the account when it was linked. */
            email: string;
            /** @description When the account was linked. */
            linked_at: string | null;
        };
        /** @description The statistics for the dashboard. */
        Stats: {
            /** @description The number of users. */
            total_users: number;
            /** @description The number of users who have not been deactivated. */
            active_users: number;
            /** @description The number of workspaces. */
            total_workspaces: number;
            /** @description The number of groups. */
            total_groups: number;
            /** @description The number of resources. */
            total_resources: number;
            /** @description The 20 workspaces with the most members, largest first. */
            workspace_distribution: components["schemas"]["WorkspaceShare"][];
            /** @description The ten most recent events, newest first. */
            recent_activity: components["schemas"]["ActivityEntry"][];
            /** @description The new users per day for the last 30 days, including today, oldest first. */
            signups_by_day: components["schemas"]["DaySignups"][];
            /** @description The sign-ins to client apps per day for the last 30 days, including today, oldest first. */
            sign_ins_by_day: components["schemas"]["DaySignIns"][];
            /** @description Whether development mode is on: no service app is active, so requests are accepted with any service key, or none. */
            development_mode: boolean;
        };
        /** @description The size of a workspace. */
        WorkspaceShare: {
            /** @description The ID of the workspace. */
            workspace_id: string;
            /** @description The name of the workspace. */
            name: string;
            /** @description The number of members, including invited ones. */
            members: number;
            /** @description The number of groups. */
            groups: number;
            /** @description The number of resources. */
            resources: number;
        };
        /** @description An activity event. Its actions and details are listed in docs/activity-log.md. */
        ActivityEntry: {
            /** @description The ID of the event. */
            id: string;
            /** @description The action, for example `workspace.created`. */
            action: string;
            /** @description The type of the target, for example `workspace`. */
            target_type: string;
            /** @description The ID of the target. Absent if it is unknown, for example after a failed sign-in. */
            target_id: string | null;
            /** @description The ID of the user who performed the action. Absent for services, background jobs, the command-line tool and unknown users. */
            actor_id: string | null;
            /** @description The ID of the workspace. Absent if the event does not belong to one. */
            workspace_id: string | null;
            /** @description Details that depend on the action. */
            detail: {
                [key: string]: unknown;
            };
            /** @description When the event occurred. */
            created_at: string | null;
            /** @description The ID of the service app that authenticated the call. Absent without a service key. */
            service_app_id: string | null;
            /** @description The first characters of the service key. Absent without a service key. */
            key_prefix: string | null;
            /** @description The ID of the request. Absent for the command-line tool and background jobs. */
            request_id: string | null;
            /** @description The IP address of the client. Absent if it was not recorded or has been erased. */
            ip: string | null;
        };
        /** @description The number of users created on a day. */
        DaySignups: {
            /** @description The date in UTC, for example `2026-01-31`. */
            day: string;
            /** @description The number of users. */
            count: number;
        };
        /** @description The number of sign-ins on a day. */
        DaySignIns: {
            /** @description The date in UTC, for example `2026-01-31`. */
            day: string;
            /** @description The number of sign-ins. */
            count: number;
        };
        /** @description The response of AdminService.ListActivity. */
        ListActivityResponse: {
            /** @description The events, newest first. */
            items: components["schemas"]["ActivityEntry"][];
            /** @description The cursor for the next page. Absent on the last page. */
            next_before: string | null;
        };
        LookUpNamesRequest: {
            /** @description The IDs to look up, 1 to 200. */
            ids: string[];
        };
        /** @description The response of AdminService.LookUpNames. */
        LookUpNamesResponse: {
            /** @description The objects with these IDs, in any order. Unknown IDs are omitted. */
            names: components["schemas"]["NamedObject"][];
        };
        /** @description The type and the name of an object. */
        NamedObject: {
            /** @description The ID of the object. */
            id: string;
            /** @description `user`, `workspace`, `group`, `role`, `permission`, `service_app` or `client_app`. */
            type: string;
            /** @description The name. For a user without a name, the e-mail address; for a permission record, `service_name/resource_type/id`, where `id` is the external ID if there is one. */
            name: string;
            /** @description The ID of the workspace that contains the object, or of the workspace itself. Absent for users and apps. */
            workspace_id: string | null;
        };
        /** @description A page of users. */
        UserPage: {
            /** @description The items of the page. */
            items: components["schemas"]["UserSummary"][];
            /** @description The number of items on all pages. */
            total: number;
            /** @description The page number. */
            page: number;
            /** @description The number of items per page. */
            page_size: number;
        };
        /** @description A user in a list. */
        UserSummary: {
            /** @description The ID of the user. */
            id: string;
            /** @description The e-mail address, in lower case. */
            email: string;
            /** @description The display name. */
            name: string;
            /** @description The URL of the avatar; empty if there is none. */
            avatar_url: string;
            /** @description Whether the user is active: a deactivated user cannot sign in. */
            is_active: boolean;
            /** @description Whether the user is an administrator. */
            is_admin: boolean;
            /** @description When the user was created. */
            created_at: string | null;
            /** @description When the user last signed in. Absent if they have never signed in. */
            last_sign_in_at: string | null;
            /** @description The ID of the user in another system. Absent if there is none. */
            external_id: string | null;
        };
        /** @description A user with everything that belongs to them, except resources. */
        UserDetail: {
            /** @description The ID of the user. */
            id: string;
            /** @description The e-mail address, in lower case. */
            email: string;
            /** @description The display name. */
            name: string;
            /** @description The URL of the avatar; empty if there is none. */
            avatar_url: string;
            /** @description Whether the user is active: a deactivated user cannot sign in. */
            is_active: boolean;
            /** @description Whether the user is an administrator. */
            is_admin: boolean;
            /** @description When the user was created. */
            created_at: string | null;
            /** @description When the user last signed in. Absent if they have never signed in. */
            last_sign_in_at: string | null;
            /** @description The accounts at identity providers with which the user can sign in. */
            linked_accounts: components["schemas"]["LinkedAccount"][];
            /** @description The memberships in workspaces, including invitations, ordered by workspace name. */
            memberships: components["schemas"]["Membership"][];
            /** @description The groups that the user is a direct member of, ordered by name. */
            groups: components["schemas"]["GroupResponse"][];
            /** @description The custom roles that the user has, ordered by name. */
            roles: components["schemas"]["RoleResponse"][];
            /** @description The active sessions, newest first. */
            sessions: components["schemas"]["Session"][];
            /** @description The ID of the user in another system. Absent if there is none. */
            external_id: string | null;
        };
        /** @description An account at an identity provider, identified by `provider` and `subject`. */
        LinkedAccount: {
            /** @description `google`, `microsoft` or `github`. */
            provider: string;
            /** @description The ID of the account at the provider. */
            subject: string;
            /** @description The e-mail address of the account when it was linked. */
            email: string;
            /** @description When the account was linked. */
            linked_at: string | null;
        };
        /** @description The membership of a user in a workspace. */
        Membership: {
            /** @description The ID of the workspace. */
            workspace_id: string;
            /** @description The name of the workspace. */
            workspace_name: string;
            /** @description The slug of the workspace. */
            workspace_slug: string;
            /** @description `owner`, `admin`, `editor` or `viewer`. */
            role: string;
            /** @description `active`, or `invited` until the user first obtains tokens for the workspace. */
            status: string;
            /** @description When the user first obtained tokens for the workspace. Absent while the membership is pending. */
            joined_at: string | null;
        };
        /** @description A custom role of a workspace, which grants registered actions to its members. */
        RoleResponse: {
            /** @description The ID of the custom role. */
            id: string;
            /** @description The ID of the workspace. */
            workspace_id: string;
            /** @description The name of the custom role. */
            name: string;
            /** @description The description of the custom role. */
            description: string;
            /** @description The number of actions that the role grants. */
            action_count: number;
            /** @description The number of members who have the role. */
            member_count: number;
            /** @description When the custom role was created. */
            created_at: string | null;
        };
        UserUpdateRequest: {
            /** @description The display name, 1 to 200 characters. */
            name?: string | null;
            /** @description Whether the user can sign in. `false` also ends all sessions of the user. */
            is_active?: boolean | null;
            /** @description The ID of the user in another system, at most 255 characters. It must be unique. An empty string removes it. */
            external_id?: string | null;
        };
        /** @description All data about a user. */
        UserExport: {
            /** @description The user with linked accounts, memberships, groups, custom roles and active sessions. */
            user: components["schemas"]["UserDetail"];
            /** @description The resources that the user owns. */
            resources: components["schemas"]["ExportedResource"][];
            /** @description The current shares granted to the user or by the user. */
            shares: components["schemas"]["ExportedShare"][];
            /** @description The activity events that the user caused or that have the user as their target, newest first; at most 100,000. */
            activity: components["schemas"]["ActivityEntry"][];
            /** @description When the data was exported. */
            exported_at: string | null;
            /** @description The browsers in which the user is signed in to daikon itself. */
            browser_sessions: components["schemas"]["ExportedBrowserSession"][];
        };
        /** @description A resource that the user owns. */
        ExportedResource: {
            /** @description The ID of the permission record. */
            permission_id: string;
            /** @description The name of the service. */
            service_name: string;
            /** @description The type of the resource. */
            resource_type: string;
            /** @description The ID of the resource. */
            resource_id: string;
            /** @description The ID of the workspace. */
            workspace_id: string;
            /** @description `private` or `workspace`. */
            visibility: string;
            /** @description When the resource was registered. */
            created_at: string | null;
        };
        /** @description A share granted to the user or by the user. */
        ExportedShare: {
            /** @description The ID of the permission record of the shared resource. */
            permission_id: string;
            /** @description The name of the service. */
            service_name: string;
            /** @description The type of the resource. */
            resource_type: string;
            /** @description The ID of the resource. */
            resource_id: string;
            /** @description The ID of the workspace. */
            workspace_id: string;
            /** @description `view` or `edit`. */
            permission: string;
            /** @description `user` or `group`. */
            grantee_type: string;
            /** @description The ID of the user or group. */
            grantee_id: string;
            /** @description The ID of the user who granted the share. Absent if that user has been deleted. */
            granted_by: string | null;
            /** @description When the share was granted. */
            granted_at: string | null;
            /** @description When the share expires. Absent if it does not expire. */
            expires_at: string | null;
        };
        /** @description A browser in which the user is signed in to daikon itself. */
        ExportedBrowserSession: {
            /** @description The ID of the session. */
            id: string;
            /** @description The identity provider: `google`, `microsoft` or `github`. */
            provider: string;
            /** @description When the user signed in. */
            authenticated_at: string | null;
            /** @description When the session expires. */
            expires_at: string | null;
        };
        AddUserToWorkspaceRequest: {
            /**
             * Format: uuid
             * @description The ID of the workspace.
             */
            workspace_id: string;
            /**
             * @description The role of the user: `owner`, `admin`, `editor` or `viewer` (default).
             * @default viewer
             * @enum {string|null}
             */
            role?: "owner" | "admin" | "editor" | "viewer" | null;
        };
        /** @description A page of workspaces. */
        WorkspacePage: {
            /** @description The items of the page. */
            items: components["schemas"]["WorkspaceResponse"][];
            /** @description The number of items on all pages. */
            total: number;
            /** @description The page number. */
            page: number;
            /** @description The number of items per page. */
            page_size: number;
        };
        /** @description A workspace in a selection list. */
        WorkspaceChoice: {
            /** @description The ID of the workspace. */
            id: string;
            /** @description The name of the workspace. */
            name: string;
            /** @description The unique name of the workspace in URLs. */
            slug: string;
        };
        AdminGroupUpdateRequest: {
            /**
             * Format: uuid
             * @description The ID of the workspace.
             */
            workspace_id?: string | null;
            /** @description The name of the group, 1 to 200 characters, unique in the workspace. */
            name?: string | null;
            /** @description A description, at most 2,000 characters. */
            description?: string | null;
        };
        GroupMemberRequest: {
            /**
             * Format: uuid
             * @description The ID of the workspace.
             */
            workspace_id?: string | null;
        };
        ChildGroupRequest: {
            /**
             * Format: uuid
             * @description The ID of the workspace.
             */
            workspace_id?: string | null;
        };
        /** @description A page of permission records. */
        PermissionPage: {
            /** @description The items of the page. */
            items: components["schemas"]["PermissionSummary"][];
            /** @description The number of items on all pages. */
            total: number;
            /** @description The page number. */
            page: number;
            /** @description The number of items per page. */
            page_size: number;
        };
        /** @description The permission record of a resource, without its shares. */
        PermissionSummary: {
            /** @description The ID of the permission record: `permission_id` in requests. */
            id: string;
            /** @description The name of the service. */
            service_name: string;
            /** @description The type of the resource. */
            resource_type: string;
            /** @description The ID of the resource. */
            resource_id: string;
            /** @description The ID of the workspace. */
            workspace_id: string;
            /** @description The ID of the user who owns the resource. */
            owner_id: string;
            /** @description `private` or `workspace`. */
            visibility: string;
            /** @description When the resource was registered. */
            created_at: string | null;
            /** @description The number of shares. */
            share_count: number;
            /** @description The `external_id` with which the resource was registered. Absent if there is none. */
            external_id: string | null;
            /** @description The parent of the resource. Absent if there is none. */
            parent: components["schemas"]["ParentResource"] | null;
            /** @description Whether the resource inherits the grants of its parent. */
            inherits: boolean;
        };
        /** @description A decision and the reasons for it. */
        PermissionExplanation: {
            /** @description Whether the user may perform the action. */
            decision: boolean;
            /** @description If the action is allowed, every grant that is sufficient on its own. Otherwise, the one reason for the denial. */
            reasons: components["schemas"]["AccessReason"][];
        };
        /** @description A grant that allows an action, or the reason for a denial. Fields that do not apply to the rule are absent. */
        AccessReason: {
            /** @description For a grant: `owner`, `workspace_role`, `workspace_visibility`, `share`, `group_share` or `custom_role`. For a denial: `user_unknown`, `user_inactive`, `resource_unknown`, `not_a_member`, `action_unknown` or `no_grant`. */
            rule: string;
            /** @description The permission of the share, `view` or `edit`. */
            permission: string | null;
            /** @description The role of the user in the workspace, or the name of the custom role. */
            role: string | null;
            /** @description The ID of the group that the resource is shared with. */
            group_id: string | null;
            /** @description The path of group IDs through which the user is a member of that group: from a child of the group to the group that the user was added to. Empty for a direct member. */
            via: string[];
            /** @description The ID of the share. */
            share_id: string | null;
            /** @description When the share expires. Absent if it does not expire. */
            expires_at: string | null;
            /** @description The ancestor that the grant is inherited from. Absent for a grant on the resource itself. */
            inherited_from: components["schemas"]["AncestorResource"] | null;
        };
        /** @description An ancestor from which a resource inherits a grant. */
        AncestorResource: {
            /** @description The ID of the permission record of the ancestor. */
            permission_id: string;
            /** @description The type of the ancestor. */
            resource_type: string;
            /** @description The ID of the ancestor. */
            resource_id: string;
            /** @description The `external_id` with which the ancestor was registered. Absent if there is none. */
            external_id: string | null;
        };
        /** @description A page of the users who may perform an action on a resource. */
        PermissionSubjectPage: {
            /** @description The users, ordered by ID. A page can have fewer than `page_size` users even if it is not the last one. */
            items: components["schemas"]["PermissionSubject"][];
            /** @description The token for the next page. Absent on the last page. */
            next_page_token: string | null;
        };
        /** @description A user who may perform the action, with the reasons. */
        PermissionSubject: {
            /** @description The ID of the user. */
            user_id: string;
            /** @description The e-mail address of the user. */
            email: string;
            /** @description The name of the user. */
            name: string;
            /** @description Every grant that is sufficient on its own. */
            reasons: components["schemas"]["AccessReason"][];
        };
        RoleCreateRequest: {
            /** @description The name of the custom role, 1 to 200 characters, unique in the workspace. */
            name: string;
            /** @description A description, at most 2,000 characters. Defaults to an empty string. */
            description?: string | null;
        };
        RoleUpdateRequest: {
            /** @description The name of the custom role, 1 to 200 characters, unique in the workspace. */
            name?: string | null;
            /** @description A description, at most 2,000 characters. */
            description?: string | null;
        };
        /** @description An action that a custom role grants. */
        RoleActionResponse: {
            /** @description The ID of the action: `service_action_id` in requests. */
            id: string;
            /** @description The name of the service that registered the action. */
            service_name: string;
            /** @description The name of the action. */
            name: string;
            /** @description The description of the action. */
            description: string;
            /** @description When the action was registered. */
            registered_at: string | null;
        };
        AddRoleActionsRequest: {
            /** @description The IDs of 1 to 1,000 registered actions, of any service. */
            service_action_ids: string[];
        };
        /** @description A member who has a custom role. The name and the avatar of an invited user are empty until they join the workspace. */
        RoleMemberResponse: {
            /** @description The ID of the user. */
            user_id: string;
            /** @description The ID of the custom role. */
            role_id: string;
            /** @description The e-mail address, in lower case. */
            email: string;
            /** @description The display name. */
            name: string;
            /** @description The URL of the avatar; empty if there is none. */
            avatar_url: string;
            /** @description When the role was assigned. */
            added_at: string | null;
        };
        /** @description A backend service that authenticates with a service key. The server stores only hashes of the keys. */
        ServiceAppResponse: {
            /** @description The ID of the service app. */
            id: string;
            /** @description The display name. */
            name: string;
            /** @description The name of the service that the keys authenticate. */
            service_name: string;
            /** @description The first characters of the newest key. */
            key_prefix: string;
            /** @description Whether the keys of the app are accepted. */
            is_active: boolean;
            /** @description When a key of the app was last used, to the minute. Absent if no key has been used. */
            last_used_at: string | null;
            /** @description The ID of the administrator who created the app. Absent if the command-line tool created it or the user has been deleted. */
            created_by: string | null;
            /** @description When the service app was created. */
            created_at: string | null;
        };
        ServiceAppCreateRequest: {
            /** @description A display name, 1 to 200 characters. */
            name: string;
            /** @description The name of the service that the keys authenticate, 1 to 200 characters. It cannot be changed later. */
            service_name: string;
        };
        /** @description A service app with a new key. */
        ServiceAppKeyResponse: {
            /** @description The ID of the service app. */
            id: string;
            /** @description The display name. */
            name: string;
            /** @description The name of the service that the keys authenticate. */
            service_name: string;
            /** @description The first characters of the new key. */
            key_prefix: string;
            /** @description Whether the keys of the app are accepted. */
            is_active: boolean;
            /** @description When a key of the app was last used, to the minute. Absent if no key has been used. */
            last_used_at: string | null;
            /** @description The ID of the administrator who created the app. Absent if the command-line tool created it or the user has been deleted. */
            created_by: string | null;
            /** @description When the service app was created. */
            created_at: string | null;
            /** @description The new key. It cannot be retrieved again. */
            key: string;
        };
        ServiceAppUpdateRequest: {
            /** @description A display name, 1 to 200 characters. */
            name?: string | null;
            /** @description Whether the keys of the app are accepted. */
            is_active?: boolean | null;
            /** @description Must be `true` to deactivate the last active service app. */
            force?: boolean | null;
        };
        ServiceAppRotateRequest: {
            /**
             * @description How long older keys remain valid, in seconds: 0 to 2,592,000 (30 days). Defaults to 86,400 (one day). Keys that expire earlier are not extended.
             * @default 86400
             */
            overlap_seconds?: number | null;
        };
        /** @description An application that users sign in to. */
        ClientAppResponse: {
            /** @description The ID of the client app: its `client_id` in OAuth. */
            id: string;
            /** @description The display name. */
            name: string;
            /** @description The redirect URIs, sorted. */
            redirect_uris: string[];
            /** @description Whether users can sign in to the app. */
            is_active: boolean;
            /** @description The ID of the administrator who created the app. Absent if the command-line tool created it or the user has been deleted. */
            created_by: string | null;
            /** @description When the client app was created. */
            created_at: string | null;
            /** @description `public` or `confidential`. */
            type: string;
            /** @description The URLs that `/oauth/logout` may redirect to, sorted. */
            post_logout_redirect_uris: string[];
            /** @description The URL that receives logout tokens. Absent if none is set. */
            backchannel_logout_uri: string | null;
            /** @description The first characters of the newest client secret. Absent for a public app. */
            secret_prefix: string | null;
            /** @description The new client secret. Present only in the response that creates it. */
            client_secret: string | null;
        };
        ClientAppCreateRequest: {
            /** @description A display name, 1 to 200 characters. */
            name: string;
            /** @description The redirect URIs: 1 to 100 absolute https URLs of at most 2,000 characters each, without a fragment or user information. http is allowed for loopback hosts and, if DEBUG is on, for all hosts. */
            redirect_uris: string[];
            /**
             * @description `public` (default) for apps that cannot keep a secret, such as those that run in a browser; `confidential` for apps with a backend that authenticates with a client secret.
             * @default public
             * @enum {string|null}
             */
            type?: "public" | "confidential" | null;
            /**
             * @description The URLs that `/oauth/logout` may redirect to, at most 100. They follow the rules for redirect URIs.
             * @default []
             */
            post_logout_redirect_uris?: string[] | null;
            /** @description The URL that receives a logout token when a session ends (OpenID Connect Back-Channel Logout 1.0). It follows the rules for redirect URIs. */
            backchannel_logout_uri?: string | null;
        };
        ClientAppUpdateRequest: {
            /** @description A display name, 1 to 200 characters. */
            name?: string | null;
            /**
             * @description Replaces the redirect URIs. An empty list leaves them unchanged.
             * @default []
             */
            redirect_uris?: string[] | null;
            /** @description Whether users can sign in to the app. */
            is_active?: boolean | null;
            /**
             * @description `public` or `confidential`. An app that becomes confidential receives a client secret; the secrets of an app that becomes public are deleted.
             * @enum {string|null}
             */
            type?: "public" | "confidential" | null;
            /**
             * @description Replaces the URLs that `/oauth/logout` may redirect to. An empty list leaves them unchanged; JSON null removes them.
             * @default []
             */
            post_logout_redirect_uris?: string[] | null;
            /** @description Removes the URLs that `/oauth/logout` may redirect to. Ignored if the request contains new ones. */
            remove_post_logout_redirect_uris?: boolean | null;
            /** @description The URL that receives logout tokens. An empty string removes it. */
            backchannel_logout_uri?: string | null;
        };
        ClientAppRotateRequest: {
            /**
             * @description How long older secrets remain valid, in seconds: 0 to 2,592,000 (30 days). Defaults to 86,400 (one day). Secrets that expire earlier are not extended.
             * @default 86400
             */
            overlap_seconds?: number | null;
        };
        CsvImportRequest: {
            /** @description The CSV file, at most 5 MiB. */
            csv: string;
        };
        /** @description The changes that an import makes or would make. */
        CsvImportReport: {
            /** @description The columns, in the order of the file. */
            columns: string[];
            /** @description The number of rows. */
            summary: components["schemas"]["CsvImportSummary"];
            /** @description The rows, in the order of the file: at most 1,000, or 1 MiB of text. If there are more, unchanged rows are omitted first, then rows with the actions `create`, `update` and `error`, in this order. */
            rows: components["schemas"]["CsvImportRow"][];
            /** @description The number of rows omitted from `rows`. */
            omitted: number;
        };
        /** @description The number of rows in the file, in total and by action. */
        CsvImportSummary: {
            /** @description All rows, without the header. */
            rows: number;
            /** @description Rows that create a membership. */
            create: number;
            /** @description Rows that change an existing member: the user, the role or the groups. */
            update: number;
            /** @description Rows that change nothing. */
            unchanged: number;
            /** @description Rows with errors. */
            errors: number;
        };
        /** @description The result for one row. */
        CsvImportRow: {
            /** @description The number of the line on which the row starts. The header is line 1. */
            line: number;
            /** @description The normalized e-mail address, or the text of the file if it is not a valid address. */
            email: string;
            /** @description `create`, `update`, `unchanged` or `error`. */
            action: string;
            /** @description The changes; empty unless `action` is `create` or `update`. */
            changes: components["schemas"]["CsvImportChange"][];
            /** @description The errors; empty unless `action` is `error`. */
            errors: components["schemas"]["CsvImportError"][];
        };
        /** @description A change that a row makes. */
        CsvImportChange: {
            /** @description The column; `user` for a user to be created, or `new_groups` for groups to be created. */
            field: string;
            /** @description The previous value; empty if there is none. */
            from: string;
            /** @description The new value. */
            to: string;
        };
        /** @description An error in a row. */
        CsvImportError: {
            /** @description The column; empty if the error concerns the whole row. */
            field: string;
            /** @description What is wrong, to show to people. */
            message: string;
        };
        /** @description A workspace that a code can be exchanged for. */
        CodeWorkspace: {
            /** @description The ID of the workspace. */
            id: string;
            /** @description The name of the workspace. */
            name: string;
            /** @description The unique name of the workspace in URLs. */
            slug: string;
            /** @description The user's role: `owner`, `admin`, `editor` or `viewer`. */
            role: string;
        };
        ExchangeTokenRequest: {
            /** @description The authorization code. */
            code: string;
            /**
             * Format: uuid
             * @description The ID of the workspace to issue the tokens for.
             */
            workspace_id: string;
            /** @description The PKCE code verifier that matches the code challenge of the sign-in (RFC 7636). */
            code_verifier: string;
        };
        /** @description An access token and a refresh token (RFC 6749, section 5.1). */
        TokenResponse: {
            /** @description The access token, a JSON Web Token (RFC 9068). */
            access_token: string;
            /** @description The refresh token. It can be used once. */
            refresh_token: string;
            /** @description Always `Bearer`. */
            token_type: string;
            /** @description The lifetime of the access token in seconds. */
            expires_in: number;
            /** @description The lifetime of the refresh token in seconds. */
            refresh_expires_in: number;
            /** @description The ID of the workspace that the tokens are for. */
            workspace_id: string;
        };
        RefreshTokenRequest: {
            /** @description The refresh token, at most 4,096 characters. */
            refresh_token: string;
        };
        SwitchWorkspaceRequest: {
            /** @description The refresh token, at most 4,096 characters. */
            refresh_token: string;
            /**
             * Format: uuid
             * @description The ID of the workspace to switch to.
             */
            workspace_id: string;
        };
        /** @description The response of AuthService.AdminLogout. */
        AdminLogoutResponse: {
            /** @description Always `ok`. */
            status: string;
        };
        /** @description The current administrator. */
        AdminMe: {
            /** @description The ID of the user. */
            id: string;
            /** @description The e-mail address, in lower case. */
            email: string;
            /** @description The display name. */
            name: string;
            /** @description The URL of the avatar; empty if there is none. */
            avatar_url: string;
            /** @description Always `true`. */
            is_admin: boolean;
        };
        /** @description A JSON Web Key Set (RFC 7517). */
        KeySet: {
            /** @description The current key, and older or future ones so that tokens can be verified during a key rotation. */
            keys: components["schemas"]["Key"][];
        };
        /** @description An RSA public key (RFC 7517, RFC 7518). */
        Key: {
            /** @description The key type, `RSA`. */
            kty: string;
            /** @description The use of the key, `sig`. */
            use: string;
            /** @description The algorithm, `RS256`. */
            alg: string;
            /** @description The key ID, as in the `kid` header of tokens. */
            kid: string;
            /** @description The modulus, in base64url. */
            n: string;
            /** @description The exponent, in base64url. */
            e: string;
        };
        /** @description Issuer metadata (OpenID Connect Discovery 1.0, RFC 8414). */
        Configuration: {
            /** @description The issuer, equal to the `iss` claim of tokens. */
            issuer: string;
            /** @description The URL of the signing keys (GetKeySet). */
            jwks_uri: string;
            /** @description The URL of the token endpoint. */
            token_endpoint: string;
            /** @description The supported response types. */
            response_types_supported: string[];
            /** @description The supported subject types. */
            subject_types_supported: string[];
            /** @description The algorithms that sign tokens. */
            id_token_signing_alg_values_supported: string[];
            /** @description The supported PKCE code challenge methods. */
            code_challenge_methods_supported: string[];
            /** @description The client authentication methods of the token endpoint. */
            token_endpoint_auth_methods_supported: string[];
            /** @description The claims that ID tokens and the UserInfo endpoint can contain. */
            claims_supported: string[];
            /** @description The URL of the authorization endpoint. */
            authorization_endpoint: string;
            /** @description The URL of the UserInfo endpoint. */
            userinfo_endpoint: string;
            /** @description The URL of the revocation endpoint (RFC 7009). */
            revocation_endpoint: string;
            /** @description The URL of the introspection endpoint (RFC 7662). It requires a service key. */
            introspection_endpoint: string;
            /** @description The URL of the logout endpoint (OpenID Connect RP-Initiated Logout 1.0). */
            end_session_endpoint: string;
            /** @description The supported scopes. */
            scopes_supported: string[];
            /** @description The supported response modes. */
            response_modes_supported: string[];
            /** @description The supported grant types. */
            grant_types_supported: string[];
            /** @description The supported values of `prompt`. */
            prompt_values_supported: string[];
            /** @description The client authentication methods of the revocation endpoint. */
            revocation_endpoint_auth_methods_supported: string[];
            /** @description Always `true`: authorization responses contain the parameter `iss` (RFC 9207). */
            authorization_response_iss_parameter_supported: boolean;
            /** @description Always `true`: client apps can register a `backchannel_logout_uri`. */
            backchannel_logout_supported: boolean;
            /** @description Always `true`: logout tokens contain `sid`. */
            backchannel_logout_session_supported: boolean;
            /** @description Always `false`. */
            claims_parameter_supported: boolean;
            /** @description Always `false`. */
            request_parameter_supported: boolean;
            /** @description Always `false`. */
            request_uri_parameter_supported: boolean;
        };
        AuthorizeRequest: {
            /** @description The ID of an active client app. Required. */
            client_id?: string | null;
            /** @description A redirect URI of the client app. Required; it must match exactly. */
            redirect_uri?: string | null;
            /** @description Must be `code`. */
            response_type?: string | null;
            /** @description The requested scopes, separated by spaces: `openid`, `profile`, `email` and `offline_access`. Others are ignored. */
            scope?: string | null;
            /** @description An opaque value, at most 1,024 characters, returned in the redirect to the client app. */
            state?: string | null;
            /** @description An opaque value, at most 512 characters, included in the ID token. */
            nonce?: string | null;
            /** @description The SHA-256 hash of the code verifier, in base64url (RFC 7636, section 4.2). Required. */
            code_challenge?: string | null;
            /** @description Must be `S256`. */
            code_challenge_method?: string | null;
            /** @description `none`, `login` or `select_account`. `consent` is accepted but has no effect. */
            prompt?: string | null;
            /** @description The maximum time since the last sign-in, in seconds. The user must sign in again if more time has passed. */
            max_age?: string | null;
            /** @description The e-mail address of the user, passed to the identity provider. */
            login_hint?: string | null;
            /** @description Passed to the identity provider. */
            acr_values?: string | null;
            /** @description An ID token of the expected user. If another user is signed in to the browser, a new sign-in is required. */
            id_token_hint?: string | null;
            /** @description Must be `query` (default). */
            response_mode?: string | null;
            /** @description The ID or slug of a workspace. If absent, a user with several workspaces chooses one. */
            workspace?: string | null;
            /** @description The identity provider: `google`, `microsoft` or `github`. If absent and several are configured, the user chooses one. */
            provider?: string | null;
            /** @description Not supported: returns `request_not_supported`. */
            request?: string | null;
            /** @description Not supported: returns `request_uri_not_supported`. */
            request_uri?: string | null;
            /** @description Not supported: returns `registration_not_supported`. */
            registration?: string | null;
        };
        OAuthTokenRequest: {
            /** @description `authorization_code` or `refresh_token`. */
            grant_type?: string | null;
            /** @description The authorization code. Required for `authorization_code`. */
            code?: string | null;
            /** @description The redirect URI of the authorization request. Required for `authorization_code` if the code was issued by `/oauth/authorize`. */
            redirect_uri?: string | null;
            /** @description The PKCE code verifier (RFC 7636). Required for `authorization_code`. */
            code_verifier?: string | null;
            /** @description The refresh token. Required for `refresh_token`. */
            refresh_token?: string | null;
            /** @description For `refresh_token`: scopes that the session must include. The granted scope does not change. */
            scope?: string | null;
            /** @description The ID of the client app, unless the Authorization header contains it. */
            client_id?: string | null;
            /** @description The secret of a confidential client app, unless the Authorization header contains it. */
            client_secret?: string | null;
            /** @description For `refresh_token`: the ID of the workspace to switch to. Absent to keep the workspace. */
            workspace_id?: string | null;
        };
        /** @description A token response (RFC 6749, section 5.1; OpenID Connect Core 1.0, section 3.1.3.3). */
        OAuthTokenResponse: {
            /** @description The access token, a JSON Web Token (RFC 9068). */
            access_token: string;
            /** @description Always `Bearer`. */
            token_type: string;
            /** @description The lifetime of the access token in seconds. */
            expires_in: number;
            /** @description The refresh token. It can be used once. */
            refresh_token: string;
            /** @description The lifetime of the refresh token in seconds. */
            refresh_expires_in: number;
            /** @description The granted scopes, separated by spaces. */
            scope: string;
            /** @description The ID of the workspace that the tokens are for. */
            workspace_id: string;
            /** @description The ID token. Present if the scope includes `openid`. */
            id_token?: string;
        };
        /** @description Claims about a user (OpenID Connect Core 1.0, section 5.1). */
        UserInfo: {
            /** @description The ID of the user. */
            sub: string;
            /** @description The display name. Requires the scope `profile`. */
            name?: string;
            /** @description The URL of the avatar. Requires the scope `profile`. */
            picture?: string;
            /** @description The e-mail address. Requires the scope `email`. */
            email?: string;
            /** @description Whether an identity provider has verified the address. Requires the scope `email`. */
            email_verified?: boolean;
            /** @description The ID of the workspace of the token. */
            wid: string;
            /** @description The slug of the workspace of the token. */
            wslug: string;
            /** @description The current role of the user in the workspace of the token. */
            wrole: string;
        };
        RevokeTokenRequest: {
            /** @description An access token or a refresh token. */
            token?: string | null;
            /** @description Ignored: a token contains its type. */
            token_type_hint?: string | null;
            /** @description The ID of the client app, unless the Authorization header contains it. */
            client_id?: string | null;
            /** @description The secret of a confidential client app, unless the Authorization header contains it. */
            client_secret?: string | null;
        };
        /** @description The empty response to a revocation. */
        RevokeTokenResponse: Record<string, never>;
        IntrospectTokenRequest: {
            /** @description An access token or a refresh token. */
            token?: string | null;
            /** @description Ignored: a token contains its type. */
            token_type_hint?: string | null;
        };
        /** @description The state of a token (RFC 7662, section 2.2). If the token is not active, all other fields are absent. */
        TokenIntrospection: {
            /** @description Whether the token is valid and its user is an active member of its workspace. */
            active: boolean;
            /** @description The granted scopes, separated by spaces. */
            scope?: string;
            /** @description The ID of the client app that the token was issued to. */
            client_id?: string;
            /** @description The e-mail address of the user. */
            username?: string;
            /** @description `Bearer` for an access token, `refresh_token` for a refresh token. */
            token_type?: string;
            /** @description When the token expires, in seconds since the Unix epoch. */
            exp?: number;
            /** @description When the token was issued, in seconds since the Unix epoch. */
            iat?: number;
            /** @description The ID of the user. */
            sub?: string;
            /** @description The audience of the token. */
            aud?: string;
            /** @description The issuer of the token. */
            iss?: string;
            /** @description The ID of the token. */
            jti?: string;
            /** @description The ID of the workspace of the token. */
            wid?: string;
            /** @description The current role of the user in the workspace of the token. */
            wrole?: string;
        };
        EndBrowserSessionRequest: {
            /** @description An ID token of the session to end. It can be expired. */
            id_token_hint?: string | null;
            /** @description The ID of the client app. Required for a redirect without an ID token; with one, it must match the token. */
            client_id?: string | null;
            /** @description A post-logout redirect URI of the client app. It must match exactly. */
            post_logout_redirect_uri?: string | null;
            /** @description An opaque value returned in the redirect. */
            state?: string | null;
            /** @description Proves that the user confirmed the sign-out. Set by the confirmation page. */
            confirmation?: string | null;
        };
        /** @description Problem details (RFC 9457). */
        Problem: {
            /** @description A URN that identifies the error code. */
            type: string;
            /** @description The name of the error code. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description An explanation for developers. It may change. */
            detail: string;
            /** @description A stable identifier for programs to compare. */
            reason: string;
            /** @description Identifies the request in the server log. */
            request_id: string;
            /** @description The invalid fields of the request. */
            errors?: {
                /** @description Such as `checks[0].action`. */
                field: string;
                message: string;
            }[];
        };
        /** @description An error of an OAuth endpoint (RFC 6749, section 5.2). */
        OAuthError: {
            /** @description Such as `invalid_grant`. */
            error: string;
            /** @description An explanation for developers. */
            error_description: string;
        };
    };
    responses: {
        /** @description Failed precondition */
        400: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:daikon:problem:failed-precondition",
                 *       "title": "Failed precondition",
                 *       "status": 400,
                 *       "detail": "The Host header is not allowed",
                 *       "reason": "HOST_NOT_ALLOWED",
                 *       "request_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unauthenticated */
        401: {
            headers: {
                "WWW-Authenticate"?: string;
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:daikon:problem:unauthenticated",
                 *       "title": "Unauthenticated",
                 *       "status": 401,
                 *       "detail": "The token has expired",
                 *       "reason": "TOKEN_EXPIRED",
                 *       "request_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Permission denied */
        403: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:daikon:problem:permission-denied",
                 *       "title": "Permission denied",
                 *       "status": 403,
                 *       "detail": "The token was issued for another workspace",
                 *       "reason": "OTHER_WORKSPACE",
                 *       "request_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not found */
        404: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:daikon:problem:not-found",
                 *       "title": "Not found",
                 *       "status": 404,
                 *       "detail": "Resource not found",
                 *       "reason": "RESOURCE_NOT_FOUND",
                 *       "request_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Conflict */
        409: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:daikon:problem:already-exists",
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "detail": "Another workspace has this slug",
                 *       "reason": "SLUG_TAKEN",
                 *       "request_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Payload too large */
        413: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:daikon:problem:payload-too-large",
                 *       "title": "Payload too large",
                 *       "status": 413,
                 *       "detail": "The body exceeds 4194304 bytes",
                 *       "reason": "BODY_TOO_LARGE",
                 *       "request_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unsupported media type */
        415: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:daikon:problem:unsupported-media-type",
                 *       "title": "Unsupported media type",
                 *       "status": 415,
                 *       "detail": "The body must be application/json",
                 *       "reason": "NOT_JSON",
                 *       "request_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Invalid request */
        422: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:daikon:problem:invalid-argument",
                 *       "title": "Invalid request",
                 *       "status": 422,
                 *       "detail": "workspace_id must be a UUID",
                 *       "reason": "INVALID_REQUEST",
                 *       "request_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
                 *       "errors": [
                 *         {
                 *           "field": "workspace_id",
                 *           "message": "must be a UUID"
                 *         }
                 *       ]
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests */
        429: {
            headers: {
                /** @description Seconds */
                "Retry-After"?: number;
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:daikon:problem:resource-exhausted",
                 *       "title": "Too many requests",
                 *       "status": 429,
                 *       "detail": "Rate limit exceeded; try again in 12 seconds",
                 *       "reason": "RATE_LIMITED",
                 *       "request_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unavailable */
        503: {
            headers: {
                /** @description Seconds */
                "Retry-After"?: number;
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:daikon:problem:unavailable",
                 *       "title": "Unavailable",
                 *       "status": 503,
                 *       "detail": "The database is not available",
                 *       "reason": "STORAGE_UNAVAILABLE",
                 *       "request_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Any other error */
        default: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description The remaining requests (`r`) and the seconds until one more is allowed (`t`).
         * @example "global";r=29;t=60
         */
        RateLimit: string;
        /**
         * @description The allowed requests (`q`) per window of `w` seconds.
         * @example "global";q=30;w=60
         */
        "RateLimit-Policy": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server accepts requests */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    AccessService_Evaluate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "type": "user",
                 *         "id": "bob@example.com"
                 *       },
                 *       "action": {
                 *         "name": "view"
                 *       },
                 *       "resource": {
                 *         "type": "document",
                 *         "id": "0d000000-0000-7000-8000-0000000000d2"
                 *       },
                 *       "context": {
                 *         "explain": true
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["EvaluateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "decision": true,
                     *       "context": {
                     *         "reasons": [
                     *           {
                     *             "rule": "workspace_visibility"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Evaluation"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AccessService_EvaluateBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "type": "user",
                 *         "id": "bob@example.com"
                 *       },
                 *       "action": {
                 *         "name": "view"
                 *       },
                 *       "resource": {
                 *         "type": "document",
                 *         "id": "0d000000-0000-7000-8000-0000000000d2"
                 *       },
                 *       "context": {},
                 *       "evaluations": [
                 *         {},
                 *         {
                 *           "action": {
                 *             "name": "edit"
                 *           }
                 *         }
                 *       ],
                 *       "options": {
                 *         "evaluations_semantic": "execute_all"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["EvaluateBatchRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "decision": true,
                     *       "context": {},
                     *       "evaluations": [
                     *         {
                     *           "decision": true,
                     *           "context": {
                     *             "reasons": [
                     *               {
                     *                 "rule": "workspace_visibility"
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EvaluateBatchResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AccessService_SearchSubjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "type": "user"
                 *       },
                 *       "action": {
                 *         "name": "view"
                 *       },
                 *       "resource": {
                 *         "type": "document",
                 *         "id": "0d000000-0000-7000-8000-0000000000d2"
                 *       },
                 *       "context": {},
                 *       "page": {
                 *         "limit": 50
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SearchSubjectsRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "page": {
                     *         "next_token": "",
                     *         "count": 1
                     *       },
                     *       "results": [
                     *         {
                     *           "type": "user",
                     *           "id": "bob@example.com"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SearchSubjectsResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AccessService_SearchResources: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "type": "user",
                 *         "id": "bob@example.com"
                 *       },
                 *       "action": {
                 *         "name": "view"
                 *       },
                 *       "resource": {
                 *         "type": "document"
                 *       },
                 *       "context": {
                 *         "workspace_id": "0d000000-0000-7000-8000-000000000001"
                 *       },
                 *       "page": {
                 *         "limit": 50
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SearchResourcesRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "page": {
                     *         "next_token": "",
                     *         "count": 1
                     *       },
                     *       "results": [
                     *         {
                     *           "type": "user",
                     *           "id": "bob@example.com"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SearchResourcesResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AccessService_SearchActions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "type": "user",
                 *         "id": "bob@example.com"
                 *       },
                 *       "resource": {
                 *         "type": "document",
                 *         "id": "0d000000-0000-7000-8000-0000000000d2"
                 *       },
                 *       "context": {},
                 *       "page": {
                 *         "limit": 50
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SearchActionsRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "page": {
                     *         "next_token": "",
                     *         "count": 1
                     *       },
                     *       "results": [
                     *         {
                     *           "name": "view"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SearchActionsResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AccessService_GetAccessConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "policy_decision_point": "https://auth.example.com",
                     *       "access_evaluation_endpoint": "access evaluation endpoint",
                     *       "access_evaluations_endpoint": "access evaluations endpoint",
                     *       "search_subject_endpoint": "search subject endpoint",
                     *       "search_resource_endpoint": "search resource endpoint",
                     *       "search_action_endpoint": "search action endpoint"
                     *     }
                     */
                    "application/json": components["schemas"]["AccessConfiguration"];
                };
            };
            400: components["responses"]["400"];
            429: components["responses"]["429"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_Check: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "checks": [
                 *         {
                 *           "service_name": "docs",
                 *           "resource_type": "document",
                 *           "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                 *           "action": "view"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PermissionCheckRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "service_name": "docs",
                     *           "resource_type": "document",
                     *           "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *           "action": "view",
                     *           "allowed": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PermissionCheckResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_Accessible: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "service_name": "docs",
                 *       "resource_type": "document",
                 *       "action": "view",
                 *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                 *       "limit": 50
                 *     }
                 */
                "application/json": components["schemas"]["AccessibleResourcesRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resource_ids": [
                     *         "0d000000-0000-7000-8000-0000000000d2"
                     *       ],
                     *       "has_full_access": true,
                     *       "next_page_token": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccessibleResourcesResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_Share: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the permission record.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                permission_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grantee_type": "user",
                 *       "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                 *       "permission": "view",
                 *       "expires_at": "2026-11-21T12:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["ShareRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "grantee_type": "user",
                     *       "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                     *       "permission": "view",
                     *       "granted_by": "0d000000-0000-7000-8000-00000000000a",
                     *       "granted_at": "2026-11-21T12:00:00.000Z",
                     *       "expires_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ShareResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_RevokeShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the permission record.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                permission_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grantee_type": "user",
                 *       "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                 *       "permission": "view",
                 *       "expires_at": "2026-11-21T12:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["ShareRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Acknowledgement"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_Share_by_service_name: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of the service, 1 to 200 characters.
                 * @example docs
                 */
                service_name: string;
                /**
                 * @description The type of the resource, 1 to 200 characters.
                 * @example document
                 */
                resource_type: string;
                /**
                 * @description The ID of the resource.
                 * @example 0d000000-0000-7000-8000-0000000000d2
                 */
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grantee_type": "user",
                 *       "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                 *       "permission": "view",
                 *       "expires_at": "2026-11-21T12:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["ShareRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "grantee_type": "user",
                     *       "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                     *       "permission": "view",
                     *       "granted_by": "0d000000-0000-7000-8000-00000000000a",
                     *       "granted_at": "2026-11-21T12:00:00.000Z",
                     *       "expires_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ShareResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_RevokeShare_by_service_name: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of the service, 1 to 200 characters.
                 * @example docs
                 */
                service_name: string;
                /**
                 * @description The type of the resource, 1 to 200 characters.
                 * @example document
                 */
                resource_type: string;
                /**
                 * @description The ID of the resource.
                 * @example 0d000000-0000-7000-8000-0000000000d2
                 */
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grantee_type": "user",
                 *       "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                 *       "permission": "view",
                 *       "expires_at": "2026-11-21T12:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["ShareRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Acknowledgement"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_Register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "service_name": "docs",
                 *       "resource_type": "document",
                 *       "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                 *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                 *       "owner_id": "0d000000-0000-7000-8000-00000000000a",
                 *       "visibility": "workspace",
                 *       "external_id": "guide-2"
                 *     }
                 */
                "application/json": components["schemas"]["RegisterResourceRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "service_name": "docs",
                     *       "resource_type": "document",
                     *       "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "owner_id": "0d000000-0000-7000-8000-00000000000a",
                     *       "visibility": "workspace",
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "shares": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "grantee_type": "user",
                     *           "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                     *           "permission": "view",
                     *           "granted_by": "0d000000-0000-7000-8000-00000000000a",
                     *           "granted_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "external_id": "guide-2",
                     *       "parent": null,
                     *       "inherits": true
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePermissionResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_RegisterBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "resources": [
                 *         {
                 *           "service_name": "docs",
                 *           "resource_type": "document",
                 *           "external_id": "guide-3",
                 *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                 *           "owner_id": "0d000000-0000-7000-8000-00000000000a",
                 *           "parent": {
                 *             "resource_type": "folder",
                 *             "external_id": "guides"
                 *           }
                 *         },
                 *         {
                 *           "service_name": "docs",
                 *           "resource_type": "folder",
                 *           "external_id": "guides",
                 *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                 *           "owner_id": "0d000000-0000-7000-8000-00000000000a"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RegisterBatchRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "service_name": "docs",
                     *           "resource_type": "document",
                     *           "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "owner_id": "0d000000-0000-7000-8000-00000000000a",
                     *           "visibility": "workspace",
                     *           "created_at": "2026-11-21T12:00:00.000Z",
                     *           "shares": [
                     *             {
                     *               "id": "0d000000-0000-7000-8000-000000000010",
                     *               "grantee_type": "user",
                     *               "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                     *               "permission": "view",
                     *               "granted_by": "0d000000-0000-7000-8000-00000000000a",
                     *               "granted_at": "2026-11-21T12:00:00.000Z",
                     *               "expires_at": "2026-11-21T12:00:00.000Z"
                     *             }
                     *           ],
                     *           "external_id": "guide-2",
                     *           "parent": null,
                     *           "inherits": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RegisterBatchResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_UpdateVisibility: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the permission record.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                permission_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "visibility": "workspace"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateVisibilityRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "service_name": "docs",
                     *       "resource_type": "document",
                     *       "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "owner_id": "0d000000-0000-7000-8000-00000000000a",
                     *       "visibility": "workspace",
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "shares": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "grantee_type": "user",
                     *           "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                     *           "permission": "view",
                     *           "granted_by": "0d000000-0000-7000-8000-00000000000a",
                     *           "granted_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "external_id": "guide-2",
                     *       "parent": null,
                     *       "inherits": true
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePermissionResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_UpdateVisibility_by_service_name: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of the service, 1 to 200 characters.
                 * @example docs
                 */
                service_name: string;
                /**
                 * @description The type of the resource, 1 to 200 characters.
                 * @example document
                 */
                resource_type: string;
                /**
                 * @description The ID of the resource.
                 * @example 0d000000-0000-7000-8000-0000000000d2
                 */
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "visibility": "workspace"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateVisibilityRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "service_name": "docs",
                     *       "resource_type": "document",
                     *       "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "owner_id": "0d000000-0000-7000-8000-00000000000a",
                     *       "visibility": "workspace",
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "shares": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "grantee_type": "user",
                     *           "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                     *           "permission": "view",
                     *           "granted_by": "0d000000-0000-7000-8000-00000000000a",
                     *           "granted_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "external_id": "guide-2",
                     *       "parent": null,
                     *       "inherits": true
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePermissionResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_TransferOwnership: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the permission record.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                permission_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "owner_id": "0d000000-0000-7000-8000-00000000000a"
                 *     }
                 */
                "application/json": components["schemas"]["TransferOwnershipRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "service_name": "docs",
                     *       "resource_type": "document",
                     *       "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "owner_id": "0d000000-0000-7000-8000-00000000000a",
                     *       "visibility": "workspace",
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "shares": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "grantee_type": "user",
                     *           "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                     *           "permission": "view",
                     *           "granted_by": "0d000000-0000-7000-8000-00000000000a",
                     *           "granted_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "external_id": "guide-2",
                     *       "parent": null,
                     *       "inherits": true
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePermissionResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_TransferOwnership_by_service_name: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of the service, 1 to 200 characters.
                 * @example docs
                 */
                service_name: string;
                /**
                 * @description The type of the resource, 1 to 200 characters.
                 * @example document
                 */
                resource_type: string;
                /**
                 * @description The ID of the resource.
                 * @example 0d000000-0000-7000-8000-0000000000d2
                 */
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "owner_id": "0d000000-0000-7000-8000-00000000000a"
                 *     }
                 */
                "application/json": components["schemas"]["TransferOwnershipRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "service_name": "docs",
                     *       "resource_type": "document",
                     *       "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "owner_id": "0d000000-0000-7000-8000-00000000000a",
                     *       "visibility": "workspace",
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "shares": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "grantee_type": "user",
                     *           "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                     *           "permission": "view",
                     *           "granted_by": "0d000000-0000-7000-8000-00000000000a",
                     *           "granted_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "external_id": "guide-2",
                     *       "parent": null,
                     *       "inherits": true
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePermissionResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_UpdateParent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the permission record.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                permission_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "parent": {
                 *         "resource_type": "document",
                 *         "resource_id": "0d000000-0000-7000-8000-0000000000d1"
                 *       },
                 *       "inherits": true,
                 *       "detach": false
                 *     }
                 */
                "application/json": components["schemas"]["UpdateParentRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "service_name": "docs",
                     *       "resource_type": "document",
                     *       "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "owner_id": "0d000000-0000-7000-8000-00000000000a",
                     *       "visibility": "workspace",
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "shares": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "grantee_type": "user",
                     *           "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                     *           "permission": "view",
                     *           "granted_by": "0d000000-0000-7000-8000-00000000000a",
                     *           "granted_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "external_id": "guide-2",
                     *       "parent": null,
                     *       "inherits": true
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePermissionResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_UpdateParent_by_service_name: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of the service, 1 to 200 characters.
                 * @example docs
                 */
                service_name: string;
                /**
                 * @description The type of the resource, 1 to 200 characters.
                 * @example document
                 */
                resource_type: string;
                /**
                 * @description The ID of the resource.
                 * @example 0d000000-0000-7000-8000-0000000000d2
                 */
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "parent": {
                 *         "resource_type": "document",
                 *         "resource_id": "0d000000-0000-7000-8000-0000000000d1"
                 *       },
                 *       "inherits": true,
                 *       "detach": false
                 *     }
                 */
                "application/json": components["schemas"]["UpdateParentRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "service_name": "docs",
                     *       "resource_type": "document",
                     *       "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "owner_id": "0d000000-0000-7000-8000-00000000000a",
                     *       "visibility": "workspace",
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "shares": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "grantee_type": "user",
                     *           "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                     *           "permission": "view",
                     *           "granted_by": "0d000000-0000-7000-8000-00000000000a",
                     *           "granted_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "external_id": "guide-2",
                     *       "parent": null,
                     *       "inherits": true
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePermissionResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_GetResource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of the service, 1 to 200 characters.
                 * @example docs
                 */
                service_name: string;
                /**
                 * @description The type of the resource, 1 to 200 characters.
                 * @example document
                 */
                resource_type: string;
                /**
                 * @description The ID of the resource.
                 * @example 0d000000-0000-7000-8000-0000000000d2
                 */
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "service_name": "docs",
                     *       "resource_type": "document",
                     *       "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "owner_id": "0d000000-0000-7000-8000-00000000000a",
                     *       "visibility": "workspace",
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "shares": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "grantee_type": "user",
                     *           "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                     *           "permission": "view",
                     *           "granted_by": "0d000000-0000-7000-8000-00000000000a",
                     *           "granted_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "external_id": "guide-2",
                     *       "parent": null,
                     *       "inherits": true
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePermissionResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_Unregister_by_service_name: {
        parameters: {
            query?: {
                /** @description Whether to unregister the descendants of the resource as well. Defaults to `false`: the children remain, without a parent. */
                cascade?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The name of the service, 1 to 200 characters.
                 * @example docs
                 */
                service_name: string;
                /**
                 * @description The type of the resource, 1 to 200 characters.
                 * @example document
                 */
                resource_type: string;
                /**
                 * @description The ID of the resource.
                 * @example 0d000000-0000-7000-8000-0000000000d2
                 */
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_Unregister: {
        parameters: {
            query?: {
                /** @description Whether to unregister the descendants of the resource as well. Defaults to `false`: the children remain, without a parent. */
                cascade?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The ID of the permission record.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                permission_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_ListGrantedActions: {
        parameters: {
            query: {
                /**
                 * @description The name of the service, 1 to 200 characters.
                 * @example docs
                 */
                service_name: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "service_name": "docs",
                     *       "actions": [
                     *         "publish"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ListGrantedActionsResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    PermissionService_RegisterActions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "service_name": "docs",
                 *       "actions": [
                 *         {
                 *           "name": "Example",
                 *           "description": "An example"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RegisterActionsRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "service_name": "docs",
                     *       "actions": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "name": "Example",
                     *           "description": "An example",
                     *           "registered_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceActions"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    WorkspaceService_ListWorkspaces: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0d000000-0000-7000-8000-000000000010",
                     *         "name": "Example",
                     *         "slug": "example",
                     *         "description": "An example",
                     *         "role": "editor",
                     *         "created_at": "2026-11-21T12:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WorkspaceResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    WorkspaceService_CreateWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "slug": "example",
                 *       "description": "An example"
                 *     }
                 */
                "application/json": components["schemas"]["CreateWorkspaceRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "name": "Example",
                     *       "slug": "example",
                     *       "description": "An example",
                     *       "role": "editor",
                     *       "created_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    WorkspaceService_GetWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "name": "Example",
                     *       "slug": "example",
                     *       "description": "An example",
                     *       "role": "editor",
                     *       "created_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    WorkspaceService_DeleteWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    WorkspaceService_UpdateWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "description": "An example"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateWorkspaceRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "name": "Example",
                     *       "slug": "example",
                     *       "description": "An example",
                     *       "role": "editor",
                     *       "created_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    WorkspaceService_ListMembers: {
        parameters: {
            query?: {
                /** @description Returns only members whose name or e-mail address contains this text. At most 100 characters. */
                q?: string;
                /** @description The maximum number of members, 1 to 50. Defaults to 50. */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "user_id": "0d000000-0000-7000-8000-00000000000b",
                     *         "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *         "email": "bob@example.com",
                     *         "name": "Example",
                     *         "avatar_url": "https://example.com/bob.png",
                     *         "role": "editor",
                     *         "status": "active",
                     *         "joined_at": "2026-11-21T12:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WorkspaceMemberResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    WorkspaceService_InviteMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "bob@example.com",
                 *       "role": "editor"
                 *     }
                 */
                "application/json": components["schemas"]["InviteMemberRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "0d000000-0000-7000-8000-00000000000b",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "email": "bob@example.com",
                     *       "name": "Example",
                     *       "avatar_url": "https://example.com/bob.png",
                     *       "role": "editor",
                     *       "status": "active",
                     *       "joined_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceMemberResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    WorkspaceService_RemoveMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    WorkspaceService_UpdateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "editor"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateMemberRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "0d000000-0000-7000-8000-00000000000b",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "email": "bob@example.com",
                     *       "name": "Example",
                     *       "avatar_url": "https://example.com/bob.png",
                     *       "role": "editor",
                     *       "status": "active",
                     *       "joined_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceMemberResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    GroupService_ListGroups: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0d000000-0000-7000-8000-000000000010",
                     *         "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *         "name": "Example",
                     *         "description": "An example",
                     *         "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *         "created_at": "2026-11-21T12:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["GroupResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    GroupService_CreateGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "description": "An example"
                 *     }
                 */
                "application/json": components["schemas"]["GroupCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "name": "Example",
                     *       "description": "An example",
                     *       "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *       "created_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["GroupResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    GroupService_DeleteGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    GroupService_UpdateGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "description": "An example"
                 *     }
                 */
                "application/json": components["schemas"]["GroupUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "name": "Example",
                     *       "description": "An example",
                     *       "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *       "created_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["GroupResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    GroupService_AddGroupMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Acknowledgement"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    GroupService_RemoveGroupMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    GroupService_ListGroupMembers: {
        parameters: {
            query?: {
                /** @description Whether to include the members of all descendants. Defaults to `false`. */
                effective?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "user_id": "0d000000-0000-7000-8000-00000000000b",
                     *         "group_id": "0d000000-0000-7000-8000-000000000002",
                     *         "email": "bob@example.com",
                     *         "name": "Example",
                     *         "avatar_url": "https://example.com/bob.png",
                     *         "added_at": "2026-11-21T12:00:00.000Z",
                     *         "via": [
                     *           "via"
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["GroupMemberResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    GroupService_AddChildGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
                /**
                 * @description The ID of the child group.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                child_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Acknowledgement"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    GroupService_RemoveChildGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
                /**
                 * @description The ID of the child group.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                child_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    GroupService_ListChildGroups: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0d000000-0000-7000-8000-000000000010",
                     *         "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *         "name": "Example",
                     *         "description": "An example",
                     *         "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *         "created_at": "2026-11-21T12:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["GroupResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    UserService_GetMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "email": "bob@example.com",
                     *       "name": "Example",
                     *       "avatar_url": "https://example.com/bob.png",
                     *       "is_active": true,
                     *       "created_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["UserResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    UserService_UpdateMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "avatar_url": "https://example.com/bob.png"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateMeRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "email": "bob@example.com",
                     *       "name": "Example",
                     *       "avatar_url": "https://example.com/bob.png",
                     *       "is_active": true,
                     *       "created_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["UserResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    UserService_CheckMyPermissions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "checks": [
                 *         {
                 *           "service_name": "docs",
                 *           "resource_type": "document",
                 *           "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                 *           "action": "view"
                 *         }
                 *       ],
                 *       "workspace_id": "0d000000-0000-7000-8000-000000000001"
                 *     }
                 */
                "application/json": components["schemas"]["CheckMyPermissionsRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "service_name": "docs",
                     *           "resource_type": "document",
                     *           "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *           "action": "view",
                     *           "allowed": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PermissionCheckResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    UserService_ListMyAccessibleResources: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "service_name": "docs",
                 *       "resource_type": "document",
                 *       "action": "view",
                 *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                 *       "limit": 50
                 *     }
                 */
                "application/json": components["schemas"]["ListMyAccessibleResourcesRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resource_ids": [
                     *         "0d000000-0000-7000-8000-0000000000d2"
                     *       ],
                     *       "has_full_access": true,
                     *       "next_page_token": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccessibleResourcesResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    UserService_ListSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0d000000-0000-7000-8000-000000000010",
                     *         "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *         "provider": "google",
                     *         "user_agent": "Firefox",
                     *         "created_at": "2026-11-21T12:00:00.000Z",
                     *         "last_used_at": "2026-11-21T12:00:00.000Z",
                     *         "expires_at": "2026-11-21T12:00:00.000Z",
                     *         "current": true
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Session"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    UserService_EndOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    UserService_EndSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the session.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    UserService_ListAccounts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0d000000-0000-7000-8000-000000000010",
                     *         "provider": "google",
                     *         "email": "bob@example.com",
                     *         "linked_at": "2026-11-21T12:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["LinkedAccountResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    UserService_UnlinkAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the link.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_GetStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total_users": 1,
                     *       "active_users": 1,
                     *       "total_workspaces": 1,
                     *       "total_groups": 1,
                     *       "total_resources": 1,
                     *       "workspace_distribution": [
                     *         {
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "name": "Example",
                     *           "members": 3,
                     *           "groups": 1,
                     *           "resources": 3
                     *         }
                     *       ],
                     *       "recent_activity": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "action": "member.invited",
                     *           "target_type": "user",
                     *           "target_id": "0d000000-0000-7000-8000-00000000000b",
                     *           "actor_id": "0d000000-0000-7000-8000-00000000000a",
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "detail": {},
                     *           "created_at": "2026-11-21T12:00:00.000Z",
                     *           "service_app_id": "0d000000-0000-7000-8000-000000000010",
                     *           "key_prefix": "dk_c2Vj",
                     *           "request_id": "0d000000-0000-7000-8000-000000000010",
                     *           "ip": "ip"
                     *         }
                     *       ],
                     *       "signups_by_day": [
                     *         {
                     *           "day": "2026-11-21",
                     *           "count": 1
                     *         }
                     *       ],
                     *       "sign_ins_by_day": [
                     *         {
                     *           "day": "2026-11-21",
                     *           "count": 1
                     *         }
                     *       ],
                     *       "development_mode": true
                     *     }
                     */
                    "application/json": components["schemas"]["Stats"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListActivity: {
        parameters: {
            query?: {
                /** @description The maximum number of events, 1 to 200. Defaults to 50. */
                limit?: number;
                /** @description The `next_before` of the previous response. Absent for the first page. */
                before?: string;
                /** @description Returns only events with this action. */
                action?: "user.signed_in" | "user.sign_in_failed" | "admin.signed_in" | "admin.sign_in_failed" | "admin.access_refused" | "user.account_linked" | "user.account_unlinked" | "user.link_refused" | "user.signed_out" | "admin.signed_out" | "session.ended" | "session.revoked" | "session.browser_ended" | "session.refresh_token_reused" | "session.code_replayed" | "user.updated" | "user.renamed" | "user.activated" | "user.deactivated" | "user.promoted" | "user.demoted" | "user.erased" | "user.exported" | "import.executed" | "workspace.created" | "workspace.updated" | "workspace.deleted" | "member.invited" | "member.role_changed" | "member.removed" | "group.created" | "group.updated" | "group.deleted" | "group.member_added" | "group.members_added" | "group.member_removed" | "group.child_added" | "group.child_removed" | "role.created" | "role.updated" | "role.deleted" | "role.member_added" | "role.member_removed" | "role.action_added" | "role.action_removed" | "service_action.registered" | "service_action.updated" | "service_app.created" | "service_app.updated" | "service_app.activated" | "service_app.deactivated" | "service_app.key_rotated" | "service_app.ended_key_used" | "service_app.deleted" | "client_app.created" | "client_app.updated" | "client_app.secret_rotated" | "client_app.activated" | "client_app.deactivated" | "client_app.deleted" | "permission.visibility_changed" | "permission.owner_changed" | "permission.shared" | "permission.share_expired" | "permission.share_revoked" | "permission.parent_changed" | "permission.tree_unregistered" | "activity.pruned";
                /** @description Returns only events caused by this user. */
                actor_id?: string;
                /** @description Returns only events in this workspace. */
                workspace_id?: string;
                /** @description Returns only events with a target of this type. */
                target_type?: "user" | "session" | "import" | "workspace" | "group" | "role" | "service_action" | "service_app" | "client_app" | "permission" | "activity";
                /** @description Returns only events with this target. */
                target_id?: string;
                /** @description Returns only events at or after this time. */
                since?: string;
                /** @description Returns only events before this time. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "action": "member.invited",
                     *           "target_type": "user",
                     *           "target_id": "0d000000-0000-7000-8000-00000000000b",
                     *           "actor_id": "0d000000-0000-7000-8000-00000000000a",
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "detail": {},
                     *           "created_at": "2026-11-21T12:00:00.000Z",
                     *           "service_app_id": "0d000000-0000-7000-8000-000000000010",
                     *           "key_prefix": "dk_c2Vj",
                     *           "request_id": "0d000000-0000-7000-8000-000000000010",
                     *           "ip": "ip"
                     *         }
                     *       ],
                     *       "next_before": null
                     *     }
                     */
                    "application/json": components["schemas"]["ListActivityResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_LookUpNames: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         "0d000000-0000-7000-8000-000000000010"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["LookUpNamesRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "names": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "type": "type",
                     *           "name": "Example",
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LookUpNamesResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListUsers: {
        parameters: {
            query?: {
                /** @description The page number, starting at 1. Defaults to 1. */
                page?: number;
                /** @description The number of items per page, 1 to 100. Defaults to 20. */
                page_size?: number;
                /** @description Returns only users whose name or e-mail address contains this text. At most 100 characters. */
                q?: string;
                /** @description Returns only active users (`true`) or only deactivated users (`false`). */
                is_active?: boolean;
                /** @description Returns only administrators (`true`) or only other users (`false`). */
                is_admin?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "email": "bob@example.com",
                     *           "name": "Example",
                     *           "avatar_url": "https://example.com/bob.png",
                     *           "is_active": true,
                     *           "is_admin": false,
                     *           "created_at": "2026-11-21T12:00:00.000Z",
                     *           "last_sign_in_at": "2026-11-21T12:00:00.000Z",
                     *           "external_id": "bob"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "page_size": 20
                     *     }
                     */
                    "application/json": components["schemas"]["UserPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_GetUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "email": "bob@example.com",
                     *       "name": "Example",
                     *       "avatar_url": "https://example.com/bob.png",
                     *       "is_active": true,
                     *       "is_admin": false,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "last_sign_in_at": "2026-11-21T12:00:00.000Z",
                     *       "linked_accounts": [
                     *         {
                     *           "provider": "google",
                     *           "subject": "1042",
                     *           "email": "bob@example.com",
                     *           "linked_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "memberships": [
                     *         {
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "workspace_name": "Example",
                     *           "workspace_slug": "example",
                     *           "role": "editor",
                     *           "status": "active",
                     *           "joined_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "groups": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "name": "Example",
                     *           "description": "An example",
                     *           "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *           "created_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "roles": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "name": "Example",
                     *           "description": "An example",
                     *           "action_count": 1,
                     *           "member_count": 1,
                     *           "created_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "sessions": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "provider": "google",
                     *           "user_agent": "Firefox",
                     *           "created_at": "2026-11-21T12:00:00.000Z",
                     *           "last_used_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-21T12:00:00.000Z",
                     *           "current": true
                     *         }
                     *       ],
                     *       "external_id": "bob"
                     *     }
                     */
                    "application/json": components["schemas"]["UserDetail"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_DeleteUser: {
        parameters: {
            query?: {
                /** @description The ID of the user who receives the resources of the deleted user. They must be a member of every workspace that contains these resources. */
                transfer_to?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_UpdateUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "is_active": true,
                 *       "external_id": "bob"
                 *     }
                 */
                "application/json": components["schemas"]["UserUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "email": "bob@example.com",
                     *       "name": "Example",
                     *       "avatar_url": "https://example.com/bob.png",
                     *       "is_active": true,
                     *       "is_admin": false,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "last_sign_in_at": "2026-11-21T12:00:00.000Z",
                     *       "linked_accounts": [
                     *         {
                     *           "provider": "google",
                     *           "subject": "1042",
                     *           "email": "bob@example.com",
                     *           "linked_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "memberships": [
                     *         {
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "workspace_name": "Example",
                     *           "workspace_slug": "example",
                     *           "role": "editor",
                     *           "status": "active",
                     *           "joined_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "groups": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "name": "Example",
                     *           "description": "An example",
                     *           "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *           "created_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "roles": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "name": "Example",
                     *           "description": "An example",
                     *           "action_count": 1,
                     *           "member_count": 1,
                     *           "created_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "sessions": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "provider": "google",
                     *           "user_agent": "Firefox",
                     *           "created_at": "2026-11-21T12:00:00.000Z",
                     *           "last_used_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-21T12:00:00.000Z",
                     *           "current": true
                     *         }
                     *       ],
                     *       "external_id": "bob"
                     *     }
                     */
                    "application/json": components["schemas"]["UserDetail"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ExportUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "0d000000-0000-7000-8000-000000000010",
                     *         "email": "bob@example.com",
                     *         "name": "Example",
                     *         "avatar_url": "https://example.com/bob.png",
                     *         "is_active": true,
                     *         "is_admin": false,
                     *         "created_at": "2026-11-21T12:00:00.000Z",
                     *         "last_sign_in_at": "2026-11-21T12:00:00.000Z",
                     *         "linked_accounts": [
                     *           {
                     *             "provider": "google",
                     *             "subject": "1042",
                     *             "email": "bob@example.com",
                     *             "linked_at": "2026-11-21T12:00:00.000Z"
                     *           }
                     *         ],
                     *         "memberships": [
                     *           {
                     *             "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *             "workspace_name": "Example",
                     *             "workspace_slug": "example",
                     *             "role": "editor",
                     *             "status": "active",
                     *             "joined_at": "2026-11-21T12:00:00.000Z"
                     *           }
                     *         ],
                     *         "groups": [
                     *           {
                     *             "id": "0d000000-0000-7000-8000-000000000010",
                     *             "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *             "name": "Example",
                     *             "description": "An example",
                     *             "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *             "created_at": "2026-11-21T12:00:00.000Z"
                     *           }
                     *         ],
                     *         "roles": [
                     *           {
                     *             "id": "0d000000-0000-7000-8000-000000000010",
                     *             "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *             "name": "Example",
                     *             "description": "An example",
                     *             "action_count": 1,
                     *             "member_count": 1,
                     *             "created_at": "2026-11-21T12:00:00.000Z"
                     *           }
                     *         ],
                     *         "sessions": [
                     *           {
                     *             "id": "0d000000-0000-7000-8000-000000000010",
                     *             "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *             "provider": "google",
                     *             "user_agent": "Firefox",
                     *             "created_at": "2026-11-21T12:00:00.000Z",
                     *             "last_used_at": "2026-11-21T12:00:00.000Z",
                     *             "expires_at": "2026-11-21T12:00:00.000Z",
                     *             "current": true
                     *           }
                     *         ],
                     *         "external_id": "bob"
                     *       },
                     *       "resources": [
                     *         {
                     *           "permission_id": "0d000000-0000-7000-8000-000000000010",
                     *           "service_name": "docs",
                     *           "resource_type": "document",
                     *           "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "visibility": "workspace",
                     *           "created_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "shares": [
                     *         {
                     *           "permission_id": "0d000000-0000-7000-8000-000000000010",
                     *           "service_name": "docs",
                     *           "resource_type": "document",
                     *           "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "permission": "view",
                     *           "grantee_type": "user",
                     *           "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                     *           "granted_by": "0d000000-0000-7000-8000-00000000000a",
                     *           "granted_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "activity": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "action": "member.invited",
                     *           "target_type": "user",
                     *           "target_id": "0d000000-0000-7000-8000-00000000000b",
                     *           "actor_id": "0d000000-0000-7000-8000-00000000000a",
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "detail": {},
                     *           "created_at": "2026-11-21T12:00:00.000Z",
                     *           "service_app_id": "0d000000-0000-7000-8000-000000000010",
                     *           "key_prefix": "dk_c2Vj",
                     *           "request_id": "0d000000-0000-7000-8000-000000000010",
                     *           "ip": "ip"
                     *         }
                     *       ],
                     *       "exported_at": "2026-11-21T12:00:00.000Z",
                     *       "browser_sessions": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "provider": "google",
                     *           "authenticated_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["UserExport"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_EndUserSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_EndUserSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
                /**
                 * @description The ID of the session.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_AddUserToWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                 *       "role": "editor"
                 *     }
                 */
                "application/json": components["schemas"]["AddUserToWorkspaceRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "0d000000-0000-7000-8000-00000000000b",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "email": "bob@example.com",
                     *       "name": "Example",
                     *       "avatar_url": "https://example.com/bob.png",
                     *       "role": "editor",
                     *       "status": "active",
                     *       "joined_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceMemberResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListWorkspaces: {
        parameters: {
            query?: {
                /** @description The page number, starting at 1. Defaults to 1. */
                page?: number;
                /** @description The number of items per page, 1 to 100. Defaults to 20. */
                page_size?: number;
                /** @description Returns only workspaces whose name or slug contains this text. At most 100 characters. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "name": "Example",
                     *           "slug": "example",
                     *           "description": "An example",
                     *           "role": "editor",
                     *           "created_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "page_size": 20
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspacePage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_CreateWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "slug": "example",
                 *       "description": "An example"
                 *     }
                 */
                "application/json": components["schemas"]["CreateWorkspaceRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "name": "Example",
                     *       "slug": "example",
                     *       "description": "An example",
                     *       "role": "editor",
                     *       "created_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListAllWorkspaces: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0d000000-0000-7000-8000-000000000010",
                     *         "name": "Example",
                     *         "slug": "example"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WorkspaceChoice"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_GetWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "name": "Example",
                     *       "slug": "example",
                     *       "description": "An example",
                     *       "role": "editor",
                     *       "created_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_DeleteWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_UpdateWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "description": "An example"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateWorkspaceRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "name": "Example",
                     *       "slug": "example",
                     *       "description": "An example",
                     *       "role": "editor",
                     *       "created_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListMembers: {
        parameters: {
            query?: {
                /** @description Returns only members whose name or e-mail address contains this text. At most 100 characters. */
                q?: string;
                /** @description The maximum number of members, 1 to 50. Defaults to 50. */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "user_id": "0d000000-0000-7000-8000-00000000000b",
                     *         "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *         "email": "bob@example.com",
                     *         "name": "Example",
                     *         "avatar_url": "https://example.com/bob.png",
                     *         "role": "editor",
                     *         "status": "active",
                     *         "joined_at": "2026-11-21T12:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WorkspaceMemberResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_InviteMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "bob@example.com",
                 *       "role": "editor"
                 *     }
                 */
                "application/json": components["schemas"]["InviteMemberRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "0d000000-0000-7000-8000-00000000000b",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "email": "bob@example.com",
                     *       "name": "Example",
                     *       "avatar_url": "https://example.com/bob.png",
                     *       "role": "editor",
                     *       "status": "active",
                     *       "joined_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceMemberResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_RemoveMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_UpdateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "editor"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateMemberRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "0d000000-0000-7000-8000-00000000000b",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "email": "bob@example.com",
                     *       "name": "Example",
                     *       "avatar_url": "https://example.com/bob.png",
                     *       "role": "editor",
                     *       "status": "active",
                     *       "joined_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceMemberResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListGroups: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0d000000-0000-7000-8000-000000000010",
                     *         "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *         "name": "Example",
                     *         "description": "An example",
                     *         "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *         "created_at": "2026-11-21T12:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["GroupResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_CreateGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "description": "An example"
                 *     }
                 */
                "application/json": components["schemas"]["GroupCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "name": "Example",
                     *       "description": "An example",
                     *       "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *       "created_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["GroupResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_DeleteGroup: {
        parameters: {
            query?: {
                /** @description The ID of the workspace. */
                workspace_id?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_UpdateGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                 *       "name": "Example",
                 *       "description": "An example"
                 *     }
                 */
                "application/json": components["schemas"]["AdminGroupUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "name": "Example",
                     *       "description": "An example",
                     *       "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *       "created_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["GroupResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListGroupMembers: {
        parameters: {
            query?: {
                /** @description The ID of the workspace. */
                workspace_id?: string;
                /** @description Whether to include the members of all descendants. Defaults to `false`. */
                effective?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "user_id": "0d000000-0000-7000-8000-00000000000b",
                     *         "group_id": "0d000000-0000-7000-8000-000000000002",
                     *         "email": "bob@example.com",
                     *         "name": "Example",
                     *         "avatar_url": "https://example.com/bob.png",
                     *         "added_at": "2026-11-21T12:00:00.000Z",
                     *         "via": [
                     *           "via"
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["GroupMemberResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_AddGroupMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "workspace_id": "0d000000-0000-7000-8000-000000000001"
                 *     }
                 */
                "application/json": components["schemas"]["GroupMemberRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Acknowledgement"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_RemoveGroupMember: {
        parameters: {
            query?: {
                /** @description The ID of the workspace. */
                workspace_id?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_AddChildGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
                /**
                 * @description The ID of the child group.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                child_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "workspace_id": "0d000000-0000-7000-8000-000000000001"
                 *     }
                 */
                "application/json": components["schemas"]["ChildGroupRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Acknowledgement"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_RemoveChildGroup: {
        parameters: {
            query?: {
                /** @description The ID of the workspace. */
                workspace_id?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
                /**
                 * @description The ID of the child group.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                child_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListChildGroups: {
        parameters: {
            query?: {
                /** @description The ID of the workspace. */
                workspace_id?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The ID of the group.
                 * @example 0d000000-0000-7000-8000-000000000002
                 */
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0d000000-0000-7000-8000-000000000010",
                     *         "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *         "name": "Example",
                     *         "description": "An example",
                     *         "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *         "created_at": "2026-11-21T12:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["GroupResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListPermissions: {
        parameters: {
            query?: {
                /** @description The page number, starting at 1. Defaults to 1. */
                page?: number;
                /** @description The number of items per page, 1 to 100. Defaults to 20. */
                page_size?: number;
                /** @description Returns only resources in this workspace. */
                workspace_id?: string;
                /** @description Returns only resources of this service. */
                service_name?: string;
                /** @description Returns only resources of this type. */
                resource_type?: string;
                /** @description Returns only resources with this ID. There is at most one per service and type. */
                resource_id?: string;
                /** @description Returns only resources that this user owns. */
                owner_id?: string;
                /** @description Returns only resources with this visibility, `private` or `workspace`. */
                visibility?: "private" | "workspace";
                /** @description Returns only resources that are shared directly with this user or group. */
                grantee_id?: string;
                /** @description Returns only resources with this ID in their service: an `external_id` or a UUID. There is at most one per service and type. */
                external_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "service_name": "docs",
                     *           "resource_type": "document",
                     *           "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *           "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *           "owner_id": "0d000000-0000-7000-8000-00000000000a",
                     *           "visibility": "workspace",
                     *           "created_at": "2026-11-21T12:00:00.000Z",
                     *           "share_count": 1,
                     *           "external_id": "guide-2",
                     *           "parent": null,
                     *           "inherits": true
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "page_size": 20
                     *     }
                     */
                    "application/json": components["schemas"]["PermissionPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_GetPermission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the permission record.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                permission_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "service_name": "docs",
                     *       "resource_type": "document",
                     *       "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "owner_id": "0d000000-0000-7000-8000-00000000000a",
                     *       "visibility": "workspace",
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "shares": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "grantee_type": "user",
                     *           "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                     *           "permission": "view",
                     *           "granted_by": "0d000000-0000-7000-8000-00000000000a",
                     *           "granted_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "external_id": "guide-2",
                     *       "parent": null,
                     *       "inherits": true
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePermissionResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ExplainPermission: {
        parameters: {
            query: {
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
                /**
                 * @description `view`, `edit`, `manage` or an action that the service of the resource has registered.
                 * @example view
                 */
                action: string;
            };
            header?: never;
            path: {
                /**
                 * @description The ID of the permission record.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                permission_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "decision": true,
                     *       "reasons": [
                     *         {
                     *           "rule": "rule",
                     *           "permission": "view",
                     *           "role": "editor",
                     *           "group_id": "0d000000-0000-7000-8000-000000000002",
                     *           "via": [
                     *             "via"
                     *           ],
                     *           "share_id": "0d000000-0000-7000-8000-000000000010",
                     *           "expires_at": "2026-11-21T12:00:00.000Z",
                     *           "inherited_from": {
                     *             "permission_id": "0d000000-0000-7000-8000-000000000010",
                     *             "resource_type": "document",
                     *             "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *             "external_id": "bob"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PermissionExplanation"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListPermissionSubjects: {
        parameters: {
            query?: {
                /** @description `view`, `edit`, `manage` or an action that the service of the resource has registered. Defaults to `view`. */
                action?: string;
                /** @description The maximum number of users, 1 to 100. Defaults to 20. */
                page_size?: number;
                /** @description The `next_page_token` of the previous response. Absent for the first page. */
                page_token?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The ID of the permission record.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                permission_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "user_id": "0d000000-0000-7000-8000-00000000000b",
                     *           "email": "bob@example.com",
                     *           "name": "Example",
                     *           "reasons": [
                     *             {
                     *               "rule": "rule",
                     *               "permission": "view",
                     *               "role": "editor",
                     *               "group_id": "0d000000-0000-7000-8000-000000000002",
                     *               "via": [
                     *                 "via"
                     *               ],
                     *               "share_id": "0d000000-0000-7000-8000-000000000010",
                     *               "expires_at": "2026-11-21T12:00:00.000Z",
                     *               "inherited_from": {
                     *                 "permission_id": "0d000000-0000-7000-8000-000000000010",
                     *                 "resource_type": "document",
                     *                 "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *                 "external_id": "bob"
                     *               }
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "next_page_token": null
                     *     }
                     */
                    "application/json": components["schemas"]["PermissionSubjectPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_UpdateVisibility: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the permission record.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                permission_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "visibility": "workspace"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateVisibilityRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "service_name": "docs",
                     *       "resource_type": "document",
                     *       "resource_id": "0d000000-0000-7000-8000-0000000000d2",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "owner_id": "0d000000-0000-7000-8000-00000000000a",
                     *       "visibility": "workspace",
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "shares": [
                     *         {
                     *           "id": "0d000000-0000-7000-8000-000000000010",
                     *           "grantee_type": "user",
                     *           "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                     *           "permission": "view",
                     *           "granted_by": "0d000000-0000-7000-8000-00000000000a",
                     *           "granted_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "external_id": "guide-2",
                     *       "parent": null,
                     *       "inherits": true
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePermissionResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_Share: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the permission record.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                permission_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grantee_type": "user",
                 *       "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                 *       "permission": "view",
                 *       "expires_at": "2026-11-21T12:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["ShareRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "grantee_type": "user",
                     *       "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                     *       "permission": "view",
                     *       "granted_by": "0d000000-0000-7000-8000-00000000000a",
                     *       "granted_at": "2026-11-21T12:00:00.000Z",
                     *       "expires_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ShareResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_RevokeShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the permission record.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                permission_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grantee_type": "user",
                 *       "grantee_id": "0d000000-0000-7000-8000-00000000000b",
                 *       "permission": "view",
                 *       "expires_at": "2026-11-21T12:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["ShareRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Acknowledgement"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListServiceActions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "service_name": "docs",
                     *         "actions": [
                     *           {
                     *             "id": "0d000000-0000-7000-8000-000000000010",
                     *             "name": "Example",
                     *             "description": "An example",
                     *             "registered_at": "2026-11-21T12:00:00.000Z"
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ServiceActions"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListRoles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0d000000-0000-7000-8000-000000000010",
                     *         "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *         "name": "Example",
                     *         "description": "An example",
                     *         "action_count": 1,
                     *         "member_count": 1,
                     *         "created_at": "2026-11-21T12:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["RoleResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_CreateRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the workspace.
                 * @example 0d000000-0000-7000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "description": "An example"
                 *     }
                 */
                "application/json": components["schemas"]["RoleCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "name": "Example",
                     *       "description": "An example",
                     *       "action_count": 1,
                     *       "member_count": 1,
                     *       "created_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["RoleResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_DeleteRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the custom role.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_UpdateRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the custom role.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "description": "An example"
                 *     }
                 */
                "application/json": components["schemas"]["RoleUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "name": "Example",
                     *       "description": "An example",
                     *       "action_count": 1,
                     *       "member_count": 1,
                     *       "created_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["RoleResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListRoleActions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the custom role.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0d000000-0000-7000-8000-000000000010",
                     *         "service_name": "docs",
                     *         "name": "Example",
                     *         "description": "An example",
                     *         "registered_at": "2026-11-21T12:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["RoleActionResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_AddRoleActions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the custom role.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                role_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "service_action_ids": [
                 *         "0d000000-0000-7000-8000-000000000010"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AddRoleActionsRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Acknowledgement"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_RemoveRoleAction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the custom role.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                role_id: string;
                /**
                 * @description The ID of the action.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                service_action_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListRoleMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the custom role.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "user_id": "0d000000-0000-7000-8000-00000000000b",
                     *         "role_id": "0d000000-0000-7000-8000-000000000010",
                     *         "email": "bob@example.com",
                     *         "name": "Example",
                     *         "avatar_url": "https://example.com/bob.png",
                     *         "added_at": "2026-11-21T12:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["RoleMemberResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_AddRoleMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the custom role.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                role_id: string;
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Acknowledgement"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_RemoveRoleMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the custom role.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                role_id: string;
                /**
                 * @description The ID of the user.
                 * @example 0d000000-0000-7000-8000-00000000000b
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListServiceApps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0d000000-0000-7000-8000-000000000010",
                     *         "name": "Example",
                     *         "service_name": "docs",
                     *         "key_prefix": "dk_c2Vj",
                     *         "is_active": true,
                     *         "last_used_at": "2026-11-21T12:00:00.000Z",
                     *         "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *         "created_at": "2026-11-21T12:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ServiceAppResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_CreateServiceApp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "service_name": "docs"
                 *     }
                 */
                "application/json": components["schemas"]["ServiceAppCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "name": "Example",
                     *       "service_name": "docs",
                     *       "key_prefix": "dk_c2Vj",
                     *       "is_active": true,
                     *       "last_used_at": "2026-11-21T12:00:00.000Z",
                     *       "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "key": "dk_c2VjcmV0"
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceAppKeyResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_DeleteServiceApp: {
        parameters: {
            query?: {
                /** @description Must be `true` to delete the last active service app. */
                force?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The ID of the service app.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                service_app_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_UpdateServiceApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the service app.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                service_app_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "is_active": true,
                 *       "force": true
                 *     }
                 */
                "application/json": components["schemas"]["ServiceAppUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "name": "Example",
                     *       "service_name": "docs",
                     *       "key_prefix": "dk_c2Vj",
                     *       "is_active": true,
                     *       "last_used_at": "2026-11-21T12:00:00.000Z",
                     *       "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *       "created_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceAppResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_RotateServiceApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the service app.
                 * @example 0d000000-0000-7000-8000-000000000010
                 */
                service_app_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlap_seconds": 86400
                 *     }
                 */
                "application/json": components["schemas"]["ServiceAppRotateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "name": "Example",
                     *       "service_name": "docs",
                     *       "key_prefix": "dk_c2Vj",
                     *       "is_active": true,
                     *       "last_used_at": "2026-11-21T12:00:00.000Z",
                     *       "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "key": "dk_c2VjcmV0"
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceAppKeyResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListClientApps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0d000000-0000-7000-8000-000000000010",
                     *         "name": "Example",
                     *         "redirect_uris": [
                     *           "https://app.example.com/callback"
                     *         ],
                     *         "is_active": true,
                     *         "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *         "created_at": "2026-11-21T12:00:00.000Z",
                     *         "type": "type",
                     *         "post_logout_redirect_uris": [
                     *           "post logout redirect uris"
                     *         ],
                     *         "backchannel_logout_uri": "backchannel logout uri",
                     *         "secret_prefix": "secret prefix",
                     *         "client_secret": "client secret"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ClientAppResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_CreateClientApp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "redirect_uris": [
                 *         "https://app.example.com/callback"
                 *       ],
                 *       "type": "public",
                 *       "post_logout_redirect_uris": [
                 *         "post logout redirect uris"
                 *       ],
                 *       "backchannel_logout_uri": "backchannel logout uri"
                 *     }
                 */
                "application/json": components["schemas"]["ClientAppCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "name": "Example",
                     *       "redirect_uris": [
                     *         "https://app.example.com/callback"
                     *       ],
                     *       "is_active": true,
                     *       "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "type": "type",
                     *       "post_logout_redirect_uris": [
                     *         "post logout redirect uris"
                     *       ],
                     *       "backchannel_logout_uri": "backchannel logout uri",
                     *       "secret_prefix": "secret prefix",
                     *       "client_secret": "client secret"
                     *     }
                     */
                    "application/json": components["schemas"]["ClientAppResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_DeleteClientApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the client app.
                 * @example 0d000000-0000-7000-8000-000000000003
                 */
                client_app_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, no content */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_UpdateClientApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the client app.
                 * @example 0d000000-0000-7000-8000-000000000003
                 */
                client_app_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "redirect_uris": [
                 *         "https://app.example.com/callback"
                 *       ],
                 *       "is_active": true,
                 *       "type": "public",
                 *       "post_logout_redirect_uris": [
                 *         "post logout redirect uris"
                 *       ],
                 *       "remove_post_logout_redirect_uris": true,
                 *       "backchannel_logout_uri": "backchannel logout uri"
                 *     }
                 */
                "application/json": components["schemas"]["ClientAppUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "name": "Example",
                     *       "redirect_uris": [
                     *         "https://app.example.com/callback"
                     *       ],
                     *       "is_active": true,
                     *       "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "type": "type",
                     *       "post_logout_redirect_uris": [
                     *         "post logout redirect uris"
                     *       ],
                     *       "backchannel_logout_uri": "backchannel logout uri",
                     *       "secret_prefix": "secret prefix",
                     *       "client_secret": "client secret"
                     *     }
                     */
                    "application/json": components["schemas"]["ClientAppResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_RotateClientApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the client app.
                 * @example 0d000000-0000-7000-8000-000000000003
                 */
                client_app_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlap_seconds": 86400
                 *     }
                 */
                "application/json": components["schemas"]["ClientAppRotateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "name": "Example",
                     *       "redirect_uris": [
                     *         "https://app.example.com/callback"
                     *       ],
                     *       "is_active": true,
                     *       "created_by": "0d000000-0000-7000-8000-00000000000a",
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "type": "type",
                     *       "post_logout_redirect_uris": [
                     *         "post logout redirect uris"
                     *       ],
                     *       "backchannel_logout_uri": "backchannel logout uri",
                     *       "secret_prefix": "secret prefix",
                     *       "client_secret": "client secret"
                     *     }
                     */
                    "application/json": components["schemas"]["ClientAppResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_PreviewCsvImport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "csv": "email,workspace_slug,role\nbob@example.com,example,editor\n"
                 *     }
                 */
                "application/json": components["schemas"]["CsvImportRequest"];
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description UTF-8 text of at most 5242880 bytes
                     */
                    file: string;
                };
                /**
                 * @example email,workspace_slug,role
                 *     bob@example.com,example,editor
                 */
                "text/csv": string;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "columns": [
                     *         "email"
                     *       ],
                     *       "summary": {
                     *         "rows": 1,
                     *         "create": 1,
                     *         "update": 0,
                     *         "unchanged": 0,
                     *         "errors": 0
                     *       },
                     *       "rows": [
                     *         {
                     *           "line": 2,
                     *           "email": "bob@example.com",
                     *           "action": "create",
                     *           "changes": [
                     *             {
                     *               "field": "role",
                     *               "from": "viewer",
                     *               "to": "editor"
                     *             }
                     *           ],
                     *           "errors": []
                     *         }
                     *       ],
                     *       "omitted": 0
                     *     }
                     */
                    "application/json": components["schemas"]["CsvImportReport"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ExecuteCsvImport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "csv": "email,workspace_slug,role\nbob@example.com,example,editor\n"
                 *     }
                 */
                "application/json": components["schemas"]["CsvImportRequest"];
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description UTF-8 text of at most 5242880 bytes
                     */
                    file: string;
                };
                /**
                 * @example email,workspace_slug,role
                 *     bob@example.com,example,editor
                 */
                "text/csv": string;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "columns": [
                     *         "email"
                     *       ],
                     *       "summary": {
                     *         "rows": 1,
                     *         "create": 1,
                     *         "update": 0,
                     *         "unchanged": 0,
                     *         "errors": 0
                     *       },
                     *       "rows": [
                     *         {
                     *           "line": 2,
                     *           "email": "bob@example.com",
                     *           "action": "create",
                     *           "changes": [
                     *             {
                     *               "field": "role",
                     *               "from": "viewer",
                     *               "to": "editor"
                     *             }
                     *           ],
                     *           "errors": []
                     *         }
                     *       ],
                     *       "omitted": 0
                     *     }
                     */
                    "application/json": components["schemas"]["CsvImportReport"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AuthService_BeginLogin: {
        parameters: {
            query: {
                /**
                 * @description A redirect URI of an active client app. It must match exactly.
                 * @example https://app.example.com/callback
                 */
                redirect_uri: string;
                /**
                 * @description The SHA-256 hash of the code verifier, in base64url (RFC 7636, section 4.2).
                 * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
                 */
                code_challenge: string;
                /**
                 * @description Must be `S256`.
                 * @example S256
                 */
                code_challenge_method: "S256";
                /** @description An opaque value, at most 512 characters, returned in the redirect to the client app. */
                state?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `google`, `microsoft` or `github`.
                 * @example google
                 */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirect */
            302: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location?: string;
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AuthService_CompleteLogin: {
        parameters: {
            query?: {
                /** @description The `state` that was sent to the provider. */
                state?: string;
                /** @description The authorization code that the provider issued. */
                code?: string;
                /** @description The error that the provider reported. */
                error?: string;
                /** @description The description of the error. */
                error_description?: string;
                /** @description The issuer of the authorization response (RFC 9207). */
                iss?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `google`, `microsoft` or `github`.
                 * @example google
                 */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirect */
            302: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location?: string;
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AuthService_ListCodeWorkspaces: {
        parameters: {
            query: {
                /**
                 * @description The authorization code.
                 * @example c2VjcmV0-bWFkZS1vZi0zMi1yYW5kb20tYnl0ZXMtaGVyZQ
                 */
                code: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0d000000-0000-7000-8000-000000000010",
                     *         "name": "Example",
                     *         "slug": "example",
                     *         "role": "editor"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["CodeWorkspace"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AuthService_ExchangeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "c2VjcmV0-bWFkZS1vZi0zMi1yYW5kb20tYnl0ZXMtaGVyZQ",
                 *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                 *       "code_verifier": "c2VjcmV0-bWFkZS1vZi0zMi1yYW5kb20tYnl0ZXMtaGVyZQ"
                 *     }
                 */
                "application/json": components["schemas"]["ExchangeTokenRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                     *       "refresh_token": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900,
                     *       "refresh_expires_in": 604800,
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AuthService_RefreshToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln"
                 *     }
                 */
                "application/json": components["schemas"]["RefreshTokenRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                     *       "refresh_token": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900,
                     *       "refresh_expires_in": 604800,
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AuthService_SwitchWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                 *       "workspace_id": "0d000000-0000-7000-8000-000000000001"
                 *     }
                 */
                "application/json": components["schemas"]["SwitchWorkspaceRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                     *       "refresh_token": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900,
                     *       "refresh_expires_in": 604800,
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AuthService_Logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Acknowledgement"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AuthService_BeginAdminLogin: {
        parameters: {
            query?: {
                /** @description The path and query of the admin console page to return to, for example `/people?q=ann`. Must start with exactly one slash. Defaults to the start page. */
                return_to?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `google`, `microsoft` or `github`.
                 * @example google
                 */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirect */
            302: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location?: string;
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AuthService_CompleteAdminLogin: {
        parameters: {
            query?: {
                /** @description The `state` that was sent to the provider. */
                state?: string;
                /** @description The authorization code that the provider issued. */
                code?: string;
                /** @description The error that the provider reported. */
                error?: string;
                /** @description The description of the error. */
                error_description?: string;
                /** @description The issuer of the authorization response (RFC 9207). */
                iss?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `google`, `microsoft` or `github`.
                 * @example google
                 */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirect */
            302: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location?: string;
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AuthService_AdminLogout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminLogoutResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AuthService_GetAdminMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0d000000-0000-7000-8000-000000000010",
                     *       "email": "bob@example.com",
                     *       "name": "Example",
                     *       "avatar_url": "https://example.com/bob.png",
                     *       "is_admin": true
                     *     }
                     */
                    "application/json": components["schemas"]["AdminMe"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AuthService_GetKeySet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kty": "RSA",
                     *           "use": "sig",
                     *           "alg": "RS256",
                     *           "kid": "c2VjcmV0-bWFkZS1vZi0zMi1yYW5kb20tYnl0ZXMtaGVyZQ",
                     *           "n": "c2VjcmV0-bWFkZS1vZi0zMi1yYW5kb20tYnl0ZXMtaGVyZQ",
                     *           "e": "AQAB"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["KeySet"];
                };
            };
            400: components["responses"]["400"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            default: components["responses"]["default"];
        };
    };
    AuthService_GetConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "issuer": "https://auth.example.com",
                     *       "jwks_uri": "https://auth.example.com/.well-known/jwks.json",
                     *       "token_endpoint": "https://auth.example.com/auth/token",
                     *       "response_types_supported": [
                     *         "code"
                     *       ],
                     *       "subject_types_supported": [
                     *         "public"
                     *       ],
                     *       "id_token_signing_alg_values_supported": [
                     *         "RS256"
                     *       ],
                     *       "code_challenge_methods_supported": [
                     *         "S256"
                     *       ],
                     *       "token_endpoint_auth_methods_supported": [
                     *         "none"
                     *       ],
                     *       "claims_supported": [
                     *         "sub"
                     *       ],
                     *       "authorization_endpoint": "authorization endpoint",
                     *       "userinfo_endpoint": "userinfo endpoint",
                     *       "revocation_endpoint": "revocation endpoint",
                     *       "introspection_endpoint": "introspection endpoint",
                     *       "end_session_endpoint": "end session endpoint",
                     *       "scopes_supported": [
                     *         "scopes supported"
                     *       ],
                     *       "response_modes_supported": [
                     *         "response modes supported"
                     *       ],
                     *       "grant_types_supported": [
                     *         "grant types supported"
                     *       ],
                     *       "prompt_values_supported": [
                     *         "prompt values supported"
                     *       ],
                     *       "revocation_endpoint_auth_methods_supported": [
                     *         "revocation endpoint auth methods supported"
                     *       ],
                     *       "authorization_response_iss_parameter_supported": true,
                     *       "backchannel_logout_supported": true,
                     *       "backchannel_logout_session_supported": true,
                     *       "claims_parameter_supported": true,
                     *       "request_parameter_supported": true,
                     *       "request_uri_parameter_supported": true
                     *     }
                     */
                    "application/json": components["schemas"]["Configuration"];
                };
            };
            400: components["responses"]["400"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            default: components["responses"]["default"];
        };
    };
    AuthService_GetConfiguration_get_oauth_authorization_server: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "issuer": "https://auth.example.com",
                     *       "jwks_uri": "https://auth.example.com/.well-known/jwks.json",
                     *       "token_endpoint": "https://auth.example.com/auth/token",
                     *       "response_types_supported": [
                     *         "code"
                     *       ],
                     *       "subject_types_supported": [
                     *         "public"
                     *       ],
                     *       "id_token_signing_alg_values_supported": [
                     *         "RS256"
                     *       ],
                     *       "code_challenge_methods_supported": [
                     *         "S256"
                     *       ],
                     *       "token_endpoint_auth_methods_supported": [
                     *         "none"
                     *       ],
                     *       "claims_supported": [
                     *         "sub"
                     *       ],
                     *       "authorization_endpoint": "authorization endpoint",
                     *       "userinfo_endpoint": "userinfo endpoint",
                     *       "revocation_endpoint": "revocation endpoint",
                     *       "introspection_endpoint": "introspection endpoint",
                     *       "end_session_endpoint": "end session endpoint",
                     *       "scopes_supported": [
                     *         "scopes supported"
                     *       ],
                     *       "response_modes_supported": [
                     *         "response modes supported"
                     *       ],
                     *       "grant_types_supported": [
                     *         "grant types supported"
                     *       ],
                     *       "prompt_values_supported": [
                     *         "prompt values supported"
                     *       ],
                     *       "revocation_endpoint_auth_methods_supported": [
                     *         "revocation endpoint auth methods supported"
                     *       ],
                     *       "authorization_response_iss_parameter_supported": true,
                     *       "backchannel_logout_supported": true,
                     *       "backchannel_logout_session_supported": true,
                     *       "claims_parameter_supported": true,
                     *       "request_parameter_supported": true,
                     *       "request_uri_parameter_supported": true
                     *     }
                     */
                    "application/json": components["schemas"]["Configuration"];
                };
            };
            400: components["responses"]["400"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            default: components["responses"]["default"];
        };
    };
    OAuthService_Authorize: {
        parameters: {
            query?: {
                /** @description The ID of an active client app. Required. */
                client_id?: string;
                /** @description A redirect URI of the client app. Required; it must match exactly. */
                redirect_uri?: string;
                /** @description Must be `code`. */
                response_type?: string;
                /** @description The requested scopes, separated by spaces: `openid`, `profile`, `email` and `offline_access`. Others are ignored. */
                scope?: string;
                /** @description An opaque value, at most 1,024 characters, returned in the redirect to the client app. */
                state?: string;
                /** @description An opaque value, at most 512 characters, included in the ID token. */
                nonce?: string;
                /** @description The SHA-256 hash of the code verifier, in base64url (RFC 7636, section 4.2). Required. */
                code_challenge?: string;
                /** @description Must be `S256`. */
                code_challenge_method?: string;
                /** @description `none`, `login` or `select_account`. `consent` is accepted but has no effect. */
                prompt?: string;
                /** @description The maximum time since the last sign-in, in seconds. The user must sign in again if more time has passed. */
                max_age?: string;
                /** @description The e-mail address of the user, passed to the identity provider. */
                login_hint?: string;
                /** @description Passed to the identity provider. */
                acr_values?: string;
                /** @description An ID token of the expected user. If another user is signed in to the browser, a new sign-in is required. */
                id_token_hint?: string;
                /** @description Must be `query` (default). */
                response_mode?: string;
                /** @description The ID or slug of a workspace. If absent, a user with several workspaces chooses one. */
                workspace?: string;
                /** @description The identity provider: `google`, `microsoft` or `github`. If absent and several are configured, the user chooses one. */
                provider?: string;
                /** @description Not supported: returns `request_not_supported`. */
                request?: string;
                /** @description Not supported: returns `request_uri_not_supported`. */
                request_uri?: string;
                /** @description Not supported: returns `registration_not_supported`. */
                registration?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page for the user */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Redirect */
            302: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location?: string;
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request or the grant is not valid */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_request",
                     *       "error_description": "The request or the grant is not valid"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The database is not available */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "The database is not available"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "server_error",
                     *       "error_description": "Any other error"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    OAuthService_Authorize_post_authorize: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "client_id": "0d000000-0000-7000-8000-000000000003",
                 *       "redirect_uri": "https://app.example.com/callback",
                 *       "response_type": "code",
                 *       "scope": "openid email",
                 *       "state": "c2VjcmV0-bWFkZS1vZi0zMi1yYW5kb20tYnl0ZXMtaGVyZQ",
                 *       "nonce": "c2VjcmV0-bWFkZS1vZi0zMi1yYW5kb20tYnl0ZXMtaGVyZQ",
                 *       "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
                 *       "code_challenge_method": "S256",
                 *       "prompt": "login",
                 *       "max_age": "3600",
                 *       "login_hint": "bob@example.com",
                 *       "acr_values": "acr values",
                 *       "id_token_hint": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                 *       "response_mode": "query",
                 *       "workspace": "demo",
                 *       "provider": "google",
                 *       "request": "request",
                 *       "request_uri": "request uri",
                 *       "registration": "registration"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["AuthorizeRequest"];
            };
        };
        responses: {
            /** @description A page for the user */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Redirect */
            302: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location?: string;
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request or the grant is not valid */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_request",
                     *       "error_description": "The request or the grant is not valid"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The database is not available */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "The database is not available"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "server_error",
                     *       "error_description": "Any other error"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    OAuthService_IssueToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "authorization_code",
                 *       "code": "c2VjcmV0-bWFkZS1vZi0zMi1yYW5kb20tYnl0ZXMtaGVyZQ",
                 *       "redirect_uri": "https://app.example.com/callback",
                 *       "code_verifier": "c2VjcmV0-bWFkZS1vZi0zMi1yYW5kb20tYnl0ZXMtaGVyZQ",
                 *       "refresh_token": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                 *       "scope": "openid email",
                 *       "client_id": "0d000000-0000-7000-8000-000000000003",
                 *       "client_secret": "client secret",
                 *       "workspace_id": "0d000000-0000-7000-8000-000000000001"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["OAuthTokenRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900,
                     *       "refresh_token": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                     *       "refresh_expires_in": 604800,
                     *       "scope": "openid email",
                     *       "workspace_id": "0d000000-0000-7000-8000-000000000001",
                     *       "id_token": "id token"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthTokenResponse"];
                };
            };
            /** @description The request or the grant is not valid */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_request",
                     *       "error_description": "The request or the grant is not valid"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The credentials are not valid */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_client",
                     *       "error_description": "The credentials are not valid"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The database is not available */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "The database is not available"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "server_error",
                     *       "error_description": "Any other error"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    OAuthService_GetUserInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sub": "sub",
                     *       "name": "Example",
                     *       "picture": "picture",
                     *       "email": "bob@example.com",
                     *       "email_verified": true,
                     *       "wid": "wid",
                     *       "wslug": "wslug",
                     *       "wrole": "wrole"
                     *     }
                     */
                    "application/json": components["schemas"]["UserInfo"];
                };
            };
            /** @description The request or the grant is not valid */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_request",
                     *       "error_description": "The request or the grant is not valid"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The credentials are not valid */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_token",
                     *       "error_description": "The credentials are not valid"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The scope of the token is too narrow */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "insufficient_scope",
                     *       "error_description": "The scope of the token is too narrow"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The database is not available */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "The database is not available"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "server_error",
                     *       "error_description": "Any other error"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    OAuthService_GetUserInfo_post_userinfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sub": "sub",
                     *       "name": "Example",
                     *       "picture": "picture",
                     *       "email": "bob@example.com",
                     *       "email_verified": true,
                     *       "wid": "wid",
                     *       "wslug": "wslug",
                     *       "wrole": "wrole"
                     *     }
                     */
                    "application/json": components["schemas"]["UserInfo"];
                };
            };
            /** @description The request or the grant is not valid */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_request",
                     *       "error_description": "The request or the grant is not valid"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The credentials are not valid */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_token",
                     *       "error_description": "The credentials are not valid"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The scope of the token is too narrow */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "insufficient_scope",
                     *       "error_description": "The scope of the token is too narrow"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The database is not available */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "The database is not available"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "server_error",
                     *       "error_description": "Any other error"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    OAuthService_RevokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "token": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                 *       "token_type_hint": "refresh_token",
                 *       "client_id": "0d000000-0000-7000-8000-000000000003",
                 *       "client_secret": "client secret"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["RevokeTokenRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": components["schemas"]["RevokeTokenResponse"];
                };
            };
            /** @description The request or the grant is not valid */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_request",
                     *       "error_description": "The request or the grant is not valid"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The credentials are not valid */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_client",
                     *       "error_description": "The credentials are not valid"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The database is not available */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "The database is not available"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "server_error",
                     *       "error_description": "Any other error"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    OAuthService_IntrospectToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "token": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                 *       "token_type_hint": "refresh_token"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["IntrospectTokenRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": true,
                     *       "scope": "openid email",
                     *       "client_id": "0d000000-0000-7000-8000-000000000003",
                     *       "username": "username",
                     *       "token_type": "Bearer",
                     *       "exp": 1,
                     *       "iat": 1,
                     *       "sub": "sub",
                     *       "aud": "aud",
                     *       "iss": "iss",
                     *       "jti": "jti",
                     *       "wid": "wid",
                     *       "wrole": "wrole"
                     *     }
                     */
                    "application/json": components["schemas"]["TokenIntrospection"];
                };
            };
            /** @description The request or the grant is not valid */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_request",
                     *       "error_description": "The request or the grant is not valid"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The credentials are not valid */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_token",
                     *       "error_description": "The credentials are not valid"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The database is not available */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "The database is not available"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "server_error",
                     *       "error_description": "Any other error"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    OAuthService_EndBrowserSession: {
        parameters: {
            query?: {
                /** @description An ID token of the session to end. It can be expired. */
                id_token_hint?: string;
                /** @description The ID of the client app. Required for a redirect without an ID token; with one, it must match the token. */
                client_id?: string;
                /** @description A post-logout redirect URI of the client app. It must match exactly. */
                post_logout_redirect_uri?: string;
                /** @description An opaque value returned in the redirect. */
                state?: string;
                /** @description Proves that the user confirmed the sign-out. Set by the confirmation page. */
                confirmation?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page for the user */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Redirect */
            302: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location?: string;
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request or the grant is not valid */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_request",
                     *       "error_description": "The request or the grant is not valid"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The database is not available */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "The database is not available"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "server_error",
                     *       "error_description": "Any other error"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    OAuthService_EndBrowserSession_post_logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "id_token_hint": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                 *       "client_id": "0d000000-0000-7000-8000-000000000003",
                 *       "post_logout_redirect_uri": "https://app.example.com/",
                 *       "state": "c2VjcmV0-bWFkZS1vZi0zMi1yYW5kb20tYnl0ZXMtaGVyZQ",
                 *       "confirmation": "confirmation"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["EndBrowserSessionRequest"];
            };
        };
        responses: {
            /** @description A page for the user */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Redirect */
            302: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location?: string;
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request or the grant is not valid */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_request",
                     *       "error_description": "The request or the grant is not valid"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The database is not available */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "temporarily_unavailable",
                     *       "error_description": "The database is not available"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "server_error",
                     *       "error_description": "Any other error"
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
}
