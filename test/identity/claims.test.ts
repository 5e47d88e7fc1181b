import test from 'ava'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, signIn } from '../support/sign-in.ts'

const baseUrl = 'http://localhost:8000'
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const environment = await createSignInEnvironment()
const shortLivedEnvironment = await createSignInEnvironment({
  options: { ACCESS_TOKEN_EXPIRE_MINUTES: 2, REFRESH_TOKEN_EXPIRE_DAYS: 3600 / 86_400 },
})
test.after.always(() => Promise.all([environment.stop(), shortLivedEnvironment.stop()]))

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
    const { jti, iat = 0, exp = 0, auth_time, ...claims } = decodeJwt(tokens.access_token)
    t.deepEqual(claims, {
      sub,
      email,
      name: 'Ann',
      wid,
      wslug: slug,
      wrole: 'owner',
      type: 'access',
      groups: groups.toSorted(),
      iss: baseUrl,
      aud: 'daikon',
      auth_time_unconfirmed: true,
    })
    for (const id of [sub, jti, wid]) t.regex(String(id), uuid)
    t.is(exp - iat, 900)
    t.true(Math.abs(iat - Date.now() / 1000) < 60)
    t.true(Math.abs(Number(auth_time) - iat) < 60)
    t.not(jti, decodeJwt(first.tokens.access_token).jti)
  })

  test(`a token lists at most 100 groups over ${transport.label}`, async (t) => {
    const email = environment.addProviderUser()
    const first = await signIn(transport, email, 'google')
    const wid = first.tokens.workspace_id
    const sub = decodeJwt(first.tokens.access_token).sub as string
    const addGroups = (count: number) =>
      environment.pool.query(
        `with g as (
           insert into groups (id, workspace_id, name)
           select gen_random_uuid(), $1, gen_random_uuid() from generate_series(1, $3) returning id
         ) insert into group_members (group_id, user_id, workspace_id) select id, $2, $1 from g`,
        [wid, sub, count],
      )
    const refresh = async ({ refresh_token }: Record<string, any>) => {
      const tokens = expectOk(await transport.call('RefreshToken', { refresh_token }))
      return { tokens, claims: decodeJwt(tokens.access_token) }
    }
    await addGroups(100)
    const full = await refresh(first.tokens)
    t.is((full.claims.groups as string[]).length, 100)
    t.false('groups_overage' in full.claims)

    await addGroups(1200)
    const { tokens, claims } = await refresh(full.tokens)
    t.true(claims.groups_overage)
    t.false('groups' in claims)
    t.true(tokens.access_token.length < 2000, `${tokens.access_token.length} characters`)
    const token = String(tokens.access_token)
    const group = { workspace_id: wid, name: 'one more' }
    t.is(expectOk(await transport.call('CreateGroup', group, { token })).name, 'one more')
  })

  test(`a refresh token has only the claims it needs over ${transport.label}`, async (t) => {
    const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
    const { jti, iat = 0, exp = 0, sub, ...claims } = decodeJwt(tokens.refresh_token)
    const wid = tokens.workspace_id
    t.deepEqual(claims, { wid, type: 'refresh', iss: baseUrl, aud: 'daikon:refresh' })
    t.is(exp - iat, 604_800)
    for (const id of [jti, sub]) t.regex(String(id), uuid)
  })

  test(`tokens are signed with RS256 and have a kid over ${transport.label}`, async (t) => {
    const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
    for (const [typ, token] of [
      ['at+jwt', tokens.access_token],
      ['refresh+jwt', tokens.refresh_token],
    ]) {
      const { kid, ...header } = decodeProtectedHeader(token)
      t.deepEqual(header, { alg: 'RS256', typ })
      t.regex(kid ?? '', /^[\w-]{43}$/)
    }
  })
}

for (const transport of shortLivedEnvironment.transports) {
  test(`the configured lifetimes apply over ${transport.label}`, async (t) => {
    const { tokens } = await signIn(transport, shortLivedEnvironment.addProviderUser(), 'github')
    t.like(tokens, { expires_in: 120, refresh_expires_in: 3600 })
    const { iat = 0, exp = 0 } = decodeJwt(tokens.access_token)
    t.is(exp - iat, 120)
  })
}
