import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { preface } from '../http2-frames.ts'
import type { FaultEnvironment, TestWorkspace } from './fault-environment.ts'
import type { FaultResult } from './fault-result.ts'
import type { NodeProcess } from './node-process.ts'
import { startTraffic, waitUntilNormal } from './traffic.ts'

/** Opens `count` idle connections to each API while other clients continue to work. */
export async function measureIdle(
  environment: FaultEnvironment,
  count: number,
): Promise<FaultResult> {
  const node = await environment.node()
  try {
    const workspace = await environment.workspace()
    await warmUp(node, workspace)
    const before = node.memory()
    const sockets = await Promise.all([
      ...Array.from({ length: count }, () => open(node.httpPort, '')),
      ...Array.from({ length: count }, () => open(node.grpcPort, preface)),
    ])
    const traffic = await startTraffic(node, workspace)
    await sleep(2000)
    await traffic.stop()
    const during = node.memory()
    for (const socket of sockets) socket.destroy()
    const recoveryMilliseconds = await waitUntilNormal(node, workspace)
    const memory = `${before.toFixed(0)} MiB before, ${during.toFixed(0)} with them`
    const note = `${memory}; longest call ${Math.round(traffic.slowest)} ms`
    const fault = `${count} idle connections to each API`
    return { fault, outcomes: traffic.outcomes, problems: [], recoveryMilliseconds, note }
  } finally {
    await node.stop()
  }
}

/**
 * Starts `count` clients per API with incomplete requests. The REST clients send one byte of an
 * endless header per second until they are disconnected.
 */
export async function measureSlowClients(
  environment: FaultEnvironment,
  count: number,
  timeoutSeconds: number,
): Promise<FaultResult> {
  const node = await environment.node()
  try {
    const workspace = await environment.workspace()
    await warmUp(node, workspace)
    const slow = await Promise.all(
      Array.from({ length: count }, () => open(node.httpPort, 'GET /health HTTP/1.1\r\nX-Slow: ')),
    )
    const halfOpened = await Promise.all(
      Array.from({ length: count }, () => open(node.grpcPort, preface.subarray(0, 10))),
    )
    const started = performance.now()
    const interval = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('x')
    }, 1000)
    const traffic = await startTraffic(node, workspace)
    const unfinished = () => slow.filter((socket) => !socket.closed).length
    while (unfinished() > 0 && performance.now() - started < timeoutSeconds * 1000) await sleep(100)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    clearInterval(interval)
    await traffic.stop()
    const remaining = unfinished()
    const waiting = halfOpened.filter((socket) => !socket.closed).length
    for (const socket of [...slow, ...halfOpened]) socket.destroy()
    const recoveryMilliseconds = await waitUntilNormal(node, workspace)
    const rest = remaining > 0 ? [`${remaining} are still connected after ${seconds} s`] : []
    const cut = `REST disconnects them within ${seconds} s`
    const note = `${cut}, gRPC has ${waiting}; longest call ${Math.round(traffic.slowest)} ms`
    return {
      fault: `${count} slow clients`,
      outcomes: traffic.outcomes,
      problems: rest,
      recoveryMilliseconds,
      note,
    }
  } finally {
    await node.stop()
  }
}

async function warmUp(node: NodeProcess, workspace: TestWorkspace): Promise<void> {
  const traffic = await startTraffic(node, workspace)
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
