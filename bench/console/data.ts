import pg from 'pg'
import { ensureOrganization, idOf, serviceKey } from '../organization-data.ts'

export type ConsoleDataSize = { people: number; entries: number }

export const administrator = {
  id: idOf('u', 0),
  email: 'person0@sales.example.com',
  name: 'Alice Lindqvist',
}

/**
 * A document by the ID that its service uses, and a member of its workspace who may not edit it.
 */
export const document = { id: 'roadmap-2027', reader: 'Carol Danvers' }

/** The workspace of the document, in which the job creates roles. */
export const workspaceName = 'Northwind'

/**
 * Creates people in 2,000 workspaces, one containing all of them, and an activity log of 30
 * days.
 */
export async function fillDatabase(
  url: string,
  { people, entries }: ConsoleDataSize,
): Promise<void> {
  await ensureOrganization(url, {
    users: people,
    workspaces: people / 50,
    groups: people / 5,
  })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query('select count(*)::int from activity')
    if (rows[0].count >= entries) return
    await client.query('set session_replication_role = replica')
    for (const statement of statements({ people, entries })) await client.query(statement)
    await client.query('vacuum (analyze)')
  } finally {
    await client.end()
  }
}

function statements({ people, entries }: ConsoleDataSize): string[] {
  const milliseconds = `(extract(epoch from now()) * 1000)::bigint - (${entries} - n::bigint) * ${Math.floor((30 * 86_400_000) / entries)}`
  return [
    `update users set
       created_at = now() - random() * interval '300 days',
       last_sign_in_at = case when random() < 0.8 then now() - random() * interval '30 days' end`,
    `update users set is_admin = true, name = '${administrator.name}' where id = '${administrator.id}'`,
    `update users set name = '${document.reader}' where id = '${idOf('u', 1)}'`,
    `update workspaces set name = '${workspaceName}', slug = 'northwind' where id = '${idOf('w', 2)}'`,
    `insert into members (user_id, workspace_id, role, joined_at)
     values ('${administrator.id}', '${idOf('w', 2)}', 'owner', now()),
       ('${idOf('u', 1)}', '${idOf('w', 2)}', 'viewer', now())
     on conflict (user_id, workspace_id) do update set role = excluded.role`,
    `insert into activity
       (id, action, target_type, target_id, actor_id, workspace_id, detail, created_at)
     select
       (lpad(to_hex(${milliseconds}), 12, '0') || '7' || substr(md5(n::text), 1, 19))::uuid,
       (array['user.signed_in', 'member.role_changed', 'group.member_added'])[1 + n % 3],
       (array['user', 'workspace', 'group'])[1 + n % 3],
       (array[md5('u' || n % ${people}), md5('w' || n % ${people / 50}), md5('g' || n % ${people / 5})])
         [1 + n % 3]::uuid,
       md5('u' || n::bigint * 7 % ${people})::uuid, md5('w' || n % ${people / 50})::uuid,
       (array['{"provider": "google"}', '{"from": "viewer", "to": "editor"}', '{"name": "Writers"}'])
         [1 + n % 3]::jsonb,
       to_timestamp((${milliseconds}) / 1000.0)
     from generate_series(1, ${entries}) n`,
  ]
}

/** Registers the document and two actions, as its service would when it starts. */
export async function registerResources(restUrl: string): Promise<void> {
  await call(restUrl, 'PUT', '/permissions/actions', {
    service_name: 'docs',
    actions: [
      { name: 'export', description: 'Export as PDF' },
      { name: 'publish', description: 'Publish to the website' },
    ],
  })
  await call(restUrl, 'POST', '/permissions/register', {
    service_name: 'docs',
    resource_type: 'document',
    external_id: document.id,
    workspace_id: idOf('w', 2),
    owner_id: administrator.id,
  })
}

async function call(restUrl: string, method: string, path: string, body: object): Promise<void> {
  const response = await fetch(`${restUrl}${path}`, {
    method,
    headers: { 'x-service-key': serviceKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
}
