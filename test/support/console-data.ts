import { randomUUID } from 'node:crypto'
import type { ConsoleFixture } from './console.ts'

const names = [
  'Amara Nwosu',
  'Ben Carter',
  'Chiara Conti',
  'Daniel Weiss',
  'Elif Yılmaz',
  'Farid Haddad',
  'Grace Kim',
  'Hugo Martin',
  'Ingrid Solberg',
  'Jonas Berg',
  'Keiko Tanaka',
  'Lucía Fernández',
  'Mateus Silva',
  'Nadia Rahman',
  'Oscar Lind',
  'Priya Sharma',
  'Quentin Dubois',
  'Rosa Alvarez',
  'Samir Patel',
  'Tomáš Novák',
  'Uma Krishnan',
  'Viktor Petrov',
  'Wen Li',
  'Yara Mansour',
  'Zoe Andersson',
]

/** The objects whose pages the tests and the pictures open. */
export type SampleData = {
  workspaceId: string
  groupId: string
  userId: string
  resourceId: string
  serviceAppId: string
  clientAppId: string
  /** A client app with a secret. */
  secretAppId: string
  managementAppId: string
  webhookId: string
  serviceAccountId: string
}

/** Fills the server with the data of a small company, through the API where possible. */
export async function createSampleData(fixture: ConsoleFixture): Promise<SampleData> {
  const { call } = fixture
  const workspaceId = await createWorkspaces(fixture)
  const people = await importPeople(fixture)
  const app = await call('POST', '/admin/service-apps', { name: 'Documents', service_name: 'docs' })
  await call('POST', '/admin/service-apps', { name: 'Invoices', service_name: 'invoices' })
  await registerActions(fixture, app.key)
  await call('PUT', '/admin/resource-types/docs/document', {
    description: 'Pages that people write together',
    roles: [
      { name: 'commenter', description: 'Reads and comments', actions: ['view', 'comment'] },
      { name: 'triage', description: 'Sorts documents', actions: ['view', 'publish'] },
    ],
  })
  const resources = await registerResources(fixture, app.key, workspaceId, people)
  const clientApp = await call('POST', '/admin/client-apps', {
    name: 'Documents',
    redirect_uris: ['https://docs.example.com/callback', 'http://localhost:3000/callback'],
    post_logout_redirect_uris: ['https://docs.example.com/'],
  })
  const secretApp = await call('POST', '/admin/client-apps', {
    name: 'Invoices',
    type: 'confidential',
    redirect_uris: ['https://invoices.example.com/callback'],
  })
  const managementApp = await call('POST', '/admin/management-apps', {
    name: 'Deployment',
    scopes: ['workspaces:write', 'apps:write'],
  })
  const webhookId = await createWebhook(fixture)
  const groupId = await createGroupsAndRoles(fixture, workspaceId, people)
  const [resource] = resources
  const share = { grantee_type: 'group', grantee_id: groupId, permission: 'edit' }
  await call('POST', `/admin/permissions/${resource}/share`, share)
  await call('POST', `/admin/permissions/${resource}/share`, {
    grantee_type: 'user',
    grantee_id: people[3],
    permission: 'view',
    expires_at: new Date(Date.now() + 14 * 86_400_000).toISOString(),
  })
  const serviceAccountId = await createServiceAccounts(fixture, workspaceId)
  await insertSignIns(fixture, people)
  const userId = people[2] as string
  await insertSessions(fixture, workspaceId, userId)
  return {
    workspaceId,
    groupId,
    userId,
    resourceId: resource as string,
    serviceAppId: app.id,
    clientAppId: clientApp.id,
    secretAppId: secretApp.id,
    managementAppId: managementApp.id,
    webhookId,
    serviceAccountId,
  }
}

async function createWorkspaces({ call }: ConsoleFixture): Promise<string> {
  const northwind = { name: 'Northwind', slug: 'northwind', description: 'The whole company' }
  const { id } = await call('POST', '/admin/workspaces', northwind)
  await call('POST', '/admin/workspaces', { name: 'Finance', slug: 'finance' })
  await call('POST', '/admin/workspaces', { name: 'Partner portal', slug: 'partners' })
  return id
}

async function importPeople({ call, pool }: ConsoleFixture): Promise<string[]> {
  const rows = names.flatMap((name, index) => {
    const email = `${toAscii(name)}@example.com`
    const role = index < 2 ? 'admin' : index % 3 === 0 ? 'editor' : 'viewer'
    const group = index % 4 === 0 ? 'Design' : index % 4 === 1 ? 'Engineering' : ''
    const first = `${email},${name},northwind,${role},${group}`
    return index % 5 === 0 ? [first, `${email},${name},finance,viewer,`] : [first]
  })
  const csv = `email,name,workspace_slug,role,groups\n${rows.join('\n')}\n`
  await call('POST', '/admin/import/csv/execute', { csv })
  const emails = names.map((name) => `${toAscii(name)}@example.com`)
  const { rows: users } = await pool.query('select id, email from users where email = any($1)', [
    emails,
  ])
  const ids = emails.map((email) => users.find((user) => user.email === email).id)
  // Some members have joined, and the others remain invited.
  await pool.query('update members set joined_at = now() where user_id = any($1)', [
    ids.slice(0, 18),
  ])
  await pool.query(
    `update users set last_sign_in_at = now() - random() * interval '20 days'
     where id = any($1)`,
    [ids.slice(0, 18)],
  )
  await pool.query(
    `update users set created_at = now() - random() * interval '29 days' where id = any($1)`,
    [ids],
  )
  return ids
}

