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
    "/permissions/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answers whether the token's user may do each action, in the order asked. */
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
         * Lists the resources of one type that the token's user may do the action with.
         * @description Requires role `viewer` or higher.
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
         * Grants a user or a group of the workspace view or edit; again with another permission replaces it.
         * @description Requires role `viewer` or higher.
         */
        post: operations["PermissionService_Share"];
        /** Takes a share back; `permission` is asked for but not looked at (specification 4.1, rule 6). */
        delete: operations["PermissionService_RevokeShare"];
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
        /** Makes a resource known; the owning service calls it when the resource is created. Idempotent. */
        post: operations["PermissionService_Register"];
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
        /** Opens a resource to its workspace, or closes it again. */
        patch: operations["PermissionService_UpdateVisibility"];
        trace?: never;
    };
    "/permissions/resource/{service_name}/{resource_type}/{resource_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Answers a resource's record with all its shares. */
        get: operations["PermissionService_GetResource"];
        put?: never;
        post?: never;
        delete?: never;
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
        /** Forgets a resource and its shares; the owning service calls it when the resource is deleted. */
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
         * Lists the actions of a service that custom roles give the token's user.
         * @description Requires role `viewer` or higher.
         */
        get: operations["PermissionService_ListGrantedActions"];
        /** Makes a service's own actions known; adds and updates, removes nothing. Idempotent. */
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
        /** Lists every workspace that the user belongs to. */
        get: operations["WorkspaceService_ListWorkspaces"];
        put?: never;
        /** Makes a workspace; the caller becomes its owner. */
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
         * Answers one workspace.
         * @description Requires role `viewer` or higher.
         */
        get: operations["WorkspaceService_GetWorkspace"];
        put?: never;
        post?: never;
        /**
         * Deletes a workspace and everything in it.
         * @description Requires role `owner` or higher.
         */
        delete: operations["WorkspaceService_DeleteWorkspace"];
        options?: never;
        head?: never;
        /**
         * Changes what is given of name and description.
         * @description Requires role `admin` or higher.
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
         * Lists members, those invited among them.
         * @description Requires role `viewer` or higher.
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
         * Invites a person by e-mail, known or not; again while pending is the same membership.
         * @description Requires role `admin` or higher.
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
         * Removes a member, or lets any member leave; groups, roles and shares go with the membership.
         * @description Requires role `viewer` or higher.
         */
        delete: operations["WorkspaceService_RemoveMember"];
        options?: never;
        head?: never;
        /**
         * Changes a member's role; owners are made and unmade by owners alone.
         * @description Requires role `admin` or higher.
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
         * Lists every group of the workspace.
         * @description Requires role `viewer` or higher.
         */
        get: operations["GroupService_ListGroups"];
        put?: never;
        /**
         * Makes a group.
         * @description Requires role `admin` or higher.
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
         * Deletes a group, its memberships and what was shared with it.
         * @description Requires role `admin` or higher.
         */
        delete: operations["GroupService_DeleteGroup"];
        options?: never;
        head?: never;
        /**
         * Changes what is given of name and description.
         * @description Requires role `admin` or higher.
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
         * Adds a member of the workspace; again changes nothing.
         * @description Requires role `admin` or higher.
         */
        post: operations["GroupService_AddGroupMember"];
        /**
         * Takes a member out of a group.
         * @description Requires role `admin` or higher.
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
         * Lists the members of a group.
         * @description Requires role `viewer` or higher.
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
    "/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Answers who the token's user is. */
        get: operations["UserService_GetMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Changes what is given of name and avatar_url. */
        patch: operations["UserService_UpdateMe"];
        trace?: never;
    };
    "/users/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the user's sessions: one for each sign-in whose refresh tokens still hold. */
        get: operations["UserService_ListSessions"];
        put?: never;
        post?: never;
        /** Ends every session but the caller's own. */
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
        /** Ends one session. */
        delete: operations["UserService_EndSession"];
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
        /** The dashboard's figures, as of now. */
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
        /** What has happened, the newest first. */
        get: operations["AdminService_ListActivity"];
        put?: never;
        post?: never;
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
        /** Lists users by e-mail, a page at a time. */
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
        /** Answers a user with all that belongs to them. */
        get: operations["AdminService_GetUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Changes a name, activates or deactivates; who is deactivated is signed out everywhere. */
        patch: operations["AdminService_UpdateUser"];
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
        /** Adds a user to a workspace, as an invitation of their address would. */
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
        /** Lists workspaces by slug, a page at a time. */
        get: operations["AdminService_ListWorkspaces"];
        put?: never;
        /** Makes a workspace; the administrator becomes its owner. */
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
        /** Lists every workspace by name, for dropdowns. */
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
        /** Answers one workspace. */
        get: operations["AdminService_GetWorkspace"];
        put?: never;
        post?: never;
        /** Deletes a workspace and everything in it. */
        delete: operations["AdminService_DeleteWorkspace"];
        options?: never;
        head?: never;
        /** Changes what is given of name and description. */
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
        /** Lists members, those invited among them. */
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
        /** Invites a person by e-mail, known or not; again while pending is the same membership. */
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
        /** Removes a member; groups, roles and shares go with the membership. */
        delete: operations["AdminService_RemoveMember"];
        options?: never;
        head?: never;
        /** Changes a member's role; a workspace keeps an owner. */
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
        /** Lists every group of a workspace. */
        get: operations["AdminService_ListGroups"];
        put?: never;
        /** Makes a group. */
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
        /** Deletes a group, its memberships and what was shared with it. */
        delete: operations["AdminService_DeleteGroup"];
        options?: never;
        head?: never;
        /** Changes what is given of name and description. */
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
        /** Lists the members of a group. */
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
        /** Adds a member of the group's workspace; again changes nothing. */
        post: operations["AdminService_AddGroupMember"];
        /** Takes a member out of a group. */
        delete: operations["AdminService_RemoveGroupMember"];
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
        /** Lists resources, the newest first, a page at a time. */
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
        /** Answers a resource's record with its shares. */
        get: operations["AdminService_GetPermission"];
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
        /** Opens a resource to its workspace, or closes it again. */
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
        /** Grants a user or a group of the workspace view or edit; again with another permission replaces it. */
        post: operations["AdminService_Share"];
        /** Takes a share back, whatever it gave. */
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
        /** Lists what services have registered, by service. */
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
        /** Lists the custom roles of a workspace. */
        get: operations["AdminService_ListRoles"];
        put?: never;
        /** Makes a custom role, without actions or members. */
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
        /** Deletes a role; its actions and members lose it. */
        delete: operations["AdminService_DeleteRole"];
        options?: never;
        head?: never;
        /** Changes what is given of name and description. */
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
        /** Lists the actions of a role. */
        get: operations["AdminService_ListRoleActions"];
        put?: never;
        /** Adds actions to a role, all or none; again changes nothing. */
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
        /** Takes an action out of a role. */
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
        /** Lists the members who have a role. */
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
        /** Gives a role to a member of its workspace; again changes nothing. */
        post: operations["AdminService_AddRoleMember"];
        /** Takes a role from a member. */
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
        /** Lists the backend services; never their keys. */
        get: operations["AdminService_ListServiceApps"];
        put?: never;
        /** Makes an app with its first key, which is shown this once. */
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
        /** Deletes an app with its keys. */
        delete: operations["AdminService_DeleteServiceApp"];
        options?: never;
        head?: never;
        /** Changes the label, or refuses the app's keys and lets them in again. */
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
        /** Gives the app a new key, shown this once; the ones before hold for a while. */
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
        /** Lists the web applications that people sign in to. */
        get: operations["AdminService_ListClientApps"];
        put?: never;
        /** Registers an app with the addresses that may receive its codes. */
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
        /** Deletes an app; its addresses receive no more codes. */
        delete: operations["AdminService_DeleteClientApp"];
        options?: never;
        head?: never;
        /** Changes what is given of label, addresses and whether codes are sent to them. */
        patch: operations["AdminService_UpdateClientApp"];
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
        /** Tells what an import would change, and changes nothing. */
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
        /** Imports a whole file, or, if any row has an error, nothing of it; again changes nothing. */
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
         * Sends the browser to the provider.
         * @description Limited to 10 requests per minute and client.
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
         * Where the provider sends the browser back: on to the client app, with a code or an error.
         * @description Limited to 10 requests per minute and client.
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
         * Lists the workspaces that a code can be exchanged for; does not consume it.
         * @description Limited to 10 requests per minute and client.
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
         * Exchanges a code for tokens of one workspace.
         * @description Limited to 10 requests per minute and client.
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
         * Exchanges a refresh token for a new pair; a second time it is theft, and ends the family.
         * @description Limited to 10 requests per minute and client.
         */
        post: operations["AuthService_RefreshToken"];
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
        /** Denies the access token from now on and revokes every refresh family of the user. */
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
         * Sends an administrator's browser to the provider.
         * @description Limited to 5 requests per minute and client.
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
         * Sets the admin cookie and goes on to the admin panel, or to its login page with an error.
         * @description Limited to 5 requests per minute and client.
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
        /** Denies the admin token from now on and deletes the cookie. */
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
        /** Tells who the administrator is. */
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
        /** The keys that verify our tokens (RFC 7517). */
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
        /** What is true of us as an issuer (RFC 8414). */
        get: operations["AuthService_GetConfiguration"];
        put?: never;
        post?: never;
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
        PermissionCheckResponse: {
            results: components["schemas"]["PermissionCheckResult"][];
        };
        /** @description A question with its answer. */
        PermissionCheckResult: {
            service_name: string;
            resource_type: string;
            resource_id: string;
            action: string;
            allowed: boolean;
        };
        AccessibleResourcesResponse: {
            /** @description Ascending. */
            resource_ids: string[];
            /** @description The user's role alone covers every resource of this type in the workspace. */
            has_full_access: boolean;
            /** @description Present when there are more ids. */
            next_page_token: string | null;
        };
        Share: {
            id: string;
            /** @description `user` or `group`. */
            grantee_type: string;
            grantee_id: string;
            /** @description `view` or `edit`. */
            permission: string;
            granted_by: string;
            granted_at: string | null;
        };
        /** @description A resource's record: whose it is, who sees it, with whom it is shared. */
        ResourcePermissionResponse: {
            /** @description The permission_id of the other routes. */
            id: string;
            service_name: string;
            resource_type: string;
            resource_id: string;
            workspace_id: string;
            owner_id: string;
            /** @description `private` or `workspace`. */
            visibility: string;
            created_at: string | null;
            shares: components["schemas"]["Share"][];
        };
        /** @description Answers an act that has nothing else to say: `{"status":"ok"}`. */
        Acknowledgement: {
            status: string;
        };
        /** @description All that a service has registered, by name. */
        ServiceActions: {
            service_name: string;
            actions: components["schemas"]["ServiceAction"][];
        };
        ServiceAction: {
            id: string;
            name: string;
            description: string;
            registered_at: string | null;
        };
        ListGrantedActionsResponse: {
            service_name: string;
            /** @description Ascending. */
            actions: string[];
        };
        WorkspaceResponse: {
            id: string;
            name: string;
            slug: string;
            description: string;
            /** @description The caller's own; absent for who is no member. */
            role: string | null;
            created_at: string | null;
        };
        /** @description A membership; an invited person shows no name or avatar before they first take a token for it. */
        WorkspaceMemberResponse: {
            user_id: string;
            workspace_id: string;
            email: string;
            name: string;
            avatar_url: string;
            /** @description `owner`, `admin`, `editor` or `viewer`. */
            role: string;
            /** @description `invited` or `active`. */
            status: string;
            joined_at: string | null;
        };
        GroupResponse: {
            id: string;
            workspace_id: string;
            name: string;
            description: string;
            /** @description Absent once that user is no more. */
            created_by: string | null;
            created_at: string | null;
        };
        GroupMemberResponse: {
            user_id: string;
            group_id: string;
            email: string;
            name: string;
            avatar_url: string;
            added_at: string | null;
        };
        UserResponse: {
            id: string;
            email: string;
            name: string;
            avatar_url: string;
            is_active: boolean;
            created_at: string | null;
        };
        Session: {
            id: string;
            workspace_id: string;
            /** @description `google`, `microsoft` or `github`. */
            provider: string;
            user_agent: string;
            created_at: string | null;
            last_used_at: string | null;
            expires_at: string | null;
            /** @description The session this access token belongs to. */
            current: boolean;
        };
        Stats: {
            total_users: number;
            /** @description Those not deactivated. */
            active_users: number;
            total_workspaces: number;
            total_groups: number;
            total_resources: number;
            /** @description The 20 of the most members. */
            workspace_distribution: components["schemas"]["WorkspaceShare"][];
            /** @description The newest ten. */
            recent_activity: components["schemas"]["ActivityEntry"][];
            /** @description New users on each of the last 30 days, today last. */
            signups_by_day: components["schemas"]["DaySignups"][];
        };
        WorkspaceShare: {
            workspace_id: string;
            name: string;
            members: number;
            groups: number;
            resources: number;
        };
        /** @description An occurrence of specification 6; README's table tells each action's detail. */
        ActivityEntry: {
            id: string;
            /** @description `workspace.created`. */
            action: string;
            target_type: string;
            /** @description Absent where nothing is known to be meant, as after a failed sign-in. */
            target_id: string | null;
            /** @description The user who did it; absent for services, the operator's tool, and strangers. */
            actor_id: string | null;
            workspace_id: string | null;
            detail: unknown | null;
            created_at: string | null;
        };
        DaySignups: {
            /** @description ISO 8601, UTC. */
            day: string;
            count: number;
        };
        ListActivityResponse: {
            /** @description The newest first. */
            items: components["schemas"]["ActivityEntry"][];
            /** @description Present when there are older ones. */
            next_before: string | null;
        };
        UserPage: {
            items: components["schemas"]["UserSummary"][];
            total: number;
            page: number;
            page_size: number;
        };
        UserSummary: {
            id: string;
            email: string;
            name: string;
            avatar_url: string;
            is_active: boolean;
            is_admin: boolean;
            created_at: string | null;
            /** @description Absent for who never signed in. */
            last_sign_in_at: string | null;
        };
        /** @description A user with all that belongs to them but resources. */
        UserDetail: {
            id: string;
            email: string;
            name: string;
            avatar_url: string;
            is_active: boolean;
            is_admin: boolean;
            created_at: string | null;
            /** @description Absent for who never signed in. */
            last_sign_in_at: string | null;
            linked_accounts: components["schemas"]["LinkedAccount"][];
            memberships: components["schemas"]["Membership"][];
            groups: components["schemas"]["GroupResponse"][];
            /** @description Custom roles. */
            roles: components["schemas"]["RoleResponse"][];
            sessions: components["schemas"]["Session"][];
        };
        /** @description An account at a provider; (provider, subject) is the identity. */
        LinkedAccount: {
            /** @description `google`, `microsoft` or `github`. */
            provider: string;
            subject: string;
            email: string;
            linked_at: string | null;
        };
        Membership: {
            workspace_id: string;
            workspace_name: string;
            workspace_slug: string;
            /** @description `owner`, `admin`, `editor` or `viewer`. */
            role: string;
            /** @description `invited` or `active`. */
            status: string;
            joined_at: string | null;
        };
        /** @description A workspace's own role: service actions for some of its members. */
        RoleResponse: {
            id: string;
            workspace_id: string;
            name: string;
            description: string;
            action_count: number;
            member_count: number;
            created_at: string | null;
        };
        WorkspacePage: {
            items: components["schemas"]["WorkspaceResponse"][];
            total: number;
            page: number;
            page_size: number;
        };
        /** @description What a dropdown shows of a workspace. */
        WorkspaceChoice: {
            id: string;
            name: string;
            slug: string;
        };
        PermissionPage: {
            items: components["schemas"]["PermissionSummary"][];
            total: number;
            page: number;
            page_size: number;
        };
        /** @description A resource's record without its shares, of which there may be many. */
        PermissionSummary: {
            /** @description The permission_id of the other routes. */
            id: string;
            service_name: string;
            resource_type: string;
            resource_id: string;
            workspace_id: string;
            owner_id: string;
            /** @description `private` or `workspace`. */
            visibility: string;
            created_at: string | null;
            share_count: number;
        };
        RoleActionResponse: {
            /** @description The service_action_id of the other routes. */
            id: string;
            service_name: string;
            name: string;
            description: string;
            registered_at: string | null;
        };
        RoleMemberResponse: {
            user_id: string;
            role_id: string;
            email: string;
            name: string;
            avatar_url: string;
            added_at: string | null;
        };
        /** @description A backend service; its keys are known by their hashes alone. */
        ServiceAppResponse: {
            id: string;
            name: string;
            service_name: string;
            /** @description Of its newest key. */
            key_prefix: string;
            is_active: boolean;
            /** @description To the minute; absent until a key of it has been used. */
            last_used_at: string | null;
            /** @description Absent when the operator's tool made it, or that user is no more. */
            created_by: string | null;
            created_at: string | null;
        };
        /** @description A service app with the key that was made for it. */
        ServiceAppKeyResponse: {
            id: string;
            name: string;
            service_name: string;
            key_prefix: string;
            is_active: boolean;
            last_used_at: string | null;
            created_by: string | null;
            created_at: string | null;
            /** @description In no other answer. */
            key: string;
        };
        /** @description A web application that people sign in to. */
        ClientAppResponse: {
            id: string;
            name: string;
            /** @description To the letter, sorted. */
            redirect_uris: string[];
            is_active: boolean;
            /** @description Absent when the operator's tool made it, or that user is no more. */
            created_by: string | null;
            created_at: string | null;
        };
        /** @description What an import changes, or has changed. */
        CsvImportReport: {
            /** @description As the file orders them. */
            columns: string[];
            summary: components["schemas"]["CsvImportSummary"];
            /** @description In the order of the file. Of a large file not all: errors go before changes, and these before rows that change nothing. */
            rows: components["schemas"]["CsvImportRow"][];
            /** @description How many rows are not listed. */
            omitted: number;
        };
        /** @description How many rows there are, in all and by what they do. */
        CsvImportSummary: {
            rows: number;
            create: number;
            update: number;
            unchanged: number;
            errors: number;
        };
        CsvImportRow: {
            /** @description Where the row begins; the header is line 1. */
            line: number;
            /** @description As it is stored, or as it was written where it is no e-mail address. */
            email: string;
            /** @description `create` a membership, `update` one, `unchanged`, or `error`. */
            action: string;
            changes: components["schemas"]["CsvImportChange"][];
            errors: components["schemas"]["CsvImportError"][];
        };
        /** @description One thing that a row changes. `user` is an account and `new_groups` are groups that have to be made first; the other fields are columns. */
        CsvImportChange: {
            field: string;
            /** @description Empty where there was nothing. */
            from: string;
            to: string;
        };
        /** @description What is wrong with a column of a row; the whole row where `field` is empty. */
        CsvImportError: {
            field: string;
            message: string;
        };
        CodeWorkspace: {
            id: string;
            name: string;
            slug: string;
            /** @description `owner`, `admin`, `editor` or `viewer`. */
            role: string;
        };
        /** @description RFC 6749, 5.1. */
        TokenResponse: {
            access_token: string;
            refresh_token: string;
            /** @description `Bearer`. */
            token_type: string;
            /** @description Seconds. */
            expires_in: number;
            /** @description Seconds. */
            refresh_expires_in: number;
            workspace_id: string;
        };
        AdminLogoutResponse: {
            /** @description `ok`. */
            status: string;
        };
        AdminMe: {
            id: string;
            email: string;
            name: string;
            avatar_url: string;
            is_admin: boolean;
        };
        KeySet: {
            keys: components["schemas"]["Key"][];
        };
        /** @description An RSA public key (RFC 7517, 7518). */
        Key: {
            kty: string;
            use: string;
            alg: string;
            kid: string;
            n: string;
            e: string;
        };
        Configuration: {
            issuer: string;
            jwks_uri: string;
            token_endpoint: string;
            response_types_supported: string[];
            subject_types_supported: string[];
            id_token_signing_alg_values_supported: string[];
            code_challenge_methods_supported: string[];
            token_endpoint_auth_methods_supported: string[];
            claims_supported: string[];
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
    PermissionService_Check: {
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
                "application/json": {
                    /** @default [] */
                    checks?: {
                        service_name: string;
                        resource_type: string;
                        /** Format: uuid */
                        resource_id: string;
                        /** @description `view`, `edit`, or an action the service registered; any other is answered with false. */
                        action: string;
                    }[];
                };
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
                "application/json": {
                    service_name: string;
                    resource_type: string;
                    action: string;
                    /** Format: uuid */
                    workspace_id: string;
                    /**
                     * @description Ids in one answer; 1,000 when absent.
                     * @default 1000
                     */
                    limit?: number;
                    /** @description The `next_page_token` of the answer before. */
                    page_token?: string;
                };
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                 *       "permission": "view"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    grantee_type: "user" | "group";
                    /** Format: uuid */
                    grantee_id: string;
                    /** @enum {string} */
                    permission: "view" | "edit";
                };
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
                     *       "granted_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Share"];
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                 *       "permission": "view"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    grantee_type: "user" | "group";
                    /** Format: uuid */
                    grantee_id: string;
                    /** @enum {string} */
                    permission: "view" | "edit";
                };
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
                 *       "visibility": "workspace"
                 *     }
                 */
                "application/json": {
                    service_name: string;
                    resource_type: string;
                    /** Format: uuid */
                    resource_id: string;
                    /** Format: uuid */
                    workspace_id: string;
                    /** Format: uuid */
                    owner_id: string;
                    /**
                     * @default private
                     * @enum {string}
                     */
                    visibility?: "private" | "workspace";
                };
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
                     *           "granted_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ]
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
    PermissionService_UpdateVisibility: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                "application/json": {
                    /** @enum {string} */
                    visibility: "private" | "workspace";
                };
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
                     *           "granted_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePermissionResponse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
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
                /** @example docs */
                service_name: string;
                /** @example document */
                resource_type: string;
                /** @example 0d000000-0000-7000-8000-0000000000d2 */
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
                     *           "granted_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ]
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
    PermissionService_Unregister: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                /** @example docs */
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
                "application/json": {
                    service_name: string;
                    /**
                     * @description Each name once; `view` and `edit` are built in.
                     * @default []
                     */
                    actions?: {
                        name: string;
                        /** @description Empty when absent. */
                        description?: string;
                    }[];
                };
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
                "application/json": {
                    name: string;
                    slug: string;
                    description?: string;
                };
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                "application/json": {
                    name?: string;
                    description?: string;
                };
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
                /** @description Looks into names and e-mails. */
                q?: string;
                limit?: number;
            };
            header?: never;
            path: {
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                "application/json": {
                    /** Format: email */
                    email: string;
                    /**
                     * @default viewer
                     * @enum {string}
                     */
                    role?: "owner" | "admin" | "editor" | "viewer";
                };
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
                workspace_id: string;
                /** @example 0d000000-0000-7000-8000-00000000000b */
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
                workspace_id: string;
                /** @example 0d000000-0000-7000-8000-00000000000b */
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
                "application/json": {
                    /** @enum {string} */
                    role: "owner" | "admin" | "editor" | "viewer";
                };
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                "application/json": {
                    name: string;
                    description?: string;
                };
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
                workspace_id: string;
                /** @example 0d000000-0000-7000-8000-000000000002 */
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
                workspace_id: string;
                /** @example 0d000000-0000-7000-8000-000000000002 */
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
                "application/json": {
                    name?: string;
                    description?: string;
                };
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
                workspace_id: string;
                /** @example 0d000000-0000-7000-8000-000000000002 */
                group_id: string;
                /** @example 0d000000-0000-7000-8000-00000000000b */
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
                workspace_id: string;
                /** @example 0d000000-0000-7000-8000-000000000002 */
                group_id: string;
                /** @example 0d000000-0000-7000-8000-00000000000b */
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
            query?: never;
            header?: never;
            path: {
                /** @example 0d000000-0000-7000-8000-000000000001 */
                workspace_id: string;
                /** @example 0d000000-0000-7000-8000-000000000002 */
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
                     *         "added_at": "2026-11-21T12:00:00.000Z"
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
                "application/json": {
                    name?: string;
                    /** @description An http or https URL, or empty. */
                    avatar_url?: string;
                };
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                     *           "detail": {
                     *             "role": "editor"
                     *           },
                     *           "created_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "signups_by_day": [
                     *         {
                     *           "day": "2026-11-21",
                     *           "count": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Stats"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AdminService_ListActivity: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `next_before` of the answer before. */
                before?: string;
                action?: "user.signed_in" | "user.sign_in_failed" | "admin.signed_in" | "admin.sign_in_failed" | "admin.access_refused" | "user.updated" | "user.renamed" | "user.activated" | "user.deactivated" | "user.promoted" | "user.demoted" | "import.executed" | "workspace.created" | "workspace.updated" | "workspace.deleted" | "member.invited" | "member.role_changed" | "member.removed" | "group.created" | "group.updated" | "group.deleted" | "group.member_added" | "group.members_added" | "group.member_removed" | "role.created" | "role.updated" | "role.deleted" | "role.member_added" | "role.member_removed" | "role.action_added" | "role.action_removed" | "service_action.registered" | "service_action.updated" | "service_app.created" | "service_app.updated" | "service_app.activated" | "service_app.deactivated" | "service_app.key_rotated" | "service_app.deleted" | "client_app.created" | "client_app.updated" | "client_app.activated" | "client_app.deactivated" | "client_app.deleted" | "permission.visibility_changed" | "permission.shared" | "permission.share_revoked";
                actor_id?: string;
                workspace_id?: string;
                target_type?: "user" | "import" | "workspace" | "group" | "role" | "service_action" | "service_app" | "client_app" | "permission";
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
                     *           "detail": {
                     *             "role": "editor"
                     *           },
                     *           "created_at": "2026-11-21T12:00:00.000Z"
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
    AdminService_ListUsers: {
        parameters: {
            query?: {
                page?: number;
                page_size?: number;
                /** @description Looks into names and e-mails. */
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
                     *           "email": "bob@example.com",
                     *           "name": "Example",
                     *           "avatar_url": "https://example.com/bob.png",
                     *           "is_active": true,
                     *           "is_admin": false,
                     *           "created_at": "2026-11-21T12:00:00.000Z",
                     *           "last_sign_in_at": "2026-11-21T12:00:00.000Z"
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
                /** @example 0d000000-0000-7000-8000-00000000000b */
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
                     *       ]
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
    AdminService_UpdateUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0d000000-0000-7000-8000-00000000000b */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "is_active": true
                 *     }
                 */
                "application/json": {
                    name?: string;
                    is_active?: boolean;
                };
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
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["UserDetail"];
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
    AdminService_AddUserToWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0d000000-0000-7000-8000-00000000000b */
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
                "application/json": {
                    /** Format: uuid */
                    workspace_id: string;
                    /**
                     * @default viewer
                     * @enum {string}
                     */
                    role?: "owner" | "admin" | "editor" | "viewer";
                };
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
                page?: number;
                page_size?: number;
                /** @description Looks into names and slugs. */
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
                "application/json": {
                    name: string;
                    slug: string;
                    description?: string;
                };
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                "application/json": {
                    name?: string;
                    description?: string;
                };
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
                /** @description Looks into names and e-mails. */
                q?: string;
                limit?: number;
            };
            header?: never;
            path: {
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                "application/json": {
                    /** Format: email */
                    email: string;
                    /**
                     * @default viewer
                     * @enum {string}
                     */
                    role?: "owner" | "admin" | "editor" | "viewer";
                };
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
                workspace_id: string;
                /** @example 0d000000-0000-7000-8000-00000000000b */
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
                workspace_id: string;
                /** @example 0d000000-0000-7000-8000-00000000000b */
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
                "application/json": {
                    /** @enum {string} */
                    role: "owner" | "admin" | "editor" | "viewer";
                };
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                "application/json": {
                    name: string;
                    description?: string;
                };
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
                workspace_id?: string;
            };
            header?: never;
            path: {
                /** @example 0d000000-0000-7000-8000-000000000002 */
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
                /** @example 0d000000-0000-7000-8000-000000000002 */
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
                "application/json": {
                    /** Format: uuid */
                    workspace_id?: string;
                    name?: string;
                    description?: string;
                };
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
                workspace_id?: string;
            };
            header?: never;
            path: {
                /** @example 0d000000-0000-7000-8000-000000000002 */
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
                     *         "added_at": "2026-11-21T12:00:00.000Z"
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
                /** @example 0d000000-0000-7000-8000-000000000002 */
                group_id: string;
                /** @example 0d000000-0000-7000-8000-00000000000b */
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
                "application/json": {
                    /** Format: uuid */
                    workspace_id?: string;
                };
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
                workspace_id?: string;
            };
            header?: never;
            path: {
                /** @example 0d000000-0000-7000-8000-000000000002 */
                group_id: string;
                /** @example 0d000000-0000-7000-8000-00000000000b */
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
    AdminService_ListPermissions: {
        parameters: {
            query?: {
                page?: number;
                page_size?: number;
                workspace_id?: string;
                service_name?: string;
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
                     *           "share_count": 1
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                     *           "granted_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ]
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
    AdminService_UpdateVisibility: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                "application/json": {
                    /** @enum {string} */
                    visibility: "private" | "workspace";
                };
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
                     *           "granted_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ]
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                 *       "permission": "view"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    grantee_type: "user" | "group";
                    /** Format: uuid */
                    grantee_id: string;
                    /** @enum {string} */
                    permission: "view" | "edit";
                };
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
                     *       "granted_at": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Share"];
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                 *       "permission": "view"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    grantee_type: "user" | "group";
                    /** Format: uuid */
                    grantee_id: string;
                    /** @enum {string} */
                    permission: "view" | "edit";
                };
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                /** @example 0d000000-0000-7000-8000-000000000001 */
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
                "application/json": {
                    name: string;
                    description?: string;
                };
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                "application/json": {
                    name?: string;
                    description?: string;
                };
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "service_action_ids": [
                 *         "0d000000-0000-7000-8000-000000000010"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @default [] */
                    service_action_ids?: string[];
                };
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
                role_id: string;
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
                role_id: string;
                /** @example 0d000000-0000-7000-8000-00000000000b */
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
                role_id: string;
                /** @example 0d000000-0000-7000-8000-00000000000b */
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
                "application/json": {
                    /** @description What people call it. */
                    name: string;
                    /** @description The one service its keys act for; it stays so. */
                    service_name: string;
                };
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
            query?: never;
            header?: never;
            path: {
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
                service_app_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "is_active": true
                 *     }
                 */
                "application/json": {
                    name?: string;
                    is_active?: boolean;
                };
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
                /** @example 0d000000-0000-7000-8000-000000000010 */
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
                "application/json": {
                    /**
                     * @description How long the keys before still hold, at most 30 days; a day when absent.
                     * @default 86400
                     */
                    overlap_seconds?: number;
                };
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
                     *         "created_at": "2026-11-21T12:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ClientAppResponse"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
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
                 *       ]
                 *     }
                 */
                "application/json": {
                    name: string;
                    /**
                     * @description Absolute; https, or http on a loopback host (any http with DEBUG); no fragment, no user.
                     * @default []
                     */
                    redirect_uris?: string[];
                };
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
                     *       "created_at": "2026-11-21T12:00:00.000Z"
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
                /** @example 0d000000-0000-7000-8000-000000000003 */
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
                /** @example 0d000000-0000-7000-8000-000000000003 */
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
                 *       "is_active": true
                 *     }
                 */
                "application/json": {
                    name?: string;
                    /**
                     * @description In place of those before; none leaves them as they are.
                     * @default []
                     */
                    redirect_uris?: string[];
                    is_active?: boolean;
                };
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
                     *       "created_at": "2026-11-21T12:00:00.000Z"
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
                "application/json": {
                    /** @description At most 5 MiB. */
                    csv: string;
                };
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
                "application/json": {
                    /** @description At most 5 MiB. */
                    csv: string;
                };
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
                 * @description Registered on an active client app, to the letter.
                 * @example https://app.example.com/callback
                 */
                redirect_uri: string;
                /**
                 * @description RFC 7636, S256.
                 * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
                 */
                code_challenge: string;
                /** @example S256 */
                code_challenge_method: "S256";
                /** @description Comes back on the redirect. */
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
                state?: string;
                code?: string;
                error?: string;
                error_description?: string;
                iss?: string;
            };
            header?: never;
            path: {
                /** @example google */
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
                /** @example c2VjcmV0-bWFkZS1vZi0zMi1yYW5kb20tYnl0ZXMtaGVyZQ */
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
                "application/json": {
                    code: string;
                    /** Format: uuid */
                    workspace_id: string;
                    code_verifier: string;
                };
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
                "application/json": {
                    refresh_token: string;
                };
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
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    AuthService_BeginAdminLogin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example google */
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
                state?: string;
                code?: string;
                error?: string;
                error_description?: string;
                iss?: string;
            };
            header?: never;
            path: {
                /** @example google */
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
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Configuration"];
                };
            };
            400: components["responses"]["400"];
            429: components["responses"]["429"];
            default: components["responses"]["default"];
        };
    };
}
