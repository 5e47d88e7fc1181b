import { connect, constants } from 'node:http2'
import { gzipSync } from 'node:zlib'
import { sendRawGrpc } from '../../test/support/raw-requests.ts'
import { uint32 } from '../http2-frames.ts'
import type { FaultEnvironment } from './fault-environment.ts'
import type { FaultResult } from './fault-result.ts'
import type { NodeProcess } from './node-process.ts'
import { countOutcome, type OutcomeCounts, waitUntilNormal } from './traffic.ts'

const path = '/daikon.v1.PermissionService/Check'
/** RESOURCE_EXHAUSTED for large messages, UNIMPLEMENTED for compressed ones. */
const expectedCodes = { large: 8, compressed: 12 }

/**
 * Concurrently sends `count` messages of 7 MiB and `count` compressed messages that would decompress
 * to 256 MiB.
 */
export async function measureLargeMessages(
  environment: FaultEnvironment,
  count: number,
): Promise<FaultResult> {
  const node = await environment.node()
  try {
    const workspace = await environment.workspace()
    await waitUntilNormal(node, workspace)
    const before = node.memory()
    let maxMemory = before
    const watch = setInterval(() => {
      maxMemory = Math.max(maxMemory, node.memory())
    }, 5)
    const outcomes: OutcomeCounts = {}
    const big = Buffer.alloc(7 * 1024 * 1024)
    const packed = gzipSync(Buffer.alloc(256 * 1024 * 1024))
    const calls = Array.from({ length: count })
    const [large, compressed] = await Promise.all([
      Promise.all(calls.map(async () => (await sendRawGrpc(node.grpcPort, path, big)).code)),
      Promise.all(calls.map(() => sendPacked(node, packed))),
    ])
    for (const code of [...large, ...compressed]) countOutcome(outcomes, `gRPC ${code}`)
    const recoveryMilliseconds = await waitUntilNormal(node, workspace)
    clearInterval(watch)
    const unexpected = [
      ...large.filter((code) => code !== expectedCodes.large),
      ...compressed.filter((code) => code !== expectedCodes.compressed),
    ]
    const problems = unexpected.map((code) => `code ${code}`)
    if (maxMemory > before + 300) problems.push(`${maxMemory} MiB at peak`)
    const note = `${before.toFixed(0)} MiB before, ${maxMemory.toFixed(0)} at peak`
    return {
      fault: `${count} messages of 7 MiB, ${count} packed ones of 256`,
      outcomes,
      problems,
      recoveryMilliseconds,
      note,
    }
  } finally {
    await node.stop()
  }
}

/** Sends a gzipped message. Returns the gRPC code, or -1 if there is none. */
function sendPacked({ grpcPort }: NodeProcess, packed: Buffer): Promise<number> {
  const session = connect(`http://127.0.0.1:${grpcPort}`)
  const { promise, resolve } = Promise.withResolvers<number>()
  session.on('error', () => resolve(-1))
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    'grpc-encoding': 'gzip',
    te: 'trailers',
  })
  const read = (headers: Record<string, unknown>) => {
    if (headers['grpc-status'] !== undefined) resolve(Number(headers['grpc-status']))
  }
  stream.on('response', read)
  stream.on('trailers', read)
  stream.on('error', () => {})
  stream.on('close', () => resolve(-1))
  stream.resume()
  stream.end(Buffer.concat([Buffer.from([1]), uint32(packed.length), packed]))
  return promise.finally(() => {
    stream.close(constants.NGHTTP2_CANCEL)
    session.destroy()
  })
}
