import { connect, constants } from 'node:http2'
import { gzipSync } from 'node:zlib'
import { sendRawGrpc } from '../../test/support/raw-requests.ts'
import { uint32 } from '../http2-frames.ts'
import type { Measure } from './measure.ts'
import type { NodeProcess } from './node.ts'
import type { Site } from './site.ts'
import { count, type Tally, untilNormal } from './traffic.ts'

const path = '/daikon.v1.PermissionService/Check'
const resourceExhausted = 8

/** Messages of 7 MiB, and small ones that unpack to 256 MiB, `each` times, all at once. */
export async function measureBombs(site: Site, each: number): Promise<Measure> {
  const node = await site.node()
  try {
    const office = await site.office()
    await untilNormal(node, office)
    const before = node.memory()
    let most = before
    const watch = setInterval(() => {
      most = Math.max(most, node.memory())
    }, 5)
    const saw: Tally = {}
    const big = Buffer.alloc(7 * 1024 * 1024)
    const packed = gzipSync(Buffer.alloc(256 * 1024 * 1024))
    const codes = await Promise.all([
      ...Array.from(
        { length: each },
        async () => (await sendRawGrpc(node.grpcPort, path, big)).code,
      ),
      ...Array.from({ length: each }, () => sendPacked(node, packed)),
    ])
    for (const code of codes) count(saw, `gRPC ${code}`)
    const normal = await untilNormal(node, office)
    clearInterval(watch)
    const lost = codes.filter((code) => code !== resourceExhausted).map((code) => `code ${code}`)
    if (most > before + 300) lost.push(`${most} MiB at the most`)
    const note = `${before.toFixed(0)} MiB before, ${most.toFixed(0)} at the most`
    return {
      fault: `${each} messages of 7 MiB, ${each} packed ones of 256`,
      saw,
      lost,
      normal,
      note,
    }
  } finally {
    await node.stop()
  }
}

/** Sends a gzipped message; answers the gRPC code, -1 without one. */
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
