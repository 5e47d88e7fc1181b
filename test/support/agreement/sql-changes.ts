import { randomUUID } from 'node:crypto'
import type { Change } from './changes.ts'
import { delegate, resourceTypes, type Scene } from './scene.ts'

/** Returns a change that runs statements in one transaction, as an operator would with psql. */
function sql(
  statements: (scene: Scene) => (string | [text: string, ...values: unknown[]])[],
): Change {
  return {
    async make(scene) {
      const client = await scene.pool.connect()
      try {
        await client.query('begin')
        for (const statement of statements(scene)) {
          const [text, ...values] = typeof statement === 'string' ? [statement] : statement
          await client.query(text, values)
        }
        await client.query('commit')
        return 'ok'
      } catch (error) {
        await client.query('rollback').catch(() => {})
        const { code = '' } = error as { code?: string }
        // The rows of this world do not permit the change.
        if (code.startsWith('23')) return 'constraint'
        throw error
      } finally {
        client.release()
      }
    },
  }
}

const anyUser = ({ random, members }: Scene) => random.pick(members).id
const others = (id: string, { members }: Scene) =>
  members.map((one) => one.id).filter((one) => one !== id)
const inFlatGroup =
  'group_id = $1 and user_id = (select min(user_id::text)::uuid from group_members where group_id = $1)'
const aShare = `id = (select id from shares order by id offset floor(random() * 3) limit 1)`
const aResource = `id = (select id from resources order by random() limit 1)`

/**
 * What operators do in SQL, by name: each table that decides, with inserts, updates of each column,
 * upserts, deletes and truncation.
 */
