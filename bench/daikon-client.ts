import { createDaikon, type RemoteDaikon } from '../clients/typescript/src/daikon.ts'
import { kind, serviceKey } from './data-set.ts'

/** Opens the TypeScript client of the service of the data set. The server listens on loopback. */
export function openDaikon(port: number | string): RemoteDaikon {
  return createDaikon({
    address: `127.0.0.1:${port}`,
    service: kind.service_name,
    serviceKey,
    deadlineMs: 60_000,
  })
}
