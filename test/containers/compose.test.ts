import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { type Callers, createCallers } from '../../bench/drains/callers.ts'
import { type ComposeProject, docker, startProject } from '../support/compose.ts'
import { waitUntil } from '../support/wait-until.ts'

const kind = { service_name: 'docs', resource_type: 'document' }

/** What a service needs to call a project, and two of its users. */
type Client = ComposeProject & { token: string; key: string; owner: string; viewer: string }

/** Creates a workspace with an owner and a viewer, a service app, and a token of the owner. */
async function createClient(project: ComposeProject): Promise<Client> {
  const [workspace, owner, viewer] = [randomUUID(), randomUUID(), randomUUID()]
  const sql = `
    insert into workspaces (id, name, slug) values ('${workspace}', 'Acme', 'acme');
    insert into users (id, name, email) values
      ('${owner}', 'Olivia', 'olivia@example.com'), ('${viewer}', 'Victor', 'victor@example.com');
    insert into members (workspace_id, user_id, role, joined_at) values
      ('${workspace}', '${owner}', 'owner', now()), ('${workspace}', '${viewer}', 'viewer', now())`
  await project.exec('postgres', 'psql', '-U', 'daikon', '-v', 'ON_ERROR_STOP=1', '-c', sql)
  const app = await project.daikon('service-app', 'create', '--name', 'Docs', '--service', 'docs')
  const user = ['--email', 'olivia@example.com', '--workspace', 'acme', '--json']
  // Nodes in production create tokens at sign-in only.
  const options = ['exec', '--no-TTY', '--env', 'DEBUG=true', 'daikon-1']
  const { access_token } = JSON.parse(await project.compose(...options, 'daikon', 'token', ...user))
  return { ...project, owner, viewer, token: access_token, key: app.key }
}

async function callRest({ httpPort, token, key }: Client, path: string, body: object) {
  const response = await fetch(`http://127.0.0.1:${httpPort}/permissions/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      'x-service-key': key,
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  // Pages of nginx are HTML.
  const message: Record<string, any> = text.startsWith('{') ? JSON.parse(text) : { text }
  return { status: response.status, message }
}

/** Registers a document of the owner and returns the record. */
async function register(client: Client): Promise<{ id: string; resource_id: string }> {
  const { owner: owner_id, token } = client
  const { wid: workspace_id } = JSON.parse(atob(token.split('.')[1] ?? ''))
  const resource = { ...kind, resource_id: randomUUID(), workspace_id, owner_id }
  const { status, message } = await callRest(client, 'register', resource)
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(message)}`)
  return message as { id: string; resource_id: string }
}

/** Returns whether the owner may edit a document, or the status of a failed check. */
async function check(client: Client, resource_id: string): Promise<boolean | number> {
  const checks = [{ ...kind, resource_id, action: 'edit' }]
  const { status, message } = await callRest(client, 'check', { checks })
  return status === 200 ? message.results[0].allowed : status
}

/**
 * Starts reading and writing over both transports until `stop`, at a rate that the limits of
 * nginx.conf and docker-compose.yml permit.
 */
async function startLoad(client: Client): Promise<Callers & { stop(): Promise<void> }> {
  const callers = createCallers(client)
  const { id, resource_id } = await register(client)
  // Two loops that change the same share would wait for each other.
  const other = await register(client)
  const checks = [{ ...kind, resource_id, action: 'view' }]
  const grantee = { grantee_type: 'user', grantee_id: client.viewer }
  const calls = [
    () => callers.callRest('POST', '/permissions/check', { checks }),
    () => callers.callRest('POST', `/permissions/${id}/share`, { ...grantee, permission: 'view' }),
    () => callers.callGrpc('check', { checks }),
    () => callers.callGrpc('share', { permission_id: other.id, ...grantee, permission: 'edit' }),
  ]
  let isRunning = true
  const loops = calls.map(async (call) => {
    while (isRunning) {
      await call()
      await sleep(100)
    }
  })
  return Object.assign(callers, {
    async stop() {
      isRunning = false
      await Promise.all(loops)
      callers.close()
    },
  })
}

