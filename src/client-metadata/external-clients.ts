import { ServiceError } from '../core/errors.ts'
import { externalClientId } from '../identity/external-client-id.ts'
import type { ExternalClients, ExternalId } from '../identity/ports.ts'
import { isDocumentedUri } from '../identity/redirect-uris.ts'
import type { OutboundClient } from '../outbound/outbound-client.ts'
import { type ClientUrl, looksLikeUrl, readClientUrl } from './client-url.ts'
import { DocumentError, readClientDocument, readClientKeys } from './document.ts'
import { createDocumentCache, type Found, type Requester } from './document-cache.ts'
import { fetchDocument } from './fetch-document.ts'
import { type HostRule, isAllowedHost } from './host-rules.ts'
import { reasons } from './reasons.ts'
import type { FetchWindows } from './windows.ts'

type Options = {
  rules: HostRule[]
  send: OutboundClient
  windows: FetchWindows
  now: () => Date
  /** Logs why a document could not be fetched, which the browser does not learn. */
  warn: (text: string) => void
}

/** Creates what finds clients by their URL. Without a host that is allowed, there are none. */
export function createExternalClients(options: Options): ExternalClients {
  const { rules, send, windows, now, warn } = options
  const isEnabled = rules.some(({ isExcluded }) => !isExcluded)

  async function load<Value>(url: string, name: string, read: (body: Buffer) => Value) {
    try {
      const { body, seconds } = await fetchDocument(send, url, now)
      return { value: read(body), seconds }
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error
      const { message, cause } = error
      if (cause)
        warn(`${name} ${url} ${message}: ${cause instanceof Error ? cause.message : cause}`)
      throw refused(`${name} ${url} is refused: ${message}`)
    }
  }

  const findDocument = createDocumentCache(windows, now, (url) =>
    load(url, 'The document', (body) => readClientDocument(body, url)),
  )
  const findKeys = createDocumentCache(windows, now, (url) =>
    load(url, 'The key set', readClientKeys),
  )

  function readAllowed(clientId: string): ClientUrl {
    const read = readClientUrl(clientId)
    if ('problem' in read) throw refused(`The client_id ${read.problem}`)
    if (isAllowedHost(rules, read.hostname)) return read
    throw refused(`Clients of the host ${read.host} are not accepted here`)
  }

  return {
    isEnabled,
    identify(clientId): ExternalId | undefined {
      if (!isEnabled || !looksLikeUrl(clientId)) return undefined
      const { url, host } = readAllowed(clientId)
      return { id: externalClientId(url), url, host }
    },
    async describe({ url: clientUrl }, { userId, isKnown }) {
      const { hostname } = readAllowed(clientUrl)
      const requester: Requester = { fetch: { userId, clientUrl, hostname }, isKnown }
      const document = requireFound(await findDocument(clientUrl, requester))
      const { name, hash: metadataHash, redirectUris, keys } = document
      return {
        name,
        metadataHash,
        allowsRedirect: (uri) => isDocumentedUri(uri, redirectUris),
        ...(keys && {
          loadKeys: async () =>
            'jwks' in keys ? keys.jwks : requireFound(await findKeys(keys.jwksUri, requester)),
        }),
      }
    },
  }
}

function requireFound<Value>(found: Found<Value>): Value {
  if (found.retryAfter === undefined) return found.value
  const { retryAfter } = found
  const detail = `Documents of clients are fetched too often; try again in ${retryAfter} seconds`
  throw new ServiceError(reasons.CLIENT_METADATA_LIMITED, detail, { retryAfter })
}

function refused(detail: string): ServiceError {
  return new ServiceError(reasons.CLIENT_METADATA_REFUSED, detail)
}
