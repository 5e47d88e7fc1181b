import { randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { type App, type AppParts, createApp } from '../../src/app.ts'
import { type Keys, makeKeys, readKeys } from '../../src/identity/keys.ts'
import { createInProcessWindows } from '../../src/limits/in-process.ts'
import type { Fault } from '../../src/rpc/fault.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { cloneDatabase } from './database.ts'
import { createDoors, type Door } from './doors.ts'
import { createSeed, type Seed } from './seed.ts'

/** One node: the very app that production starts, on free ports. */
export type Node = {
  app: App
  doors: Door[]
  grpcPort: number
  httpPort: number
  failures: Fault[]
  /** What the operator was told. */
  warnings: string[]
  stop(): Promise<void>
}

/** A database of its own with a node over it. */
export type World = Node & {
  pool: Pool
  seed: Seed
  clock: { now: Date | undefined }
  databaseUrl: string
  /** An access token of the user for the workspace. */
  token(
    userId: string,
    workspaceId: string,
    parts?: { jti?: string; seconds?: number },
  ): Promise<string>
  /** Another node on the same database. */
  another(options?: Partial<AppParts['options']>): Promise<Node>
}

/** Starts a world; `stop` takes it down with all its nodes. */
export async function startWorld(
  options: Partial<AppParts['options']> = {},
  databaseUrl?: string,
  parts: Partial<AppParts> = {},
): Promise<World> {
  const database = await cloneDatabase()
  const keys = await makeTestKeys()
  const clock: World['clock'] = { now: undefined }
  const nodes: Node[] = []
  const another = async (more: Partial<AppParts['options']> = {}) => {
    const node = await startNode(
      databaseUrl ?? database.url,
      keys,
      clock,
      { ...options, ...more },
      parts,
    )
    nodes.push(node)
    return node
  }
  const first = await another()
  return {
    ...first,
    another,
    clock,
    pool: database.pool,
    databaseUrl: database.url,
    seed: createSeed(database.pool),
    token: (sub, wid, { jti = randomUUID(), seconds = 900 } = {}) => {
      const person = { sub, jti, email: 'someone@example.com', name: 'someone' }
      const place = { wid, wslug: 'w', wrole: 'viewer' as const, groups: [] }
      return first.app.tokens.sign('access', { ...person, ...place }, seconds)
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()))
      await database.drop()
    },
  }
}

async function startNode(
  url: string,
  keys: Keys,
  clock: World['clock'],
  options: Partial<AppParts['options']>,
  parts: Partial<AppParts>,
): Promise<Node> {
  const database = openDatabase(url, () => {})
  const failures: Fault[] = []
  const warnings: string[] = []
  const app = createApp({
    ...{ database, keys, windows: createInProcessWindows(), providers: new Map() },
    now: () => clock.now ?? new Date(),
    warn: (text) => warnings.push(text),
    onFailure: (fault) => {
      failures.push(fault)
      if (fault.kind === 'internal') console.error(fault.cause)
    },
    options: {
      baseUrl: 'http://localhost:8000',
      adminUrl: 'http://localhost:9004',
      adminEmails: [],
      personalWorkspaces: true,
      lifetimes: { access: 900, refresh: 604_800, admin: 3600 },
      sessionSecret: 'a secret of the tests',
      secureCookies: false,
      debug: true,
      keysRequired: false,
      globalLimit: undefined,
      trustedProxies: 0,
      allowedHosts: ['*'],
      corsOrigins: [],
      ...options,
    },
    ...parts,
  })
  const host = '127.0.0.1'
  const ports = {
    grpcPort: await app.openInside(host, 0),
    httpPort: await app.openOutside(host, 0),
  }
  const doors = createDoors(app, ports)
  return {
    ...{ app, doors, failures, warnings, ...ports },
    async stop() {
      for (const door of doors) door.close()
      await app.drain()
      await database.close()
    },
  }
}

async function makeTestKeys(): Promise<Keys> {
  const folder = await mkdtemp(join(tmpdir(), 'daikon-keys-'))
  const paths = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
  makeKeys(paths)
  return readKeys(paths)
}
