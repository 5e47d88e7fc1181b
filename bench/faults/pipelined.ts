import { on } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { FaultEnvironment } from './fault-environment.ts'
import type { FaultResult } from './fault-result.ts'
import { countOutcome, type OutcomeCounts, waitUntilNormal } from './traffic.ts'

/** The requests in one write: one that runs, and as many as may wait for it. */
const groupSize = 17

/** Sends `requests` pipelined requests, each with a database query, a group at a time. */
export async function measurePipelined(
  environment: FaultEnvironment,
  requests: number,
): Promise<FaultResult> {
  const node = await environment.node()
  try {
    const workspace = await environment.workspace()
    await waitUntilNormal(node, workspace)
    const before = node.memory()
    const started = performance.now()
    const outcomes: OutcomeCounts = {}
    const request = `GET /users/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${workspace.owner.token}\r\n\r\n`
    const socket = connect(node.httpPort, '127.0.0.1')
    let maxMemory = before
    const watch = setInterval(() => {
      maxMemory = Math.max(maxMemory, node.memory())
    }, 20)
    for (let sent = 0; sent < requests; sent += groupSize) {
      const expected = Math.min(groupSize, requests - sent)
      socket.write(request.repeat(expected))
      for (const status of await readStatuses(socket, expected)) countOutcome(outcomes, status)
    }
    socket.destroy()
    clearInterval(watch)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const recoveryMilliseconds = await waitUntilNormal(node, workspace)
    const responseCount = Object.values(outcomes).reduce((sum, calls) => sum + calls, 0)
    const problems =
      responseCount === requests ? [] : [`${requests - responseCount} got no response`]
    const memory = `${before.toFixed(0)} MiB before, ${maxMemory.toFixed(0)} at peak`
    const note = `${seconds} s; ${memory}`
    return {
      fault: `${requests} pipelined requests`,
      outcomes,
      problems,
      recoveryMilliseconds,
      note,
    }
  } finally {
    await node.stop()
  }
}

/** Reads the statuses of the next responses. Returns fewer if the connection ends. */
async function readStatuses(socket: Socket, count: number): Promise<string[]> {
  let text = ''
  let statuses: string[] = []
  for await (const [bytes] of on(socket, 'data', { close: ['close'] })) {
    text += (bytes as Buffer).toString('latin1')
    statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status)
    if (statuses.length >= count) break
  }
  return statuses
}
