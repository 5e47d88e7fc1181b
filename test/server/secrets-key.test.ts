import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { ConfigError } from '../../src/config/config.ts'
import { readEncryptionKeys } from '../../src/config/encryption-keys.ts'
import { createSecretBox } from '../../src/core/secret-box.ts'
import { readConfig } from '../../src/server/config.ts'
import { runCliWith } from '../support/cli.ts'

const newKey = () => randomBytes(32)
const folder = mkdtempSync(join(tmpdir(), 'daikon-secrets-'))
test.after.always(() => rmSync(folder, { recursive: true }))

test('an encrypted secret can be read with its key and context only', (t) => {
  const [key, other] = [newKey(), newKey()]
  const box = createSecretBox([key])
  const encrypted = box.encrypt('whsec_é', 'webhooks/1')
  t.false(encrypted.includes('whsec'))
  t.not(box.encrypt('whsec_é', 'webhooks/1'), encrypted, 'the nonce differs')
  t.is(box.decrypt(encrypted, 'webhooks/1'), 'whsec_é')
  t.throws(() => box.decrypt(encrypted, 'webhooks/2'))
  t.throws(() => createSecretBox([other]).decrypt(encrypted, 'webhooks/1'), {
    message: /is not configured/,
  })
  const [version, id, text = ''] = encrypted.split('.')
  const bytes = Buffer.from(text, 'base64url')
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes)
    changed[index] = (changed[index] ?? 0) ^ 1
    const tampered = [version, id, changed.toString('base64url')].join('.')
    t.throws(() => box.decrypt(tampered, 'webhooks/1'), undefined, `byte ${index}`)
  }
  for (const broken of ['', '1', `1.${id}.`, `1.${id}.AAAA`, `2.${id}.${text}`])
    t.throws(() => box.decrypt(broken, 'webhooks/1'), undefined, broken)
})

test('the first key encrypts, and all keys decrypt', (t) => {
  const [old, next] = [newKey(), newKey()]
  const encrypted = createSecretBox([old]).encrypt('secret', 'a')
  const box = createSecretBox([next, old])
  t.is(box.decrypt(encrypted, 'a'), 'secret')
  t.false(box.isCurrent(encrypted))
  t.true(box.isCurrent(box.encrypt('secret', 'a')))
  t.is(createSecretBox([next]).decrypt(box.encrypt('secret', 'a'), 'a'), 'secret')
})

test('without a key, nothing can be encrypted', (t) => {
  const error = t.throws(() => createSecretBox([]).encrypt('secret', 'a'))
  t.like(error, { code: 'failed_precondition', reason: 'ENCRYPTION_KEY_MISSING' })
})

test('the keys come from the setting, or else from a file that others cannot read', (t) => {
  const [first, second] = [newKey(), newKey()]
  const read = (setting: string, debug = 'true') =>
    readEncryptionKeys({
      ...readConfig({ SECRETS_ENCRYPTION_KEY: setting, DATA_DIR: folder, DEBUG: 'true' }),
      DEBUG: debug === 'true',
    })
  const text = `${first.toString('base64')}, ${second.toString('base64url')}`
  t.deepEqual(read(text), [first, second])
  t.deepEqual(read(''), [])
  for (const bad of ['short', newKey().toString('hex'), `${first.toString('base64')},x`]) {
    const error = t.throws(() => read(bad), { instanceOf: ConfigError })
    t.regex(error?.message ?? '', /^SECRETS_ENCRYPTION_KEY must list keys of 32 bytes in base64/)
    t.false(error?.message.includes(bad), 'the error does not repeat the key')
  }
  const path = join(folder, 'secrets-key')
  writeFileSync(path, `${second.toString('base64')}\n`, { mode: 0o644 })
  t.deepEqual(read(''), [second])
  t.deepEqual(read(text), [first, second])
  t.throws(() => read('', 'false'), { message: new RegExp(`run chmod 600 ${path}`) })
  writeFileSync(path, 'nonsense')
  t.throws(() => read(''), { instanceOf: ConfigError, message: new RegExp(`^${path} must list`) })
})

test('keys make creates the file, once', async (t) => {
  const data = join(folder, 'data')
  const settings = {
    DATA_DIR: data,
    JWT_PRIVATE_KEY_PATH: join(data, 'private.pem'),
    JWT_PUBLIC_KEY_PATH: join(data, 'public.pem'),
  }
  const make = () => runCliWith(settings, 'keys', 'make')
  const path = join(data, 'secrets-key')
  const made = await make()
  t.is(made.status, 0, made.err)
  t.true(made.out.includes(path))
  t.is(statSync(path).mode & 0o777, 0o600)
  const key = readFileSync(path, 'utf8')
  t.is(Buffer.from(key, 'base64').length, 32)
  t.is((await make()).status, 1, 'both exist')
  rmSync(path)
  const again = await make()
  t.is(again.status, 0, 'the signing keys exist, the other key does not')
  t.not(readFileSync(path, 'utf8'), key)
})
