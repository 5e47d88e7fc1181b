import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

/** Reads with several cookies of the same name, as a sibling host can set them. Returns the status. */
async function read(...tokens: string[]): Promise<number> {
  const cookie = tokens.map((token) => `admin_token=${token}`).join('; ')
  const { status } = await sendRawHttp(environment.httpPort, {
    path: '/auth/admin/me',
    headers: { cookie },
  })
  return status
}

test('of several admin cookies, the valid one counts', async (t) => {
  const { token, id } = await createAdmin(environment)
  const signed = (seconds: number) =>
    environment.app.tokens.sign(
      'admin_access',
      { sub: id, jti: randomUUID(), email: 'admin@example.com', name: 'admin', admin: true },
      seconds,
    )
  t.is(await read(token), 200)
  t.is(await read('planted', token), 200)
  t.is(await read(token, 'planted'), 200)
  t.is(await read(await signed(-10), token), 200)
  t.is(await read(await signed(60), token), 200)
  t.is(await read('planted', 'other'), 401)
})

test('the cookies of two administrators are refused', async (t) => {
  const [one, other] = [await createAdmin(environment), await createAdmin(environment)]
  t.is(await read(one.token, other.token), 401)
  t.is(await read(...Array.from({ length: 5 }, () => one.token)), 401)
})
