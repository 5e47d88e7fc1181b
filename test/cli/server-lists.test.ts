import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { runCli, runCliWith } from '../support/cli.ts'
import { createManagementApp } from '../support/management-apps.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
const { seed, pool } = environment
const [transport] = environment.transports as [Transport]
const app = await createManagementApp(
  transport,
  await createAdmin(environment),
  ...['workspaces:write', 'apps:write', 'users:write'],
)
test.after.always(() => environment.stop())

/** More than two pages of 100. */
const count = 250
const slug = `w-${randomUUID()}`
const group = 'Everybody'
/** Contained in the addresses of all others. */
const email = 'person@example.com'

test.before(async () => {
  const workspace = await seed.workspace()
  await pool.query('update workspaces set slug = $2 where id = $1', [workspace, slug])
  await pool.query(
    `insert into workspaces (id, slug, name)
     select gen_random_uuid(), $1 || '-' || n, 'W ' || n from generate_series(1, $2::int) n`,
    [slug, count],
  )
  const members = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      seed.user(`user ${index}`, { email: index === 0 ? email : `${index}-${email}` }),
    ),
  )
  for (const id of members) await seed.member(workspace, id, 'viewer')
  const everybody = await seed.group(workspace, members)
  await pool.query('update groups set name = $2 where id = $1', [everybody, group])
  for (let index = 1; index < count; index += 1) await seed.group(workspace)
  for (let index = 0; index < count; index += 1) {
    await seed.serviceApp(`s-${randomUUID()}`)
    await seed.clientApp([`https://app.example.com/${index}`])
  }
})

/** Every command that reads a list, with the number of rows that it prints; undefined for an object. */
const commands: [rows: number | undefined, ...args: string[]][] = [
  [count + 1, 'workspace', 'list'],
  [count, 'workspace', 'members', slug],
  [count, 'group', 'list', slug],
  [count, 'group', 'members', slug, group],
  [count, 'service-app', 'list'],
  [count, 'client-app', 'list'],
  // Prints the first 100.
  [100, 'user', 'find', email],
  // Finds the user among those whose address contains this one.
  [undefined, 'user', 'show', email],
]

for (const [rows, ...args] of commands)
  test.serial(
    `${args.slice(0, 2).join(' ')} prints the same on a server and on the database`,
    async (t) => {
      const settings = { DAIKON_CLIENT_ID: app.id, DAIKON_CLIENT_SECRET: app.secret }
      const server = `http://localhost:${environment.httpPort}`
      const [local, remote] = await Promise.all([
        runCli(environment.databaseUrl, '--json', ...args),
        runCliWith(settings, '--server', server, '--json', ...args),
      ])
      t.is(remote.status, 0, remote.err)
      t.is(local.status, 0, local.err)
      const printed = JSON.parse(remote.out)
      t.is(Array.isArray(printed) ? printed.length : undefined, rows)
      t.deepEqual(printed, JSON.parse(local.out))
    },
  )
