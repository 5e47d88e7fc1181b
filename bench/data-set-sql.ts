import { groupedMemberOf, largeWorkspaceOf, type Size } from './data-set-size.ts'

/**
 * Returns the statements that create the data set deterministically. User n is a member of
 * workspace n mod workspaces. A fifth of the resources is in workspace 0; the others are
 * distributed evenly. Each resource is owned by one member and shared with two more and a group;
 * one in ten is visible to the workspace. Each user is in ten of a hundred groups. The three users
 * of `readers`, the large workspace (`largeWorkspaceOf`) and finally the member of many groups
 * (`groupedMemberOf`) follow.
 */
export function dataSetSql(size: Size): string[] {
  const { users, workspaces, resources } = size
  const members = users / workspaces
  const groups = workspaces * 100
  const large = resources / 5
  const home = `case when r.n < ${large} then 0 else r.n % ${workspaces} end`
  const place = `case when r.n < ${large} then r.n else r.n / ${workspaces} end`
  // Returns a member of the resource's workspace, a different one for each `salt`.
  const member = (salt: number) =>
    `((${place})::bigint * 7919 + ${salt}) % ${members} * ${workspaces} + (${home})`
  const permission = `case when r.n % 3 = 0 then 'edit' else 'view' end`
  const share = (column: string, grantee: string, where = 'true') => `
    insert into shares (id, kind_id, resource_id, workspace_id, ${column}, permission)
    select gen_random_uuid(), k.id, ${id('r', 'r.n')}, ${id('w', home)}, ${grantee}, ${permission}
    from generate_series(0, ${resources - 1}) r(n), resource_kinds k where ${where}`
  const reader = (index: number, part: number) =>
    share('user_id', id('u', `${users + index}`), `r.n < ${large} and r.n % ${part} = 0`)

  return [
    `insert into users (id, email, name)
     select ${id('u', 'n')}, 'user' || n || '@example.com', 'User ' || n
     from generate_series(0, ${users + 2}) n`,
    `insert into workspaces (id, name, slug)
     select ${id('w', 'n')}, 'Workspace ' || n, 'w' || n from generate_series(0, ${workspaces - 1}) n`,
    `insert into members (user_id, workspace_id, role, joined_at)
     select ${id('u', 'n')}, ${id('w', `case when n < ${users} then n % ${workspaces} else 0 end`)},
       case when n / ${workspaces} < 2 then 'admin'
         when n < ${users} and n % 5 = 0 then 'editor' else 'viewer' end, now()
     from generate_series(0, ${users + 2}) n`,
    `insert into groups (id, workspace_id, name)
     select ${id('g', 'n')}, ${id('w', `n % ${workspaces}`)}, 'Group ' || n
     from generate_series(0, ${groups - 1}) n`,
    `insert into group_members (group_id, user_id, workspace_id)
     select ${id('g', `(u.n / ${workspaces} + i * 7) % 100 * ${workspaces} + u.n % ${workspaces}`)},
       ${id('u', 'u.n')}, ${id('w', `u.n % ${workspaces}`)}
     from generate_series(0, ${users - 1}) u(n), generate_series(0, 9) i`,
    `insert into resource_kinds (service_name, resource_type) values ('docs', 'document')`,
    `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
     select gen_random_uuid(), k.id, ${id('r', 'r.n')}, ${id('w', home)}, ${id('u', member(0))},
       case when r.n % 10 = 0 then 'workspace' else 'private' end
     from generate_series(0, ${resources - 1}) r(n), resource_kinds k`,
    share('user_id', id('u', member(1))),
    share('user_id', id('u', member(2))),
    share('group_id', id('g', `(${place})::bigint * 31 % 100 * ${workspaces} + (${home})`)),
    ...[2000, 20, 2].map((part, index) => reader(index, part)),
    ...largeWorkspaceSql(size),
    ...groupedMemberSql(size),
    // Triggers do not run while the data set is created.
    'insert into workspace_ids select id from workspaces on conflict do nothing',
    `insert into service_apps (id, name, service_name)
     values (gen_random_uuid(), 'bench', 'docs')`,
  ]
}

/**
 * Creates the large workspace. The first member is in every group, the others are in ten. The first
 * resource is shared with every member, the second with nine in ten and with every group, and each
 * of the others with two members and a group. The last member, an admin, owns all resources.
 */
