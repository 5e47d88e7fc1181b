import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ExecutionContext } from 'ava'
import { readClientCases, seedClientCases } from './client-cases.ts'
import { cloneDatabase } from './database.ts'
import { startDatabaseProxy } from './proxy.ts'
import { startTestEnvironment } from './test-environment.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Starts an example of the documents service with a command and tests it against a server: listing,
 * sharing, and surviving an outage of daikon.
 */
export async function useDocumentsExample(
  t: ExecutionContext,
  command: string[],
  { env = {} }: { env?: Record<string, string> } = {},
): Promise<void> {
  const environment = await startTestEnvironment()
  t.teardown(() => environment.stop())
  const { serviceKey, values } = await seedClientCases(environment, readClientCases())
  const proxy = await startDatabaseProxy(`http://127.0.0.1:${environment.grpcPort}`)
  t.teardown(() => proxy.close())
  const database = await cloneDatabase()
  t.teardown(() => database.drop())
  const url = await startExample(t, command, {
    ...env,
    DAIKON_ADDRESS: new URL(proxy.url).host,
    DAIKON_SERVICE_KEY: serviceKey,
    DATABASE_URL: database.url,
    PORT: '0',
  })

  let isAway = false

  /** Repeats calls that exceed the deadline of the client of daikon, as can happen on a busy machine. */
  const call = async (user: string, method: string, path = '', body?: object) => {
    for (;;) {
      const response = await callOnce(user, method, path, body)
      if (response.status !== 503 || isAway) return response
      await pause()
    }
  }
  const callOnce = async (user: string, method: string, path: string, body?: object) => {
    const headers = {
      authorization: `Bearer ${values[`${user}.token`]}`,
      'content-type': 'application/json',
    }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(`${url}${path}`, init)
    const text = await response.text()
    return { status: response.status, body: text ? JSON.parse(text) : undefined }
  }
  const titles = async (user: string, path = '') => {
    const { body } = await call(user, 'GET', path)
    return body.documents.map(({ title }: { title: string }) => title)
  }

  t.is((await fetch(url)).status, 401)
  t.is((await call('carol', 'POST', '', { title: 5 })).status, 422)
  const created = await call('carol', 'POST', '', { title: 'Plan' })
  t.is(created.status, 201)
  const path = `/${created.body.id}`
  await until(async () => (await call('carol', 'GET', path)).status === 200)
  t.is((await call('dave', 'GET', path)).status, 404)
  t.is((await call('dave', 'PUT', path, { title: 'Stolen' })).status, 403)
  t.deepEqual(await titles('dave'), [])

  const share = `${path}/shares/users/${values.dave}`
  t.is((await call('dave', 'PUT', share, { permission: 'edit' })).status, 403)
  t.is((await call('carol', 'PUT', share, { permission: 'own' })).status, 422)
  t.true((await call('carol', 'PUT', share, { permission: 'edit' })).status < 300)
  t.deepEqual(await titles('dave'), ['Plan'])
  t.is((await call('dave', 'PUT', path, { title: 'Better plan' })).status, 200)
  t.is((await call('carol', 'DELETE', share)).status, 204)
  t.is((await call('dave', 'GET', path)).status, 404)

  // Without daikon, documents can still be created, but none is visible without a decision.
  await proxy.cut()
  isAway = true
  const offline = await call('carol', 'POST', '', { title: 'Written offline' })
  t.is(offline.status, 201)
  t.is((await call('carol', 'GET', path)).status, 503)
  t.is((await call('carol', 'GET')).status, 503)
  await proxy.open()
  isAway = false
  await until(async () => (await call('carol', 'GET', `/${offline.body.id}`)).status === 200)

  for (let n = 1; n <= 25; n += 1) await call('dave', 'POST', '', { title: `Note ${n}` })
  await until(async () => (await call('dave', 'GET')).body.next)
  const everything = async (user: string) => {
    const found: string[] = []
    let next = ''
    do {
      const { body } = await call(user, 'GET', next && `?after=${next}`)
      found.push(...body.documents.map(({ title }: { title: string }) => title))
      next = body.next
    } while (next)
    return found
  }
  await until(async () => (await everything('dave')).length === 25)
  const notes = Array.from({ length: 25 }, (_, index) => `Note ${25 - index}`)
  t.deepEqual(await everything('dave'), notes, 'newest first')
  t.deepEqual(await everything('alice'), [...notes, 'Written offline', 'Better plan'])

  t.is((await call('dave', 'DELETE', path)).status, 403)
  t.is((await call('carol', 'DELETE', path)).status, 204)
  t.is((await call('carol', 'GET', path)).status, 404)
}

/** Starts the example as its README describes. Returns the URL that it prints. */
export async function startExample(
  t: ExecutionContext,
  [program = '', ...args]: string[],
  env: Record<string, string>,
): Promise<string> {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(child, 'exit')
  t.teardown(async () => {
    if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGTERM')
    await ended
  })
  for await (const line of createInterface(child.stdout))
    if (line.startsWith('http://')) return line.replace('localhost', '127.0.0.1')
  throw new Error('The example ended')
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await pause()
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 100))
}
