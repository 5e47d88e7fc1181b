/** A client of daikon over `fetch`, for runtimes without Node.js modules. */
export type { RemoteDaikon } from './api.ts'
export { createDaikon, type FetchDaikonOptions } from './fetch-client.ts'
export * from './surface.ts'
