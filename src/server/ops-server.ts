import { createHttpListener } from '../http/listener.ts'
import type { Readiness } from './readiness.ts'

/** The HTTP server for operators. */
export type OpsServer = { port: number; stop(): Promise<void> }

type OpsServerOptions = {
  host: string
  port: number
  /** Returns the metrics in the Prometheus text format. */
  readMetrics(): Promise<string>
  readReadiness(): Promise<Pick<Readiness, 'ready'>>
}

type Page = { status: number; type: string; text: string }

/** Serves `/metrics`, `/livez` and `/readyz`. */
export async function startOpsServer({
  host,
  port,
  readMetrics,
  readReadiness,
}: OpsServerOptions): Promise<OpsServer> {
  const pages: Record<string, () => Promise<Page>> = {
    '/livez': async () => page(200, 'text/plain', 'ok\n'),
    '/metrics': async () =>
      page(200, 'text/plain; version=0.0.4; charset=utf-8', await readMetrics()),
    '/readyz': async () => {
      const readiness = await readReadiness()
      return page(readiness.ready ? 200 : 503, 'application/json', JSON.stringify(readiness))
    },
  }
  const listener = createHttpListener(async (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    const read = Object.hasOwn(pages, path) ? pages[path] : undefined
    const isSafe = request.method === 'GET' || request.method === 'HEAD'
    const result = read && isSafe ? read() : page(404, 'text/plain', 'not found\n')
    const internalError = () => page(500, 'text/plain', 'internal error\n')
    const { status, type, text } = await Promise.resolve(result).catch(internalError)
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text)
  }, {})
  return { port: await listener.listen(host, port), stop: () => listener.drain(0) }
}

function page(status: number, type: string, text: string): Page {
  return { status, type, text }
}
