import type { RemoteDaikon } from './api.ts'
import type { ActionsByType } from './argument-types.ts'
import { type ClientOptions, createClient } from './create-client.ts'
import { invalidArgument } from './errors.ts'
import { createFetchConnection } from './fetch-connection.ts'

export type FetchDaikonOptions = ClientOptions & {
  /** The URL of the REST API, such as `https://auth.example.com`. */
  url: string
  /** Sends requests. Defaults to the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

/**
 * Creates a client that sends its calls with `fetch` to the REST API. It has the operations of the
 * gRPC client except `call`.
 *
 * @example
 * const daikon = createDaikon({ url: 'https://auth.example.com', service: 'docs', serviceKey })
 *
 * @throws InvalidArgumentError if an option is missing or malformed
 */
export function createDaikon<Actions extends ActionsByType = ActionsByType>(
  options: FetchDaikonOptions,
): RemoteDaikon<Actions> {
  const { url, serviceKey, fetch = (...request) => globalThis.fetch(...request) } = options
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    const message = 'must be the URL of the REST API, such as http://localhost:8000'
    throw invalidArgument({ field: 'url', message })
  }
  const connect = () => createFetchConnection({ url, serviceKey, fetch })
  return createClient<Actions>(connect, options, ['url', 'fetch']).daikon
}
