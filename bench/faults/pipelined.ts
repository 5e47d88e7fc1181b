import { once } from 'node:events'
import { connect } from 'node:net'
import type { Measure } from './measure.ts'
import type { Site } from './site.ts'
import { count, type Tally, untilNormal } from './traffic.ts'

/** `requests` of one connection in one write, each of which asks the database. */
export async function measurePipelined(site: Site, requests: number): Promise<Measure> {
  const node = await site.node()
  try {
    const office = await site.office()
    await untilNormal(node, office)
    const before = node.memory()
    const started = performance.now()
    const saw: Tally = {}
    const head = `GET /users/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${office.owner.token}`
    const socket = connect(node.httpPort, '127.0.0.1')
    let text = ''
    let most = before
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
    })
    const watch = setInterval(() => {
      most = Math.max(most, node.memory())
    }, 20)
    const last = `${head}\r\nConnection: close\r\n\r\n`
    socket.write(`${head}\r\n\r\n`.repeat(requests - 1) + last)
    await once(socket, 'close')
    clearInterval(watch)
    for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) count(saw, status)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const normal = await untilNormal(node, office)
    const answered = Object.values(saw).reduce((sum, calls) => sum + calls, 0)
    const lost = answered === requests ? [] : [`${requests - answered} are not answered`]
    const memory = `${before.toFixed(0)} MiB before, ${most.toFixed(0)} at the most`
    const note = `${seconds} s; ${memory}`
    return { fault: `${requests} pipelined requests`, saw, lost, normal, note }
  } finally {
    await node.stop()
  }
}
