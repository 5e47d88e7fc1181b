import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createDaikon } from '@daikon-auth/client'
import express from 'express'
import { createServer } from 'vite'
import { createApi } from './api.ts'

/** Where `npm run dev` of daikon keeps its service key. */
const serviceKeyPath = join(import.meta.dirname, '../../../.daikon/demo-service-key')
const { env } = process

const daikon = createDaikon({
  address: env.DAIKON_ADDRESS ?? 'localhost:50051',
  service: 'docs',
  serviceKey: env.DAIKON_SERVICE_KEY ?? readFileSync(serviceKeyPath, 'utf8').trim(),
})
const app = express()
const server = createHttpServer(app)
// The pages and the API have one origin, as behind a proxy in production.
const vite = await createServer({
  root: join(import.meta.dirname, '..'),
  server: { middlewareMode: true, hmr: { server } },
})
app.use('/api', createApi(daikon))
app.use(vite.middlewares)

// The client app of daikon's demo data has a redirect URI with this port.
server.listen(Number(env.PORT ?? 5173), 'localhost', () => {
  console.log(`http://localhost:${(server.address() as AddressInfo).port}/`)
})

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    server.closeAllConnections()
    server.close()
    daikon.close()
    await vite.close()
  })
