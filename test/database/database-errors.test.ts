import type { Socket } from 'node:net'
import test from 'ava'
import type { PoolClient } from 'pg'
import { ServiceError } from '../../src/core/errors.ts'
import { databaseError, lacksMigrations } from '../../src/database/database-errors.ts'
import { openOrm } from '../../src/database/orm.ts'
import { query } from '../../src/database/query.ts'
import { cloneDatabase } from '../support/database.ts'

const database = await cloneDatabase()
const orm = await openOrm(database.url)
const pool = await orm.em.getConnection().getNativeClient()
test.after.always(async () => {
  await orm.close(true)
  await database.drop()
})

/** Breaks the connection of the next statement as the operating system would. */
function breakConnection(code: string): void {
  pool.once('acquire', (client: PoolClient) => {
    const { connection } = client as unknown as { connection: { stream: Socket } }
    const error = Object.assign(new Error(`write ${code}`), { code, syscall: 'write' })
    setImmediate(() => connection.stream.destroy(error))
  })
}

for (const code of ['ECONNRESET', 'EPIPE', 'EPERM'])
  test.serial(`a connection that breaks with ${code} makes the database unavailable`, async (t) => {
    breakConnection(code)
    const error = await t.throwsAsync(query(orm.em.fork(), 'select pg_sleep(20)'))
    t.is(error.message, `write ${code}`)
    t.is(ServiceError.from(databaseError(error)).reason, 'STORAGE_UNAVAILABLE')
  })

test.serial('an error of a statement keeps its SQLSTATE', async (t) => {
  const error = await t.throwsAsync(query(orm.em.fork(), 'select from missing'))
  t.true(lacksMigrations(error))
  t.is(databaseError(error), error)
})
