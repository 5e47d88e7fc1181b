/** $1 slugs of workspaces. The lock is the same as for changes to their owners. */
export const lockWorkspacesSql =
  'select id from workspaces where slug = any($1::text[]) order by id for no key update'

/** $1 slugs. Counts the active owners who have joined and whose membership does not end. */
export const workspacesSql = `
  select w.id, w.slug, (select count(*)::int from live_members m join users u on u.id = m.user_id
    where m.workspace_id = w.id and m.role = 'owner' and m.joined_at is not null
      and m.expires_at is null and u.is_active) as owners
  from workspaces w where w.slug = any($1::text[])`

const sumOf = (counted: string) =>
  `coalesce(sum(count) filter (where counted = '${counted}'), 0)::int`

/** $1 IDs of workspaces. */
export const usageSql = `
  select c.workspace_id as "workspaceId",
    ${sumOf('members')} - (
      select count(*)::int from users u where u.workspace_id = c.workspace_id
    ) as members,
    ${sumOf('invitations')} as invitations, ${sumOf('groups')} as groups
  from workspace_counts c where c.workspace_id = any($1::uuid[]) group by c.workspace_id`

/**
 * $1 e-mail addresses. For `= any($1)`, the planner would split each address into trigrams to
 * estimate the cost of the search index.
 */
export const usersSql = `
  select id, email, name, external_id as "externalId" from users
  where email in (select unnest($1::text[]))`

/** $1 external IDs. */
export const identifiedUsersSql = `
  select external_id as "externalId", email from users where external_id = any($1::text[])`

/** $1 user IDs. */
export const membersSql = `
  select m.user_id as "userId", m.workspace_id as "workspaceId", m.role,
    m.is_guest as "isGuest", m.support_reason is not null as "isSupport",
    m.joined_at is not null and m.expires_at is null and u.is_active as joined
  from live_members m join users u on u.id = m.user_id where m.user_id = any($1::uuid[])`

/** $1 IDs of workspaces, $2 names. */
export const groupsSql = `
  select id, workspace_id as "workspaceId", name from groups
  where workspace_id = any($1::uuid[]) and name = any($2::text[])`

/** $1 user IDs. */
export const groupMembersSql = `
  select group_id as "groupId", user_id as "userId" from group_members
  where user_id = any($1::uuid[]) and is_direct`

/** $1 IDs, $2 e-mail addresses, $3 names. Returns the users that existed. */
export const insertUsersSql = `
  with inserted as (
    insert into users (id, email, name)
    select * from unnest($1::uuid[], $2::text[], $3::text[])
    on conflict (email) do update set
      name = case when excluded.name = '' then users.name else excluded.name end
    returning id, email, xmax = 0 as is_new
  )
  select id, email from inserted where not is_new`

/** $1 user IDs, $2 names. */
export const renameUsersSql = `
  update users u set name = p.name from unnest($1::uuid[], $2::text[]) as p(id, name)
  where u.id = p.id`

/** $1 user IDs, $2 external IDs. */
export const updateExternalIdsSql = `
  update users u set external_id = p.external_id
  from unnest($1::uuid[], $2::text[]) as p(id, external_id) where u.id = p.id`

/** $1 IDs, $2 IDs of workspaces, $3 names, $4 ID of the creator. */
export const insertGroupsSql = `
  insert into groups (id, workspace_id, name, created_by)
  select id, workspace_id, name, $4::uuid
  from unnest($1::uuid[], $2::uuid[], $3::text[]) as p(id, workspace_id, name)
  on conflict (workspace_id, name) do update set name = excluded.name
  returning id, workspace_id as "workspaceId", name, xmax = 0 as "isNew"`
