// Threat: state not compared where PKCE is absent; state of another provider or flow.
import test from 'ava'
import { providerNames } from '../../src/identity/providers/provider.ts'
import { expectOk, failedCalls } from '../support/outcome.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createSignInEnvironment, signInAtProvider } from '../support/sign-in.ts'
import type { Outcome, Transport } from '../support/transports.ts'

const boss = { name: 'Boss', email: 'boss@example.com' }
const environment = await createSignInEnvironment({
  people: [boss],
  options: { ADMIN_EMAILS: [boss.email] },
})
const second = await environment.addNode()
const otherSecretNode = await environment.addNode({
  SESSION_SECRET_KEY: 'another secret of the tests',
})
test.after.always(() => environment.stop())

const flows = [
  { flow: 'user', begin: 'BeginLogin', complete: 'CompleteLogin' },
  { flow: 'admin', begin: 'BeginAdminLogin', complete: 'CompleteAdminLogin' },
] as const

/** Returns the same transport of another node. */
function transportOf({ transports }: { transports: Transport[] }, { name }: Transport): Transport {
  return transports.find((transport) => transport.name === name) as Transport
}

const isRefused = (outcome: Outcome) =>
  !outcome.ok &&
  outcome.code === 'failed_precondition' &&
  outcome.reason === 'STATE_REFUSED' &&
  outcome.headers.location === undefined &&
  outcome.headers['set-cookie'] === undefined

/** Applies changes to a message; undefined omits a field. */
function altered(message: Record<string, unknown>, changes: Record<string, unknown>) {
  const entries = Object.entries({ ...message, ...changes })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** Replaces one character of a base64url value. */
function replaceCharacter(value: string, position: number): string {
  const sign = value.at(position) === 'A' ? 'B' : 'A'
  const index = position < 0 ? value.length + position : position
  return value.slice(0, index) + sign + value.slice(index + 1)
}

for (const transport of environment.transports) {
  for (const provider of providerNames) {
    for (const { flow, begin, complete } of flows) {
      const over = `${flow} flow, ${provider}, ${transport.name}`
      const visit = (email = environment.addProviderUser()) =>
        signInAtProvider(transport, provider, email, {}, begin)

      test(`an altered, missing or empty state with a valid cookie is rejected: ${over}`, async (t) => {
        const { message } = await visit()
        const state = String(message.state)
        const others = (await visit()).message.state
        for (const invalid of [
          undefined,
          '',
          'x',
          `${state}x`,
          `x${state}`,
          state.slice(1),
          state.slice(0, -1),
          ` ${state}`,
          `${state} `,
          `${state};`,
          `${state}${state}`,
          `${state},${state}`,
          ...[
            replaceCharacter(state, 0),
            replaceCharacter(state, -1),
            replaceCharacter(state, 20),
            'null',
            'undefined',
            others,
          ],
        ]) {
          const outcome = await transport.call(complete, altered(message, { state: invalid }))
          t.true(isRefused(outcome), `${invalid}`)
        }
        // None of these calls has consumed the state.
        t.true((await transport.call(complete, message)).ok)
      })

      test(`a second callback with the same state is rejected on every node: ${over}`, async (t) => {
        const { message } = await visit()
        t.true((await transport.call(complete, message)).ok)
        for (const node of [environment, second, environment])
          t.true(isRefused(await transportOf(node, transport).call(complete, message)))
        const fresh = await visit()
        const withOtherCode = { ...message, code: fresh.message.code }
        t.true(isRefused(await transport.call(complete, withOtherCode)))
      })

      test(`a missing, foreign or tampered cookie is rejected: ${over}`, async (t) => {
        const [{ message }, other] = [await visit(), await visit()]
        const cookie = String(message.login_state)
        const parts = cookie.split('.')
        const empty = parts.map((_, index) =>
          parts.map((part, other) => (other === index ? '' : part)).join('.'),
        )
        const ends = parts.map(
          (part, index) => parts.slice(0, index).join('.').length + part.length,
        )
        for (const invalid of [
          undefined,
          '',
          'x',
          '....',
          `${cookie}x`,
          `x${cookie}`,
          cookie.slice(0, -1),
          ...[
            replaceCharacter(cookie, 0),
            replaceCharacter(cookie, 3),
            replaceCharacter(cookie, 60),
            replaceCharacter(cookie, -2),
          ],
          ...[
            ...empty.filter((value) => value !== cookie),
            ...ends.map((end) => replaceCharacter(cookie, end - 1)),
          ],
          other.message.login_state,
        ]) {
          if (invalid === cookie) continue
          const outcome = await transport.call(complete, altered(message, { login_state: invalid }))
          t.true(isRefused(outcome), `${invalid}`)
        }
        t.true((await transport.call(complete, message)).ok)
        t.true((await transport.call(complete, other.message)).ok)
      })

      test(`concurrent logins of one browser all succeed, on another node too: ${over}`, async (t) => {
        const email = environment.addProviderUser()
        const tabs = await Promise.all([visit(email), visit(email), visit(email)])
        const outcomes = await Promise.all(
          tabs
            .reverse()
            .map(({ message }) => transportOf(second, transport).call(complete, message)),
        )
        t.deepEqual(failedCalls(outcomes), [])
      })

      test(`one of 10 concurrent callbacks with the same state succeeds: ${over}`, async (t) => {
        const { message } = await visit()
        const outcomes = await Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            transportOf(index % 2 ? second : environment, transport).call(complete, message),
          ),
        )
        t.is(outcomes.filter(({ ok }) => ok).length, 1)
        t.is(outcomes.filter(isRefused).length, 9)
      })

      test(`a login cannot be completed with another provider: ${over}`, async (t) => {
        for (const other of providerNames) {
          if (other === provider) continue
          const { message } = await visit()
          t.true(isRefused(await transport.call(complete, { ...message, provider: other })))
          const foreignLogin = await signInAtProvider(
            transport,
            other,
            environment.addProviderUser(),
            {},
            begin,
          )
          const { code, iss } = foreignLogin.message
          // The other provider's own code does not complete it either.
          const mixed = altered(message, { provider: other, code, iss })
          t.true(isRefused(await transport.call(complete, mixed)))
        }
      })

      test(`a login of one flow cannot be completed in the other: ${over}`, async (t) => {
        const { message } = await visit(
          flow === 'user' ? environment.addProviderUser() : boss.email,
        )
        const other = flow === 'user' ? 'CompleteAdminLogin' : 'CompleteLogin'
        t.true(isRefused(await transport.call(other, message)))
        t.true((await transport.call(complete, message)).ok)
        t.true(isRefused(await transport.call(other, message)))
      })

      test(`a cookie sealed with another secret is rejected: ${over}`, async (t) => {
        const { message } = await visit()
        t.true(isRefused(await transportOf(otherSecretNode, transport).call(complete, message)))
        t.true((await transport.call(complete, message)).ok)
      })

      test.serial(`a login expires after ten minutes: ${over}`, async (t) => {
        t.teardown(() => {
          environment.clock.now = undefined
        })
        const start = Math.floor(Date.now() / 1000) * 1000
        environment.clock.now = new Date(start)
        const [{ message }, late] = [await visit(), await visit()]
        environment.clock.now = new Date(start + 599_000)
        t.true((await transport.call(complete, message)).ok)
        for (const seconds of [600, 601, 86_400]) {
          environment.clock.now = new Date(start + seconds * 1000)
          for (const each of [message, late.message])
            t.true(isRefused(await transport.call(complete, each)), `${seconds}`)
        }
      })
    }
  }
}

