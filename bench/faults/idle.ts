import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { preface } from '../http2-frames.ts'
import type { Measure } from './measure.ts'
import type { NodeProcess } from './node.ts'
import type { Office, Site } from './site.ts'
import { startTraffic, untilNormal } from './traffic.ts'

/** `each` connections at each door say nothing, while others go on working. */
export async function measureIdle(site: Site, each: number): Promise<Measure> {
  const node = await site.node()
  try {
    const office = await site.office()
    await warmUp(node, office)
    const before = node.memory()
    const sockets = await Promise.all([
      ...Array.from({ length: each }, () => open(node.httpPort, '')),
      ...Array.from({ length: each }, () => open(node.grpcPort, preface)),
    ])
    const traffic = await startTraffic(node, office)
    await sleep(2000)
    await traffic.stop()
    const during = node.memory()
    for (const socket of sockets) socket.destroy()
    const normal = await untilNormal(node, office)
    const memory = `${before.toFixed(0)} MiB before, ${during.toFixed(0)} with them`
    const note = `${memory}; longest call ${Math.round(traffic.slowest)} ms`
    const fault = `${each} idle connections at each door`
    return { fault, saw: traffic.tally, lost: [], normal, note }
  } finally {
    await node.stop()
  }
}

/** `each` clients at each door send one byte a second of a head that never ends, till cut off. */
export async function measureLoris(site: Site, each: number, patience: number): Promise<Measure> {
  const node = await site.node()
  try {
    const office = await site.office()
    await warmUp(node, office)
    const slow = await Promise.all(
      Array.from({ length: each }, () => open(node.httpPort, 'GET /health HTTP/1.1\r\nX-Slow: ')),
    )
    const half = await Promise.all(
      Array.from({ length: each }, () => open(node.grpcPort, preface.subarray(0, 10))),
    )
    const started = performance.now()
    const drip = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('x')
    }, 1000)
    const traffic = await startTraffic(node, office)
    const unfinished = () => slow.filter((socket) => !socket.closed).length
    while (unfinished() > 0 && performance.now() - started < patience * 1000) await sleep(100)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    clearInterval(drip)
    await traffic.stop()
    const left = unfinished()
    const waiting = half.filter((socket) => !socket.closed).length
    for (const socket of [...slow, ...half]) socket.destroy()
    const normal = await untilNormal(node, office)
    const rest = left > 0 ? [`${left} are not cut off after ${seconds} s`] : []
    const cut = `REST cuts them off within ${seconds} s`
    const note = `${cut}, gRPC has ${waiting}; longest call ${Math.round(traffic.slowest)} ms`
    return { fault: `${each} slow clients`, saw: traffic.tally, lost: rest, normal, note }
  } finally {
    await node.stop()
  }
}

async function warmUp(node: NodeProcess, office: Office): Promise<void> {
  const traffic = await startTraffic(node, office)
  await sleep(1000)
  await traffic.stop()
}

async function open(port: number, first: string | Buffer): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.resume()
  await once(socket, 'connect')
  if (first.length > 0) socket.write(first)
  return socket
}
