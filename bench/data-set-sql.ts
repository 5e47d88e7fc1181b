import type { Size } from './data-set.ts'

/**
 * The statements that make the data set, the same one each time. User n is a member of workspace
 * n mod workspaces; a fifth of the resources is in workspace 0, the others likewise by turns. Each
 * is owned by one member and shared with two more and a group; one in ten is open. A user is in ten
 * groups of a hundred. At the end come the three readers of `readers`.
 */
export function dataSetSql({ users, workspaces, resources }: Size): string[] {
  const members = users / workspaces
  const groups = workspaces * 100
  const large = resources / 5
  const home = `case when r.n < ${large} then 0 else r.n % ${workspaces} end`
  const place = `case when r.n < ${large} then r.n else r.n / ${workspaces} end`
  // A member of the resource's workspace, another one for each `salt`.
  const member = (salt: number) =>
    `((${place})::bigint * 7919 + ${salt}) % ${members} * ${workspaces} + (${home})`
  const permission = `case when r.n % 3 = 0 then 'edit' else 'view' end`
  const share = (column: string, grantee: string, where = 'true') => `
    insert into shares (id, kind_id, resource_id, workspace_id, ${column}, permission)
    select gen_random_uuid(), k.id, ${id('r', 'r.n')}, ${id('w', home)}, ${grantee}, ${permission}
    from generate_series(0, ${resources - 1}) r(n), resource_kinds k where ${where}`
  const reader = (at: number, part: number) =>
    share('user_id', id('u', `${users + at}`), `r.n < ${large} and r.n % ${part} = 0`)

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
    ...[2000, 20, 2].map((part, at) => reader(at, part)),
    `insert into service_apps (id, name, service_name)
     values (gen_random_uuid(), 'bench', 'docs')`,
  ]
}

function id(sort: string, n: string): string {
  return `md5('${sort}' || (${n}))::uuid`
}
