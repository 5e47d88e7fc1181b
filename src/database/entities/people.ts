import { defineEntity, p } from '@mikro-orm/core'
import type { Role } from '../../core/roles.ts'

/**
 * A person, identified by their e-mail address until an account of an identity provider is linked, or
 * a service account of a workspace.
 */
export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.uuid().primary(),
    /** Null for service accounts. */
    email: p.text().nullable(),
    /** The workspace of a service account; null for people. */
    workspace_id: p.uuid().nullable(),
    external_id: p.text().nullable(),
    name: p.text().default(''),
    /** The parts of the name, as the identity provider last sent them. */
    given_name: p.text().default(''),
    family_name: p.text().default(''),
    avatar_url: p.text().default(''),
    is_active: p.boolean().default(true),
    is_admin: p.boolean().default(false),
    /**
     * Whether an operator revoked the administrator rights, so that ADMIN_EMAILS does not restore
     * them.
     */
    admin_revoked: p.boolean().default(false),
    /** Whether the user signs in by codes sent to their address. */
    email_sign_in: p.boolean().default(true),
    last_sign_in_at: p.datetime().nullable(),
    created_at: p.datetime().defaultRaw('now()'),
  },
})

/** A user's account at an identity provider, identified by `provider` and `subject`. */
export const LinkedAccount = defineEntity({
  name: 'LinkedAccount',
  tableName: 'linked_accounts',
  properties: {
    provider: p.text().primary(),
    subject: p.text().primary(),
    id: p.uuid().defaultRaw('gen_random_uuid()'),
    user_id: p.uuid(),
    email: p.text(),
    hosted_domain: p.text().default(''),
    /** The method of the session that added the account, unless it linked itself by its address. */
    added_by: p.text().nullable(),
    created_at: p.datetime().defaultRaw('now()'),
  },
})

/** A workspace, which is the unit of tenancy. */
export const Workspace = defineEntity({
  name: 'Workspace',
  tableName: 'workspaces',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    slug: p.text(),
    description: p.text().default(''),
    created_at: p.datetime().defaultRaw('now()'),
    /** Whether administrators may give support access. */
    support_access: p.boolean().default(true),
    /** Whether sessions that a code by e-mail began reach the workspace. */
    email_sign_in: p.boolean().default(true),
    third_party_clients: p.boolean().default(true),
    delegations: p.boolean().default(true),
  },
})

/**
 * The membership of a user in a workspace. `joined_at` is null until an invited user joins. Read
 * memberships from the view `live_members`, which leaves out those that have ended.
 */
export const Member = defineEntity({
  name: 'Member',
  tableName: 'members',
  properties: {
    user_id: p.uuid().primary(),
    workspace_id: p.uuid().primary(),
    role: p.text().$type<Role>(),
    joined_at: p.datetime().nullable(),
    invited_by: p.uuid().nullable(),
    created_at: p.datetime().defaultRaw('now()'),
    expires_at: p.datetime().nullable(),
    /** Why an administrator has given support access; null for other memberships. */
    support_reason: p.text().nullable(),
    /** Whether visibility `workspace` is nothing to the member. */
    is_guest: p.boolean().default(false),
  },
})

/** A group of members of a workspace. */
export const Group = defineEntity({
  name: 'Group',
  tableName: 'groups',
  properties: {
    id: p.uuid().primary(),
    workspace_id: p.uuid(),
    name: p.text(),
    description: p.text().default(''),
    created_by: p.uuid().nullable(),
    created_at: p.datetime().defaultRaw('now()'),
  },
})

/**
 * The membership of a workspace member in a group. `is_direct` is false for members of a descendant
 * of the group who were not added to the group itself.
 */
export const GroupMember = defineEntity({
  name: 'GroupMember',
  tableName: 'group_members',
  properties: {
    group_id: p.uuid().primary(),
    user_id: p.uuid().primary(),
    workspace_id: p.uuid(),
    added_at: p.datetime().defaultRaw('now()'),
    is_direct: p.boolean().default(true),
  },
})
