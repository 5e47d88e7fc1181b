import type { AddressInfo } from 'node:net'
import { createAccess } from '@daikon-auth/client/access'
import { createApp } from './app.ts'
import { setUp } from './setup.ts'

const { daikon, pool } = await setUp()
const access = createAccess({ daikon, pool, types: { document: 'uuid' } })

let isComplete = false
const follower = access.follow({
  onProgress({ phase, written }) {
    if (phase === 'following' && !isComplete) console.log(`The copy is complete (${written} rows)`)
    isComplete = phase === 'following'
  },
  onDisconnect: (error) => console.warn('follower:', error.message),
})
// An error that no further attempt corrects, such as a wrong service key.
follower.catch((error) => {
  console.error(error)
  process.exit(1)
})

const app = createApp({ daikon, pool, access })
const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://localhost:${(server.address() as AddressInfo).port}/`)
})

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    server.closeAllConnections()
    server.close(async () => {
      await access.close()
      await pool.end()
      daikon.close()
    })
  })
