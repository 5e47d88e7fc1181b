import test from 'ava'
import { query } from '../../src/database/query.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { database } = environment
test.after.always(() => environment.stop())

test('PostgreSQL compiles the statements of no pool', async (t) => {
  t.deepEqual(await database.statements.rows('jit', 'show jit', []), [['off']])
  t.deepEqual(await query(database.fork(), 'show jit', []), [{ jit: 'off' }])
})
