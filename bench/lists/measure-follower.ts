import pg from 'pg'
import { ensureDatabase } from '../bench-database.ts'
import type { ServerState } from '../child-process.ts'
import { deleteResourceType, kind } from '../data-set.ts'
import { largeWorkspaceOf } from '../data-set-size.ts'
import type { Harness } from '../harness.ts'
import type { Row } from '../table.ts'
import { changedType, createChanges } from './changed-resources.ts'
import { measureChecks } from './checks.ts'
import { measureFill } from './fill.ts'
import { measureKeys } from './keys.ts'
import { measureLag } from './lag.ts'
import { measurePositions } from './positions.ts'

/** The resource types of the copy. */
const types = [kind.resource_type, changedType]

/** Measures a follower of the data set, which writes to another database of the same PostgreSQL. */
export async function measureFollower(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, signToken } = harness
  const { firstUser, members, workspace } = largeWorkspaceOf(database.size)
  const daikon = harness.daikon()
  const { port } = await daikon.request<ServerState>({})
  const copyUrl = await ensureDatabase(database.url, 'copy')
  const client = new pg.Client({ connectionString: database.url })
  const copy = new pg.Pool({ connectionString: copyUrl })
  const token = await signToken(firstUser + members - 1, workspace)
  await client.connect()
  try {
    const changes = await createChanges(client, { size: database.size, port, token })
    const follower = harness.startProcess('lists/follower.ts', copyUrl, String(port))
    await measureFill(harness, { follower, types, client, copy, port }, addRow)
    await measureLag(harness, { changes, copy }, addRow)
    await follower.request({ types: [] })
    const args = [copyUrl, String(port), 'background']
    const background = harness.startProcess('lists/follower.ts', ...args)
    await measureChecks(harness, { daikon, changes, follower: background, types }, addRow)
    await measureKeys(harness, daikon, addRow)
    changes.close()
    await measurePositions(harness, daikon, client, addRow)
  } finally {
    await deleteResourceType(client, changedType)
    await client.end()
    await copy.query('drop schema if exists daikon_access cascade')
    await copy.end()
  }
}