/** Creates a webhook for events that do not happen, with a delivery that has arrived. */
async function createWebhook({ call, pool }: ConsoleFixture): Promise<string> {
  const { id } = await call('POST', '/admin/webhooks', {
    url: 'https://hooks.example.invalid/daikon',
    description: 'Search index',
    events: ['user.erased', 'activity.*'],
  })
  await pool.query(
    `insert into webhook_deliveries (id, webhook_id, type, state, attempts, created_at,
       attempted_at, duration_ms, request_body, response_status, response_body)
     values ($1, $2, 'user.erased', 'delivered', 1, now() - interval '1 day',
       now() - interval '1 day', 42, $3, 202, '{"queued":true}')`,
    [
      randomUUID(),
      id,
      '{"type":"user.erased","timestamp":"2026-01-31T09:00:00.000Z","position":7}',
    ],
  )
  return id
}

function toAscii(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[^\x20-\x7e]/g, '')
    .toLowerCase()
    .replace(' ', '.')
}

async function registerActions({ restUrl }: ConsoleFixture, key: string): Promise<void> {
  await callAsService(restUrl, key, 'PUT', '/permissions/actions', {
    service_name: 'docs',
    actions: [
      { name: 'comment', description: 'Write comments' },
      { name: 'export', description: 'Export as PDF' },
      { name: 'publish', description: 'Publish to the website' },
    ],
  })
}

async function registerResources(
  { restUrl, pool, adminId }: ConsoleFixture,
  key: string,
  workspaceId: string,
  people: string[],
): Promise<string[]> {
  const titles = ['roadmap-2027', 'handbook', 'salaries', 'brand-guidelines', 'launch-plan']
  const resources = titles.map((external_id, index) => ({
    service_name: 'docs',
    resource_type: 'document',
    external_id,
    workspace_id: workspaceId,
    owner_id: index === 2 ? adminId : people[index + 4],
    visibility: index % 2 === 1 ? 'workspace' : 'private',
  }))
  await callAsService(restUrl, key, 'POST', '/permissions/register/batch', { resources })
  const { rows } = await pool.query('select id, external_id from resources')
  return titles.map((title) => rows.find((row) => row.external_id === title).id)
}

async function callAsService(
  restUrl: string,
  key: string,
  method: string,
  path: string,
  body: object,
): Promise<void> {
  const headers = { 'x-service-key': key, 'content-type': 'application/json' }
  const response = await fetch(`${restUrl}${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
}

async function createGroupsAndRoles(
  { call }: ConsoleFixture,
  workspaceId: string,
  people: string[],
): Promise<string> {
  const path = `/admin/workspaces/${workspaceId}`
  const product = await call('POST', `${path}/groups`, {
    name: 'Product',
    description: 'Everyone who builds it',
  })
  const groups: { id: string; name: string }[] = await call('GET', `${path}/groups`)
  for (const { id, name } of groups) {
    if (name !== 'Product') await call('POST', `/admin/groups/${product.id}/groups/${id}`, {})
  }
  await call('POST', `/admin/groups/${product.id}/members/${people[7]}`, {})
  const services = await call('GET', '/admin/service-actions')
  const [comment, , publish] = services[0].actions
  for (const [name, action] of [
    ['Reviewer', comment],
    ['Publisher', publish],
  ]) {
    const role = await call('POST', `${path}/roles`, { name })
    await call('POST', `/admin/roles/${role.id}/actions`, { service_action_ids: [action.id] })
    await call('POST', `/admin/roles/${role.id}/members/${people[name === 'Reviewer' ? 2 : 5]}`)
  }
  return product.id
}

async function createServiceAccounts(
  { call }: ConsoleFixture,
  workspaceId: string,
): Promise<string> {
  const path = `/admin/workspaces/${workspaceId}/service-accounts`
  const { id } = await call('POST', path, { name: 'Nightly export', role: 'viewer' })
  await call('POST', `${path}/${id}/keys`, { name: 'CI' })
  const old = await call('POST', path, { name: 'Old sync', role: 'editor' })
  await call('PATCH', `${path}/${old.id}`, { is_active: false })
  return id
}

/** Inserts sign-ins of the last month, with more on weekdays. */
async function insertSignIns({ pool }: ConsoleFixture, people: string[]): Promise<void> {
  for (let day = 29; day >= 0; day -= 1) {
    const date = new Date(Date.now() - day * 86_400_000)
    const isWeekend = [0, 6].includes(date.getUTCDay())
    const count = isWeekend ? 2 : 7 + ((day * 5) % 9)
    const time = date.getTime().toString(16).padStart(12, '0')
    const rows = Array.from({ length: count }, (_, index) => [
      `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`,
      people[(index * 3 + day) % 18],
    ])
    await pool.query(
      `insert into activity (id, action, target_type, target_id, actor_id, detail, created_at)
       select id, 'user.signed_in', 'user', person, person, '{"provider":"google"}', $3
       from unnest($1::uuid[], $2::uuid[]) as t (id, person)`,
      [rows.map(([id]) => id), rows.map(([, person]) => person), date],
    )
  }
}

async function insertSessions(
  { pool }: ConsoleFixture,
  workspaceId: string,
  userId: string,
): Promise<void> {
  const agents = [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1',
  ]
  for (const agent of agents) {
    await pool.query(
      `insert into refresh_families (id, user_id, workspace_id, provider, user_agent, created_at,
         last_used_at, expires_at)
       values ($1, $2, $3, 'google', $4, now() - interval '2 days', now() - interval '1 hour',
         now() + interval '5 days')`,
      [randomUUID(), userId, workspaceId, agent],
    )
  }
  await pool.query(
    `insert into linked_accounts (id, provider, subject, user_id, email)
     select gen_random_uuid(), 'google', '10824', id, email from users where id = $1`,
    [userId],
  )
}