/**
 * Checks that nodes refused no call because they drain. On a machine that is too slow, a connection to
 * PostgreSQL or a lock can take longer than a call waits for it; the response then says when to try again.
 */
function assertOnlySlow(t: ExecutionContext, { refusals }: Callers): void {
  if (refusals.length > 0) t.log(refusals)
  const others = refusals.filter((refusal) => !/STORAGE_UNAVAILABLE|LOCK_TIMEOUT/.test(refusal))
  t.deepEqual(others, [])
}

const replace = (project: ComposeProject, service: string) =>
  project.compose(
    'up',
    '--detach',
    '--no-build',
    '--no-deps',
    '--force-recreate',
    '--wait',
    service,
  )

test.serial(
  'docker-compose.yml serves checks and survives replaced nodes and failures',
  async (t) => {
    const project = await startProject(t, 'docker-compose.yml')
    for (const id of (await project.compose('ps', '--quiet')).split('\n')) {
      const [container] = JSON.parse(await docker('inspect', id))
      const { ReadonlyRootfs, CapDrop, Privileged } = container.HostConfig
      t.like({ ReadonlyRootfs, CapDrop, Privileged }, { ReadonlyRootfs: true, CapDrop: ['ALL'] })
      t.not(container.Config.User, '', container.Name)
    }
    const client = await createClient(project)
    const record = await register(client)
    t.true(await check(client, record.resource_id))

    const load = await startLoad(client)
    for (const node of ['daikon-1', 'daikon-2', 'daikon-1']) {
      const before = { ...load.calls }
      await replace(project, node)
      await waitUntil(
        () => load.calls.rest > before.rest + 20 && load.calls.grpc > before.grpc + 20,
      )
    }
    await load.stop()
    t.deepEqual(load.failures, [])
    assertOnlySlow(t, load)
    t.log(`${load.calls.rest} calls over REST, ${load.calls.grpc} over gRPC, none lost`)

    await project.compose('kill', 'postgres')
    t.is(await check(client, record.resource_id), 503)
    const startedAt = performance.now()
    await project.compose('start', 'postgres')
    await waitUntil(async () => (await check(client, record.resource_id)) === true)
    t.log(`${((performance.now() - startedAt) / 1000).toFixed(1)} s from the start of PostgreSQL`)

    await project.compose('kill', 'redis')
    t.true(await check(client, record.resource_id))
  },
)

test.serial('a backup of docker-compose.yml can be restored', async (t) => {
  const project = await startProject(t, 'docker-compose.yml')
  const client = await createClient(project)
  const record = await register(client)
  const shell = (script: string) => project.exec('postgres', 'sh', '-euc', script)
  // The commands of docs/operations.md, with a file in the container.
  await shell('pg_dump -U daikon --format=custom --file=/tmp/database.dump daikon')
  const later = await register(client)
  await project.compose('stop', 'daikon-1', 'daikon-2')
  await shell('dropdb -U daikon daikon && createdb -U daikon daikon')
  await shell('pg_restore -U daikon --exit-on-error --dbname=daikon /tmp/database.dump')
  await project.compose('up', '--detach', '--no-build', '--wait')
  await waitUntil(async () => (await check(client, record.resource_id)) === true)
  t.false(await check(client, later.resource_id))
})

test.serial('docker-compose.replicas.yml reads from the standby that is left', async (t) => {
  const project = await startProject(t, 'docker-compose.yml', 'docker-compose.replicas.yml')
  const client = await createClient(project)
  const record = await register(client)
  const readStatus = async () => {
    const script = `fetch('http://127.0.0.1:9464/readyz').then((r) => r.text()).then(console.log)`
    const { replicas } = JSON.parse(await project.exec('daikon-1', 'node', '-e', script))
    return replicas as Record<string, any>
  }
  t.log(await readStatus())
  await project.compose('kill', 'postgres-standby-1')
  t.true(await check(client, record.resource_id))
  const load = await startLoad(client)
  await waitUntil(() => load.calls.rest > 50 && load.calls.grpc > 50)
  await load.stop()
  t.deepEqual(load.failures, [])
  assertOnlySlow(t, load)
  t.log(await readStatus())
})