function largeWorkspaceSql(size: Size): string[] {
  const { workspace, firstUser, members, firstGroup, groups, firstResource, resources } =
    largeWorkspaceOf(size)
  const home = id('w', `${workspace}`)
  const user = (n: string) => id('u', `${firstUser} + ${n}`)
  const group = (n: string) => id('g', `${firstGroup} + ${n}`)
  const share = (column: string, resource: string, grantee: string, from: string) => `
    insert into shares (id, kind_id, resource_id, workspace_id, ${column}, permission)
    select gen_random_uuid(), k.id, ${id('r', `${firstResource} + ${resource}`)}, ${home},
      ${grantee}, 'view'
    from ${from}, resource_kinds k`
  const others = `generate_series(2, ${resources - 1}) r(n)`

  return [
    `insert into users (id, email, name)
     select ${user('n')}, 'crowd' || n || '@example.com', 'Crowd ' || n
     from generate_series(0, ${members - 1}) n`,
    `insert into workspaces (id, name, slug) values (${home}, 'Crowd', 'crowd')`,
    `insert into members (user_id, workspace_id, role, joined_at)
     select ${user('n')}, ${home}, case when n = ${members - 1} then 'admin' else 'viewer' end, now()
     from generate_series(0, ${members - 1}) n`,
    `insert into groups (id, workspace_id, name)
     select ${group('n')}, ${home}, 'Group ' || n from generate_series(0, ${groups - 1}) n`,
    `insert into group_members (group_id, user_id, workspace_id)
     select ${group(`(u.n + i * 7) % ${groups}`)}, ${user('u.n')}, ${home}
     from generate_series(1, ${members - 1}) u(n), generate_series(0, 9) i`,
    `insert into group_members (group_id, user_id, workspace_id)
     select ${group('n')}, ${user('0')}, ${home} from generate_series(0, ${groups - 1}) n`,
    `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
     select gen_random_uuid(), k.id, ${id('r', `${firstResource} + r.n`)}, ${home},
       ${user(`${members - 1}`)}, 'private'
     from generate_series(0, ${resources - 1}) r(n), resource_kinds k`,
    share('user_id', '0', user('n'), `generate_series(0, ${members - 1}) n`),
    share('user_id', '1', user('n'), `generate_series(0, ${Math.floor(members * 0.9) - 1}) n`),
    share('group_id', '1', group('n'), `generate_series(0, ${groups - 1}) n`),
    share('user_id', 'r.n', user(`r.n * 7919 % ${members}`), others),
    share('user_id', 'r.n', user(`(r.n * 7919 + 1) % ${members}`), others),
    share('group_id', 'r.n', group(`r.n % ${groups}`), others),
  ]
}

/** Creates a workspace with one member, who is in every group and owns no resources. */
function groupedMemberSql(size: Size): string[] {
  const { workspace, user, firstGroup, groups, resource } = groupedMemberOf(size)
  const [home, member] = [id('w', `${workspace}`), id('u', `${user}`)]
  const group = id('g', `${firstGroup} + n`)
  const all = `generate_series(0, ${groups - 1}) n`
  return [
    `insert into users (id, email, name) values (${member}, 'grouped@example.com', 'Grouped')`,
    `insert into workspaces (id, name, slug) values (${home}, 'Grouped', 'grouped')`,
    `insert into members (user_id, workspace_id, role, joined_at)
     values (${member}, ${home}, 'viewer', now())`,
    `insert into groups (id, workspace_id, name) select ${group}, ${home}, 'Group ' || n from ${all}`,
    `insert into group_members (group_id, user_id, workspace_id)
     select ${group}, ${member}, ${home} from ${all}`,
    `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
     select gen_random_uuid(), k.id, ${id('r', `${resource}`)}, ${home}, ${id('u', '0')}, 'private'
     from resource_kinds k`,
    `insert into shares (id, kind_id, resource_id, workspace_id, group_id, permission)
     select gen_random_uuid(), k.id, ${id('r', `${resource}`)}, ${home}, ${group}, 'view'
     from ${all}, resource_kinds k`,
  ]
}

function id(prefix: string, n: string): string {
  return `md5('${prefix}' || (${n}))::uuid`
}
