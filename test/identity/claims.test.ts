import test from 'ava'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { createSignInEnvironment, signIn } from '../support/sign-in.ts'

const baseUrl = 'http://localhost:8000'
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const lifetimes = { access: 120, refresh: 3600, admin: 60 }
const environment = await createSignInEnvironment()
const brief = await createSignInEnvironment({ options: { lifetimes } })
test.after.always(() => Promise.all([environment.stop(), brief.stop()]))

for (const transport of environment.transports) {
  test(`an access token has exactly the documented claims over ${transport.label}`, async (t) => {
    const email = environment.addProviderUser()
    const first = await signIn(transport, email, 'google')
    const [{ id: wid, slug }] = first.workspaces
    const sub = decodeJwt(first.tokens.access_token).sub as string
    const groups = [
      await environment.seed.group(wid, [sub]),
      await environment.seed.group(wid, [sub]),
    ]
    const { tokens } = await signIn(transport, email, 'github')
    const { jti, iat = 0, exp = 0, ...claims } = decodeJwt(tokens.access_token)
    t.deepEqual(claims, {
      ...{ sub, email, name: 'Ann', wid, wslug: slug, wrole: 'owner', type: 'access' },
      ...{ groups: groups.toSorted(), iss: baseUrl, aud: 'daikon' },
    })
    for (const id of [sub, jti, wid]) t.regex(String(id), uuid)
    t.is(exp - iat, 900)
    t.true(Math.abs(iat - Date.now() / 1000) < 10)
    t.not(jti, decodeJwt(first.tokens.access_token).jti)
  })

  test(`a refresh token has only the claims it needs over ${transport.label}`, async (t) => {
    const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
    const { jti, iat = 0, exp = 0, sub, ...claims } = decodeJwt(tokens.refresh_token)
    const wid = tokens.workspace_id
    t.deepEqual(claims, { wid, type: 'refresh', iss: baseUrl, aud: 'daikon' })
    t.is(exp - iat, 604_800)
    for (const id of [jti, sub]) t.regex(String(id), uuid)
  })

  test(`tokens are signed with RS256 and have a kid over ${transport.label}`, async (t) => {
    const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      const { kid, ...header } = decodeProtectedHeader(token)
      t.deepEqual(header, { alg: 'RS256', typ: 'JWT' })
      t.regex(kid ?? '', /^[\w-]{43}$/)
    }
  })
}

for (const transport of brief.transports) {
  test(`the configured lifetimes apply over ${transport.label}`, async (t) => {
    const { tokens } = await signIn(transport, brief.addProviderUser(), 'github')
    t.like(tokens, { expires_in: 120, refresh_expires_in: 3600 })
    const { iat = 0, exp = 0 } = decodeJwt(tokens.access_token)
    t.is(exp - iat, 120)
  })
}
