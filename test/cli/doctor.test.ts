import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { createKeyFiles } from '../../src/identity/keys.ts'
import { runCliWith } from '../support/cli.ts'
import { cloneDatabase } from '../support/database.ts'

type Report = { ok: boolean; findings: { check: string; ok: boolean; detail: string }[] }

const folder = await mkdtemp(join(tmpdir(), 'daikon-doctor-'))
const database = await cloneDatabase()
test.after.always(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const keys = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
createKeyFiles(keys)
const production = {
  DEBUG: 'false',
  BASE_URL: 'https://auth.example.com',
  ADMIN_URL: 'https://admin.example.com',
  COOKIE_SECURE: 'true',
  SESSION_SECRET_KEY: 'x'.repeat(32),
  SERVICE_KEYS_REQUIRED: 'true',
  TRUSTED_PROXIES: '1',
  GOOGLE_CLIENT_ID: 'daikon',
  GOOGLE_CLIENT_SECRET: 'secret',
  JWT_PRIVATE_KEY_PATH: keys.privatePath,
  JWT_PUBLIC_KEY_PATH: keys.publicPath,
}

async function diagnose(environment: Record<string, string>, url = database.url) {
  const { out, status } = await runCliWith(
    { ...environment, DATABASE_URL: url },
    '--json',
    'doctor',
  )
  const report: Report = JSON.parse(out)
  const failed = report.findings.filter(({ ok }) => !ok).map(({ check }) => check)
  return { status, failed, report }
}

test.serial('doctor reports every check that a deployment fails', async (t) => {
  const { status, failed } = await diagnose({
    ...production,
    SERVICE_KEYS_REQUIRED: 'false',
    SESSION_SECRET_KEY: 'short',
    TRUSTED_PROXIES: '0',
    GOOGLE_CLIENT_ID: '',
    GOOGLE_CLIENT_SECRET: '',
    REDIS_URL: 'redis://127.0.0.1:1',
  })
  t.is(status, 1)
  t.deepEqual(failed, [
    'settings',
    'proxies',
    'service keys',
    'providers',
    'redis',
    // The tests run PostgreSQL with fsync=off.
    'durability',
    'service apps',
    'administrators',
  ])
})

test.serial('doctor reports an unreachable database after its other findings', async (t) => {
  const { status, report } = await diagnose(production, 'postgresql://x:y@127.0.0.1:1/z')
  t.is(status, 1)
  t.like(report.findings.at(-1), {
    check: 'database',
    ok: false,
    detail:
      'Cannot connect to PostgreSQL at 127.0.0.1:1 (ECONNREFUSED): start it, or correct DATABASE_URL',
  })
})

test.serial(
  'doctor reports nothing else if a deployment lacks only Redis and durability',
  async (t) => {
    await database.pool.query(
      "insert into users (id, email, name, is_admin) values (gen_random_uuid(), 'root@example.com', 'Root', true)",
    )
    await database.pool.query(
      "insert into service_apps (id, name, service_name) values (gen_random_uuid(), 'Docs', 'docs')",
    )
    const { status, failed, report } = await diagnose(production)
    // REDIS_URL is not set, and the tests run PostgreSQL with fsync=off.
    t.deepEqual(failed, ['redis', 'durability'])
    t.is(status, 1)
    t.true(report.findings.length > 12)
  },
)
