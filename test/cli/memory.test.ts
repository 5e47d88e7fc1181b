import test from 'ava'
import { openDatabase } from '../../src/database/database.ts'
import { createChangeFeed } from '../../src/permissions/engine/memory/change-feed.ts'
import { runCliWith } from '../support/cli.ts'
import { cloneDatabase } from '../support/database.ts'

test('memory forget makes a node drop its facts', async (t) => {
  const { url, drop } = await cloneDatabase()
  const database = await openDatabase(url, () => {})
  t.teardown(async () => {
    await database.close()
    await drop()
  })
  const feed = createChangeFeed(database.statements)
  // The first call inserts the identity of the database.
  await feed.refresh('')
  await feed.refresh('')
  const version = feed.current()
  await feed.refresh('')
  t.is(feed.current(), version)
  const { out, status } = await runCliWith({ DATABASE_URL: url }, '--json', 'memory', 'forget')
  t.is(status, 0)
  t.deepEqual(JSON.parse(out), { forgotten: true })
  await feed.refresh('')
  t.false(feed.isUnchanged(version, { workspaceId: undefined, itemIds: [] }))
})
