import test from 'ava'
import { decodeJwt } from 'jose'
import { createSignInEnvironment, signInAdmin } from '../support/sign-in.ts'

const people = [
  { name: 'Careful', email: 'careful@example.com', amr: ['pwd', 'mfa'] },
  { name: 'Careless', email: 'careless@example.com', amr: ['pwd'] },
]
const environment = await createSignInEnvironment({
  people,
  options: { ADMIN_EMAILS: people.map(({ email }) => email) },
})
const recent = await environment.addNode({ ADMIN_MAX_AGE_MINUTES: 10 })
const strong = await environment.addNode({ ADMIN_REQUIRED_AMR: ['hwk', 'mfa'] })
test.after.always(() => environment.stop())

for (const transport of recent.transports) {
  test.serial(`a maximum age limits the admin token over ${transport.label}`, async (t) => {
    const { admin = '' } = await signInAdmin(transport, 'careful@example.com', 'google')
    const { exp = 0, iat = 0 } = decodeJwt(admin)
    t.true(exp - iat > 500 && exp - iat <= 600)
  })

  test.serial(
    `a maximum age requires a provider that reports the time over ${transport.label}`,
    async (t) => {
      const { admin, location } = await signInAdmin(transport, 'careful@example.com', 'github')
      t.is(admin, undefined)
      t.is(new URL(location).searchParams.get('error'), 'reauthentication_required')
    },
  )
}

for (const transport of strong.transports) {
  test.serial(`administrators must use a required method over ${transport.label}`, async (t) => {
    t.truthy((await signInAdmin(transport, 'careful@example.com', 'google')).admin)
    for (const [email, provider] of [
      ['careless@example.com', 'google'],
      ['careful@example.com', 'github'],
    ] as const) {
      const { admin, location } = await signInAdmin(transport, email, provider)
      t.is(admin, undefined)
      t.is(new URL(location).searchParams.get('error'), 'amr_missing')
    }
  })
}
