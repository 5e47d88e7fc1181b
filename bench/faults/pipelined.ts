import { once } from 'node:events'
import { connect } from 'node:net'
import type { FaultEnvironment } from './fault-environment.ts'
import type { FaultResult } from './fault-result.ts'
import { countOutcome, type OutcomeCounts, waitUntilNormal } from './traffic.ts'

/** Sends `requests` pipelined requests, each with a database query, in one write. */
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
    const head = `GET /users/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${workspace.owner.token}`
    const socket = connect(node.httpPort, '127.0.0.1')
    let text = ''
    let maxMemory = before
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
    })
    const watch = setInterval(() => {
      maxMemory = Math.max(maxMemory, node.memory())
    }, 20)
    const last = `${head}\r\nConnection: close\r\n\r\n`
    socket.write(`${head}\r\n\r\n`.repeat(requests - 1) + last)
    await once(socket, 'close')
    clearInterval(watch)
    for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g))
      countOutcome(outcomes, status)
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
