import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDaikon } from '@daikon-auth/client'
import { createApp } from './app.ts'

/** Where `npm run dev` keeps its service key. */
const dev = join(import.meta.dirname, '../../../.daikon')
const { env } = process

const daikon = createDaikon({
  address: env.DAIKON_ADDRESS ?? 'localhost:50051',
  service: 'docs',
  serviceKey: env.DAIKON_SERVICE_KEY ?? readFileSync(join(dev, 'demo-service-key'), 'utf8').trim(),
})
const port = Number(env.PORT ?? 3100)
const resource = env.MCP_URL ?? `http://localhost:${port}/mcp`
const server = createApp(daikon, resource).listen(port, '127.0.0.1', () => console.log(resource))

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    server.closeAllConnections()
    server.close(() => daikon.close())
  })
