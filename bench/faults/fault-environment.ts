import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createKeyFiles, readKeys } from '../../src/identity/keys.ts'
import { createTokens } from '../../src/identity/tokens.ts'
import { createSeed, type Seed } from '../../test/support/seed.ts'
import { type NodeProcess, startNode } from './node-process.ts'

/** A database and the signing keys that its nodes share. */
export type FaultEnvironment = {
  pool: pg.Pool
  seed: Seed
  /** The settings that all nodes share: the database and the keys. */
  settings: Record<string, string>
  /** Signs an access token that is valid for a day. */
  token(
    userId: string,
    workspaceId: string,
    claims?: { jti?: string; groups?: string[] },
  ): Promise<string>
  /** Creates an administrator. Returns an admin token that is valid for a day. */
  adminToken(): Promise<string>
  /** Starts a node; `settings` override the defaults. */
  node(settings?: Record<string, string>): Promise<NodeProcess>
  /** Creates a separate workspace, so that faults do not affect each other. */
  workspace(): Promise<TestWorkspace>
  close(): Promise<void>
}

/** A workspace with an owner, a viewer, a group, and a service app with a key. */
export type TestWorkspace = {
  workspace: string
  owner: { id: string; token: string }
  viewer: { id: string; token: string }
  service: string
  key: string
  /**
   * Creates members with a share and a group membership, so that they can be removed. Returns their
   * IDs.
   */
  createMembersToRemove(count: number): Promise<string[]>
}

/** Creates the environment on a database. The first node migrates the database if necessary. */
export async function createFaultEnvironment(databaseUrl: string): Promise<FaultEnvironment> {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-faults-'))
  const paths = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
  createKeyFiles(paths)
  const keys = await readKeys(paths)
  const tokens = createTokens({
    currentKeys: () => keys,
    issuer: 'http://localhost:8000',
    now: () => new Date(),
  })
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 3 })
  pool.on('error', () => {})
  const seed = createSeed(pool)

  const token: FaultEnvironment['token'] = (sub, wid, { jti = randomUUID(), groups = [] } = {}) => {
    const claims = { sub, jti, email: 'x@example.com', name: 'someone' }
    const membership = { wid, wslug: 'w', wrole: 'viewer' as const, groups }
    return tokens.sign('access', { ...claims, ...membership }, 86_400)
  }
  const adminToken = async () => {
    const sub = await seed.user('admin', { is_admin: true })
    const profile = { sub, jti: randomUUID(), email: 'admin@example.com', name: 'admin' }
    return tokens.sign('admin_access', { ...profile, admin: true }, 86_400)
  }
  const person = async (workspace: string, role: 'owner' | 'viewer') => {
    const id = await seed.newMember(workspace, role)
    return { id, token: await token(id, workspace) }
  }

  const shared = {
    DATABASE_URL: databaseUrl,
    JWT_PRIVATE_KEY_PATH: paths.privatePath,
    JWT_PUBLIC_KEY_PATH: paths.publicPath,
  }

  return {
    pool,
    seed,
    settings: shared,
    token,
    adminToken,
    node: (settings = {}) => startNode({ ...shared, ...settings }),
    async workspace() {
      const workspace = await seed.workspace()
      const service = `docs-${randomUUID().slice(0, 8)}`
      const { key } = await seed.serviceApp(service)
      const group = await seed.group(workspace)
      return {
        workspace,
        service,
        key,
        owner: await person(workspace, 'owner'),
        viewer: await person(workspace, 'viewer'),
        createMembersToRemove: (count) => insertMembersToRemove(pool, workspace, group, count),
      }
    },
    async close() {
      await pool.end()
      rmSync(folder, { recursive: true })
    },
  }
}

async function insertMembersToRemove(
  pool: pg.Pool,
  workspace: string,
  group: string,
  count: number,
) {
  const ids = Array.from({ length: count }, () => randomUUID())
  const sql = `
    with leaver as (select unnest($1::uuid[]) as id),
      kind as (
        insert into resource_kinds (service_name, resource_type) values ('left', $2) returning id),
      person as (insert into users (id, email) select id, id || '@example.com' from leaver),
      member as (insert into members (workspace_id, user_id, role)
        select $3, id, 'viewer' from leaver),
      place as (insert into group_members (group_id, user_id, workspace_id)
        select $4, id, $3 from leaver),
      resource as (insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
        select gen_random_uuid(), kind.id, leaver.id, $3, leaver.id, 'private' from leaver, kind)
    insert into shares (id, kind_id, resource_id, workspace_id, user_id, permission)
      select gen_random_uuid(), kind.id, leaver.id, $3, leaver.id, 'view' from leaver, kind`
  await pool.query(sql, [ids, randomUUID(), workspace, group])
  return ids
}
