import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { createDaikon, DeadlineExceededError } from '../../clients/typescript/src/daikon.ts'
import { startStub } from './stub-server.ts'

/** Forwards connections to a port. After `silence`, those that exist stay open, but nothing arrives. */
async function startProxy(port: number) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    const target = connect(port, '127.0.0.1')
    socket.pipe(target).pipe(socket)
    for (const one of [socket, target]) one.on('error', () => {})
    sockets.push(socket, target)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.length / 2,
    silence() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

test('a connection on which two deadlines pass is replaced', async (t) => {
  const { port } = await startStub(t, ({ evaluations }) => evaluations.map(() => true))
  const proxy = await startProxy(port)
  t.teardown(proxy.close)
  const daikon = createDaikon({
    address: `127.0.0.1:${proxy.port}`,
    service: 'docs',
    serviceKey: 'dk_stub',
  })
  t.teardown(() => daikon.close())
  const check = (deadlineMs: number) =>
    daikon.check({ userId: 'a' }, 'view', { type: 'document', id: '1' }, { deadlineMs })
  t.true(await check(30_000))
  proxy.silence()
  // The checks of one moment count once.
  await Promise.allSettled([check(200), check(200)])
  t.is(proxy.connections(), 1)
  await t.throwsAsync(() => check(200), { instanceOf: DeadlineExceededError })
  // Less than the 15 seconds after which pings find out.
  t.true(await check(9000))
  t.is(proxy.connections(), 2)
})

test('a deadline counts although a check of the same call that had longer was cancelled', async (t) => {
  const { port } = await startStub(t, ({ evaluations }) => evaluations.map(() => true))
  const proxy = await startProxy(port)
  t.teardown(proxy.close)
  const daikon = createDaikon({
    address: `127.0.0.1:${proxy.port}`,
    service: 'docs',
    serviceKey: 'dk_stub',
  })
  t.teardown(() => daikon.close())
  const check = (id: string, options: { deadlineMs: number; signal?: AbortSignal }) =>
    daikon.check({ userId: 'a' }, 'view', { type: 'document', id }, options)
  t.true(await check('1', { deadlineMs: 30_000 }))
  proxy.silence()
  for (let round = 0; round < 2; round += 1) {
    const controller = new AbortController()
    const longer = check('2', { deadlineMs: 60_000, signal: controller.signal })
    const shorter = check('1', { deadlineMs: 500 })
    // Both are in one call by then.
    await sleep(50)
    controller.abort()
    await t.throwsAsync(longer)
    await t.throwsAsync(shorter, { instanceOf: DeadlineExceededError })
  }
  t.true(await check('1', { deadlineMs: 9000 }))
  t.is(proxy.connections(), 2)
})