export const sqlChanges: Record<string, Change> = {
  'insert into group_members': sql((scene) => [
    [
      `insert into group_members (group_id, user_id, workspace_id) values ($1, $2, $3)
       on conflict do nothing`,
      scene.flatGroup,
      anyUser(scene),
      scene.workspace,
    ],
  ]),
  'update group_members.user_id': sql((scene) => [
    [`update group_members set user_id = $2 where ${inFlatGroup}`, scene.flatGroup, anyUser(scene)],
  ]),
  'update group_members.group_id': sql((scene) => [
    [
      `update group_members set group_id = $2 where ${inFlatGroup}`,
      scene.flatGroup,
      scene.random.pick(scene.groups),
    ],
  ]),
  'upsert of group_members': sql((scene) => {
    const user = anyUser(scene)
    return [
      [
        `insert into group_members (group_id, user_id, workspace_id)
         values ($1, (select user_id from group_members where group_id = $1 limit 1), $3)
         on conflict (group_id, user_id) do update set user_id = $2`,
        scene.flatGroup,
        scene.random.pick(others(user, scene)),
        scene.workspace,
      ],
    ]
  }),
  'delete from group_members': sql(({ flatGroup }) => [
    [`delete from group_members where ${inFlatGroup}`, flatGroup],
  ]),
  'share with the group in SQL': sql(({ flatGroup }) => [
    [
      `insert into shares (id, kind_id, resource_id, workspace_id, group_id, permission)
       select gen_random_uuid(), kind_id, resource_id, workspace_id, $1, 'edit' from resources
       where workspace_id = (select workspace_id from groups where id = $1)
       order by random() limit 1`,
      flatGroup,
    ],
  ]),
  'update custom_role_members.user_id': sql((scene) => [
    [
      `update custom_role_members set user_id = $1 where role_id = $2`,
      anyUser(scene),
      scene.roles[0],
    ],
  ]),
  'update custom_role_members.role_id': sql(({ roles, random }) => {
    const [from, to] = random.chance(0.5) ? roles : roles.toReversed()
    return [[`update custom_role_members set role_id = $2 where role_id = $1`, from, to]]
  }),
  'delete from custom_role_members': sql(({ roles }) => [
    [`delete from custom_role_members where role_id = $1`, roles[0]],
  ]),
  'update custom_role_actions': sql(({ roles, actions, random }) => [
    [
      `update custom_role_actions set service_action_id = $2 where role_id = $1`,
      roles[0],
      random.pick(Object.values(actions)),
    ],
  ]),
  'update custom_role_groups': sql(({ roles, random }) => {
    const [from, to] = random.chance(0.5) ? roles : roles.toReversed()
    return [[`update custom_role_groups set role_id = $2 where role_id = $1`, from, to]]
  }),
  'update service_actions.name': sql(({ actions }) => [
    [
      `update service_actions set name = case name when 'publish' then 'publish-later' else 'publish' end
       where id = $1`,
      actions.publish,
    ],
  ]),
  'update members.user_id': sql(({ drifters, workspace }) => {
    const [one, other] = drifters.map(({ id }) => id)
    return [
      [
        `update members set user_id = case when user_id = $1 then $2 else $1 end::uuid
         where workspace_id = $3 and user_id in ($1, $2)`,
        one,
        other,
        workspace,
      ],
    ]
  }),
  'update members.role': sql(({ drifters, random }) => [
    [
      `update members set role = $1 where user_id = any($2)`,
      random.pick(['admin', 'viewer']),
      drifters.map(({ id }) => id),
    ],
  ]),
  'update members.is_guest': sql(({ members, workspace, random }) => [
    [
      `update members set is_guest = not is_guest
       where user_id = $1 and workspace_id = $2 and role = 'viewer'`,
      random.pick(members).id,
      workspace,
    ],
  ]),
  'delete from members': {
    ...sql(({ drifters }) => [
      ['delete from members where user_id = any($1)', drifters.map(({ id }) => id)],
    ]),
    undo: ({ seed, workspace, drifters }) =>
      seed.member(workspace, drifters[0]?.id as string, 'editor'),
  },
  'role of a replicated member': sql(({ drifters, random }) => [
    // Logical replication applies changes like this.
    'set local session_replication_role = replica',
    [
      `update members set role = $1 where user_id = any($2)`,
      random.pick(['admin', 'viewer']),
      drifters.map(({ id }) => id),
    ],
  ]),
  'update shares.resource_id': sql(({ wanderers }) => [
    [
      `update shares set resource_id = (
         select resource_id from resources
         where workspace_id = shares.workspace_id and kind_id = shares.kind_id
         and resource_id <> all($1) order by random() limit 1) where ${aShare}`,
      wanderers,
    ],
  ]),
  'update shares.user_id': sql((scene) => [
    [`update shares set user_id = $1 where ${aShare} and user_id is not null`, anyUser(scene)],
  ]),
  'update shares.permission': sql(({ random }) => [
    [
      `update shares set permission = $1 where ${aShare} and condition is null`,
      random.pick(['view', 'edit']),
    ],
  ]),
  'update shares.expires_at': sql(() => [
    `update shares set expires_at = now() + interval '200 milliseconds' where ${aShare}`,
  ]),
  'delete from shares': sql(() => [`delete from shares where ${aShare}`]),
  'delete of a share by a trigger': sql(() => {
    const name = `note_${randomUUID().slice(0, 8)}`
    return [
      `create table ${name} (text text)`,
      `create function ${name}() returns trigger language plpgsql as $$
       begin delete from shares where ${aShare}; return null; end $$`,
      `create trigger remove_share after insert on ${name} execute function ${name}()`,
      `insert into ${name} values ('gone')`,
      `drop table ${name}`,
      `drop function ${name}()`,
    ]
  }),
  'update resources.resource_id': sql(({ wanderers: [one, other] }) => [
    [
      `update resources set resource_id = case when resource_id = $1 then $2 else $1 end::uuid
       where resource_id in ($1, $2)`,
      one,
      other,
    ],
  ]),
  'update resources.owner_id': sql((scene) => [
    [`update resources set owner_id = $1 where ${aResource}`, anyUser(scene)],
  ]),
  'update resources.visibility': sql(({ random }) => [
    [
      `update resources set visibility = $1 where ${aResource}`,
      random.pick(['private', 'workspace', 'public']),
    ],
  ]),
  'update resources.inherits': sql(() => [
    `update resources set inherits = not inherits where ${aResource}`,
  ]),
  'delete from resource_roles': sql(() => [`delete from resource_roles where name = 'manager'`]),
  'insert into resource_roles': sql(({ random }) => [
    [
      `insert into resource_roles (kind_id, name, description, actions, position)
       select id, 'manager', '', '{manage}', 9 from resource_kinds where resource_type = $1
       on conflict do nothing`,
      random.pick(resourceTypes),
    ],
  ]),
  'update resource_roles': sql(({ random }) => [
    [
      `update resource_roles set actions = $1 where name = 'reader' and kind_id in (
         select id from resource_kinds where resource_type = $2)`,
      random.pick([['view'], ['edit', 'view']]),
      random.pick(resourceTypes),
    ],
  ]),
  'insert into deleted_trees': {
    ...sql(({ wanderers }) => [
      [
        `insert into deleted_trees (id) select id from resources where resource_id = any($1)
         on conflict do nothing`,
        wanderers,
      ],
    ]),
    // Deletes from deleted_trees: the resource is back.
    undo: ({ pool }) => pool.query('delete from deleted_trees'),
  },
  'insert into denied_tokens': {
    ...sql(({ secrets, random }) => [
      [
        `insert into denied_tokens (token_id, expires_at) values ($1, now() + interval '1 hour')
         on conflict do nothing`,
        random.pick([...secrets.tokens.values()]).tokenId,
      ],
    ]),
    undo: ({ pool }) => pool.query('truncate denied_tokens'),
  },
  'insert into delegations': {
    async make(scene) {
      await delegate(scene)
      return 'ok'
    },
  },
  'update delegations.actions': sql(({ delegations, random }) => [
    [
      'update delegations set actions = $2 where id = $1',
      random.pick(delegations),
      random.pick([['view'], ['edit', 'manage'], ['publish']]),
    ],
  ]),
  'update delegations.resource_types': sql(({ delegations, random }) => [
    [
      'update delegations set resource_types = $2 where id = $1',
      random.pick(delegations),
      random.pick([['document'], ['folder'], ['document', 'folder']]),
    ],
  ]),
  'update delegations.resources': sql(({ delegations, random }) => [
    [
      `update delegations set resources = array(select id from resources order by random() limit 2)
       where id = $1`,
      random.pick(delegations),
    ],
  ]),
  'update delegations.expires_at': sql(({ delegations, random }) => [
    [
      `update delegations set expires_at = statement_timestamp() + interval '500 milliseconds'
       where id = $1`,
      random.pick(delegations),
    ],
  ]),
  'update delegations.ended_at': sql(({ delegations, random }) => [
    ['update delegations set ended_at = now() where id = $1', random.pick(delegations)],
  ]),
  'delete from delegations': sql(({ delegations }) => [
    ['delete from delegations where id = $1', delegations[0]],
  ]),
  'update workspaces.delegations': {
    ...sql(({ workspace }) => [
      ['update workspaces set delegations = false where id = $1', workspace],
    ]),
    async undo(scene) {
      await scene.pool.query('update workspaces set delegations = true')
      for (let count = 0; count < 4; count += 1) await delegate(scene)
    },
  },
  'update users.is_active': {
    ...sql((scene) => [['update users set is_active = false where id = $1', anyUser(scene)]]),
    undo: ({ pool }) => pool.query('update users set is_active = true where not is_active'),
  },
  'update users.external_id': sql((scene) => {
    const [one, other] = [scene.random.pick(scene.members), scene.random.pick(scene.members)]
    return [
      ['update users set external_id = null where id = $1', one.id],
      ['update users set external_id = $2 where id = $1', other.id, one.externalId],
    ]
  }),
  'update users.email': sql(({ drifters }) => {
    const [one, other] = drifters
    return [
      [`update users set email = 'moved-' || id || '@example.com' where id = $1`, one?.id],
      [`update users set email = $2 where id = $1`, other?.id, one?.email],
    ]
  }),
  'update service_keys': {
    ...sql(({ appId }) => [
      [`update service_keys set expires_at = now() where app_id = $1`, appId],
    ]),
    undo: ({ pool, appId }) =>
      pool.query('update service_keys set expires_at = null where app_id = $1', [appId]),
  },
  'update resource_requirements': sql(({ random }) => [
    [`update resource_requirements set action = $1`, random.pick(['view', 'edit', 'publish'])],
  ]),
  'update resource_requirements.inherited_in': sql(({ service }) => [
    [
      `update resource_requirements
       set inherited_in = case when inherited_in is null then $1 end`,
      service,
    ],
  ]),
  'truncate resource_requirements': sql(() => ['truncate resource_requirements']),
}
