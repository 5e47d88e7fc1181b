import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Tokens } from '../../src/identity/tokens.ts'

/** The objects of a lane. Lanes do not share objects. */
export type Lane = {
  lane: number
  /** The user whose access is read. */
  user: string
  email: string
  /** The owner of the workspace and of the resource. */
  owner: string
  workspace: string
  /** Registered by the recorder. */
  resource: string
  /** Delegations by which an agent may view for the owner. Each is ended at most once. */
  delegations: string[]
  userToken: string
  ownerToken: string
}

/** Creates lanes, starting with number `first`, with their users, workspaces and memberships. */
export async function createLanes(
  url: string,
  tokens: Pick<Tokens, 'sign'>,
  first: number,
  count: number,
): Promise<Lane[]> {
  const lanes = await Promise.all(
    Array.from({ length: count }, (_, index) => createLane(tokens, first + index)),
  )
  await insertLanes(url, lanes)
  return lanes
}

async function createLane(tokens: Pick<Tokens, 'sign'>, lane: number): Promise<Lane> {
  const user = randomUUID()
  const owner = randomUUID()
  const workspace = randomUUID()
  return {
    lane,
    user,
    email: `user-${user}@example.com`,
    owner,
    workspace,
    resource: randomUUID(),
    delegations: Array.from({ length: delegationCount }, () => randomUUID()),
    userToken: await signToken(tokens, user, workspace),
    ownerToken: await signToken(tokens, owner, workspace),
  }
}

function signToken({ sign }: Pick<Tokens, 'sign'>, user: string, workspace: string) {
  const claims = {
    sub: user,
    jti: randomUUID(),
    email: 'user@example.com',
    name: 'user',
    wid: workspace,
    wslug: 'lane',
    wrole: 'viewer' as const,
    groups: [],
  }
  return sign('access', claims, 86_400)
}

/** The number of delegations of a lane, which is not used any longer than they last. */
const delegationCount = 40

const insertSql = `
  with lane as (
    select * from jsonb_to_recordset($1) as lane
      ("user" uuid, email text, owner uuid, workspace uuid, delegations uuid[])
  ), new_users as (
    insert into users (id, name, email)
      select "user", 'user', email from lane
      union all select owner, 'owner', 'owner-' || owner || '@example.com' from lane
  ), new_workspaces as (
    insert into workspaces (id, name, slug) select workspace, 'lane', 'lane-' || workspace from lane
  ), new_delegations as (
    insert into delegations (id, user_id, workspace_id, service_name, agent_type, agent_id,
        agent_name, actions, reason, created_at, expires_at)
      select id, owner, workspace, 'documents', 'service_account', id, 'agent', '{view}', 'test',
        now(), now() + interval '1 day'
      from lane, unnest(delegations) id
  )
  insert into members (workspace_id, user_id, role, joined_at)
    select workspace, "user", 'viewer', now() from lane
    union all select workspace, owner, 'owner', now() from lane`

async function insertLanes(url: string, lanes: Lane[]): Promise<void> {
  // Commits wait while no standby is connected. The caller creates other lanes then.
  const timeouts = { connectionTimeoutMillis: 5000, query_timeout: 10_000 }
  // Sessions of other names count as older nodes, while which no type can require anything.
  const name = { application_name: 'psql' }
  const client = new pg.Client({ connectionString: url, ...name, ...timeouts })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(insertSql, [JSON.stringify(lanes)])
  } finally {
    await client.end()
  }
}
