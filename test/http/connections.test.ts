import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { cloneDatabase } from '../support/database.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'

const database = await cloneDatabase()
const cleanups: (() => unknown)[] = []
const process = { teardown: (cleanup: () => unknown) => void cleanups.push(cleanup) }
const { httpPort, consolePort, metricsPort } = await startServer(
  process,
  createKeyFolder(process),
  {
    DATABASE_URL: database.url,
    CONSOLE_ENABLED: 'true',
    CONSOLE_PORT: '0',
    RATE_LIMIT_ENABLED: 'false',
  },
)
test.after.always(async () => {
  for (const cleanup of cleanups) cleanup()
  await database.drop()
})

/** A connection: what it has received, and whether the server has closed it. */
function open(port: number) {
  const socket = connect(port, '127.0.0.1')
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const connection = { socket, closed, received: '' }
  socket.on('data', (bytes) => {
    connection.received += bytes.toString('latin1')
  })
  socket.on('error', () => {})
  return connection
}

const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, s]) => s)

const head = (target: string, ...lines: string[]) =>
  [`${target} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n')

for (const { name, port, target, status, other } of [
  { name: 'REST', port: httpPort, target: 'GET /users/me', status: '401', other: '404' },
  { name: 'console', port: consolePort, target: 'DELETE /', status: '405', other: '405' },
  { name: 'metrics', port: metricsPort, target: 'GET /metrics', status: '200', other: '404' },
]) {
  const on = `on the ${name} port`

  test(`17 pipelined requests receive responses in order ${on}`, async (t) => {
    const connection = open(port)
    const last = head('PUT /nothing', 'Connection: close')
    connection.socket.write(head(target).repeat(16) + last)
    await connection.closed
    t.deepEqual(statuses(connection.received), [...Array(16).fill(status), other])
  })

  test(`more pipelined requests end the connection ${on}`, async (t) => {
    for (const requests of [18, 3500]) {
      const connection = open(port)
      connection.socket.write(head(target).repeat(requests))
      await connection.closed
      t.true(statuses(connection.received).length <= 1)
    }
  })

  test(`requests that follow a response are not counted ${on}`, async (t) => {
    const connection = open(port)
    for (let count = 1; count <= 40; count += 1) {
      connection.socket.write(head(target))
      while (statuses(connection.received).length < count) await sleep(1)
    }
    t.deepEqual(statuses(connection.received), Array(40).fill(status))
    connection.socket.destroy()
  })

  test(`headers above 16 KiB result in 431 ${on}`, async (t) => {
    for (const [bytes, expected] of [
      [15_000, status],
      [17_000, '431'],
      [70_000, '431'],
    ] as const) {
      const connection = open(port)
      connection.socket.write(head(target, `X-Large: ${'x'.repeat(bytes)}`, 'Connection: close'))
      await connection.closed
      t.deepEqual(statuses(connection.received), [expected])
    }
    const many = Array.from({ length: 1500 }, (_, index) => `X-${index}: 12345678`)
    const connection = open(port)
    connection.socket.write(head(target, ...many, 'Connection: close'))
    await connection.closed
    t.deepEqual(statuses(connection.received), ['431'])
  })

  test(`an idle connection stays open for longer than proxies keep it ${on}`, async (t) => {
    const connection = open(port)
    connection.socket.write(head(target))
    while (statuses(connection.received).length < 1) await sleep(10)
    const seconds = Number(/Keep-Alive: timeout=(\d+)/i.exec(connection.received)?.[1])
    t.true(seconds >= 65, `${seconds} s`)
    // Longer than Node's default, and than the time for headers with the interval of its check.
    await sleep(14_000)
    connection.socket.write(head(target, 'Connection: close'))
    await connection.closed
    t.deepEqual(statuses(connection.received), [status, status])
  })
}