test('a repeated state is rejected with any cookies', async (t) => {
  const [rest] = environment.transports.filter(({ name }) => name === 'rest') as [Transport]
  for (const provider of providerNames) {
    const { message } = await signInAtProvider(rest, provider, environment.addProviderUser())
    const { login_state, state, code, iss } = message as Record<string, string>
    for (const pair of [
      [state, state],
      [state, 'x'],
      ['x', state],
      [state, ''],
      ['', state],
    ]) {
      const query = new URLSearchParams({ code: code ?? '', ...(iss && { iss }) })
      for (const each of pair) query.append('state', each ?? '')
      const path = `/auth/callback/${provider}?${query}`
      for (const name of [state, `${state},${state}`, ''])
        for (const cookie of [`login_${name}=${login_state}`]) {
          const { status, headers } = await sendRawHttp(environment.httpPort, {
            path,
            headers: { cookie },
          })
          t.true(status === 400 || status === 422, `${status}`)
          t.is(headers.location, undefined)
        }
    }
    // Two cookies with the same name are ignored.
    const cookie = `login_${state}=${login_state}; login_${state}=x`
    const query = new URLSearchParams({ code: code ?? '', state: state ?? '' })
    const path = `/auth/callback/${provider}?${query}`
    t.is((await sendRawHttp(environment.httpPort, { path, headers: { cookie } })).status, 400)
    t.true(
      new URL(expectOk(await rest.call('CompleteLogin', message)).location).searchParams.has(
        'code',
      ),
    )
  }
})

test('the state of a login is not accepted as a token', async (t) => {
  const transport = environment.transports[0] as Transport
  const { message } = await signInAtProvider(transport, 'google', environment.addProviderUser())
  const state = String(message.login_state)
  for (const each of environment.transports) {
    t.like(await each.call('GetMe', {}, { token: state }), { code: 'unauthenticated' })
    t.like(await each.call('GetAdminMe', {}, { admin: state }), { code: 'unauthenticated' })
    const refresh = await each.call('RefreshToken', { refresh_token: state })
    t.like(refresh, { code: 'unauthenticated' })
    t.like(await each.call('ListCodeWorkspaces', { code: state.slice(0, 200) }), {
      code: 'failed_precondition',
    })
  }
})

test.after('no internal errors occurred', (t) => {
  t.deepEqual(
    [environment, second, otherSecretNode].flatMap(({ failures }) => failures),
    [],
  )
})
