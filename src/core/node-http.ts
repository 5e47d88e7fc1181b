import { createRequire } from 'node:module'

/**
 * The module `node:http`. An `import` of it reads all of its exports, of which `WebSocket` loads the client that
 * `fetch` uses: 40 ms of each start.
 */
export const http: typeof import('node:http') = createRequire(import.meta.url)('node:http')
