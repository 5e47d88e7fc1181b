import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { advanceRotation } from '../../src/identity/key-rotation.ts'
import { openKeys } from '../../src/identity/key-source.ts'
import { createKeyFiles, type Keys } from '../../src/identity/keys.ts'
import { createTokens } from '../../src/identity/tokens.ts'
import { createVaultSource } from '../../src/identity/vault-keys.ts'
import { readConfig } from '../../src/server/config.ts'
import { createSignInEnvironment, signIn } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'
import { startVaultServer, type VaultMode } from '../support/vault-server.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const minute = 60_000
const start = Date.parse('2026-01-01T00:00:00Z')
const after = (minutes: number) => new Date(start + minutes * minute)

/** An implementation of the signer: how its keys are read and rotated. */
type Implementation = {
  read(now: Date): Promise<Keys>
  /** Publishes a new key and, later, signs with it. */
  publish(now: Date): void
  advance(now: Date): void
}

const implementations: Record<string, (t: ExecutionContext) => Promise<Implementation>> = {
  async 'key files'(t) {
    const folder = mkdtempSync(join(tmpdir(), 'daikon-signers-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const environment = {
      JWT_PRIVATE_KEY_PATH: join(folder, 'private.pem'),
      JWT_PUBLIC_KEY_PATH: join(folder, 'public.pem'),
    }
    const paths = {
      privatePath: environment.JWT_PRIVATE_KEY_PATH,
      publicPath: environment.JWT_PUBLIC_KEY_PATH,
    }
    createKeyFiles(paths, after(0))
    const source = openKeys(readConfig(environment))
    const rotate = (maxAge: number, now: Date) =>
      advanceRotation(paths, { maxAge, publicationTime: 15 * minute, retention: 1e9 }, now)
    return {
      read: async () => (await source.read()).parse(),
      publish: (now) => void rotate(0, now),
      advance: (now) => void rotate(1e9, now),
    }
  },
  async Vault(t) {
    const vault = await startVaultServer()
    t.teardown(vault.close)
    vault.rotate(after(0))
    const folder = mkdtempSync(join(tmpdir(), 'daikon-signers-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const tokenPath = join(folder, 'token')
    writeFileSync(tokenPath, `${vault.options.token}\n`)
    const options = { ...vault.options, token: { path: tokenPath }, timeout: 60_000 }
    return {
      read: async (now) => (await createVaultSource(options, () => now).read()).parse(),
      publish: vault.rotate,
      advance: () => {},
    }
  },
}

for (const [name, create] of Object.entries(implementations)) {
  test.serial(
    `${name}: tokens verify with the published keys before, during and after a rotation`,
    async (t) => {
      const implementation = await create(t)
      const claims = {
        sub: crypto.randomUUID(),
        jti: crypto.randomUUID(),
        wid: crypto.randomUUID(),
      }
      const issued: string[] = []
      const kids: (string | undefined)[] = []
      const issue = async (now: Date) => {
        const keys = await implementation.read(now)
        const tokens = createTokens({
          currentKeys: () => keys,
          issuer: 'https://a.example',
          now: () => now,
        })
        const signed = Array.from({ length: 10 }, () => tokens.sign('refresh', claims, 86_400))
        issued.push(...(await Promise.all(signed)))
        kids.push(decodeProtectedHeader(String(issued.at(-1))).kid)
        t.is(kids.at(-1), keys.signer.kid)
        for (const token of issued) {
          t.like(await tokens.verify('refresh', token), claims)
          const options = { currentDate: now, algorithms: ['RS256'], audience: 'daikon:refresh' }
          await jwtVerify(token, createLocalJWKSet({ keys: keys.jwks }), options)
        }
        return keys
      }
      t.deepEqual((await issue(after(0))).createdAt, after(0))
      implementation.publish(after(60))
      const published = await issue(after(61))
      t.is(published.jwks.length, 2, 'the new key is published before it signs')
      implementation.advance(after(76))
      t.deepEqual((await issue(after(76))).createdAt, after(60))
      t.is(kids[0], kids[1])
      t.not(kids[1], kids[2])
    },
  )
}

test.serial(
  'Vault: a key that is not RSA, a missing key and a wrong token are configuration errors',
  async (t) => {
    const vault = await startVaultServer()
    t.teardown(vault.close)
    const read = (settings: object) => {
      const { address, namespace, token } = vault.options
      const base = { VAULT_ADDR: address, VAULT_NAMESPACE: namespace, VAULT_TOKEN: token }
      return t.throwsAsync(openKeys(readConfig({ ...base, ...settings })).read())
    }
    t.regex(
      (await read({})).message,
      /^VAULT_ADDR: the key transit\/daikon cannot be read: .*no versions/,
    )
    t.regex(
      (await read({ VAULT_TRANSIT_KEY: 'other' })).message,
      /transit\/other cannot be read: .*404/,
    )
    t.regex((await read({ VAULT_TOKEN: 'wrong' })).message, /403.*permission denied/)
    vault.close()
    t.regex((await read({})).message, /cannot be read: ./)
    const findConfigError = (environment: Record<string, string>) =>
      t.throws(() => readConfig({ VAULT_ADDR: 'http://vault:8200', ...environment })).message
    t.is(findConfigError({}), 'VAULT_TOKEN or VAULT_TOKEN_PATH must be set if VAULT_ADDR is set')
    t.regex(
      findConfigError({ DEBUG: 'false', VAULT_TOKEN: 'x' }),
      /VAULT_ADDR must be an https URL/,
    )
  },
)

test.serial(
  'while Vault fails, only issuing tokens fails, with 503; sessions continue afterwards',
  async (t) => {
    const vault = await startVaultServer()
    t.teardown(vault.close)
    vault.rotate(after(0))
    const options = { ...vault.options, timeout: 60_000 }
    const source = createVaultSource(options, () => new Date())
    const keys = await (await source.read()).parse()
    const environment = await createSignInEnvironment({ dependencies: { currentKeys: () => keys } })
    t.teardown(() => environment.stop())
    for (const transport of environment.transports) {
      const fixture = await createWorkspaceFixture(environment, transport)
      const record = await fixture.register(fixture.people.viewer)
      const check = { ...fixture.kind, resource_id: record.resource_id, action: 'view' }
      const credentials = fixture.as(fixture.people.viewer)
      let { tokens } = await signIn(transport as Transport, environment.addProviderUser(), 'github')
      const refresh = () =>
        transport.call('RefreshToken', { refresh_token: tokens.refresh_token }, {})
      for (const mode of [
        'forbidden',
        'error',
        'hang',
        'pss',
        'garbage',
        'padded',
      ] as VaultMode[]) {
        vault.state.mode = mode
        options.timeout = mode === 'hang' ? 300 : 60_000
        const pending = refresh()
        // Checks need no signature and do not wait for calls that do.
        for (let index = 0; index < 5; index += 1) {
          const outcome = await transport.call('Check', { checks: [check] }, credentials)
          t.like(outcome, { ok: true, message: { results: [{ allowed: true }] } })
        }
        t.like(
          await pending,
          { ok: false, code: 'unavailable', reason: 'SIGNER_UNAVAILABLE' },
          mode,
        )
      }
      vault.state.mode = 'ok'
      const refreshed = await refresh()
      t.true(refreshed.ok, 'the refresh token was not consumed')
      tokens = refreshed.ok ? (refreshed.message as typeof tokens) : tokens
      t.true((await transport.call('GetMe', {}, { token: tokens.access_token })).ok)
    }
  },
)
