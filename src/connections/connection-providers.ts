import { createHash } from 'node:crypto'
import type { SecretBox } from '../core/secret-box.ts'
import type { ConnectionProviderSource, SignInConnection } from '../identity/ports.ts'
import {
  createConnectionProvider,
  type IssuerInspection,
  inspectIssuer,
} from '../identity/providers/connection.ts'
import { createOutboundSend } from '../identity/providers/http-client.ts'
import type { Provider } from '../identity/providers/provider.ts'
import type { OutboundClient } from '../outbound/outbound-client.ts'
import type { OutboundHosts } from '../outbound/outbound-hosts.ts'
import { secretContext } from './connection-rules.ts'

/**
 * The providers of connections, to which requests go only if `hosts` allows their addresses. Discovered
 * configuration and keys are remembered.
 */
export type ConnectionProviders = ConnectionProviderSource & {
  hosts: OutboundHosts
  /** Reads what an issuer publishes, or finds out why it cannot be used. */
  inspect(issuer: string): Promise<IssuerInspection>
}

/** The number of providers whose configuration and keys are remembered. */
const maxRemembered = 500

/** `timeout` is how many milliseconds a provider has for one step of a sign-in. */
export function createConnectionProviders(
  hosts: OutboundHosts,
  client: OutboundClient,
  secretBox: SecretBox,
  timeout = 10_000,
): ConnectionProviders {
  const send = createOutboundSend(client, timeout)
  const remembered = new Map<string, Provider>()

  function create({ id, issuer, clientId, scopes, secret }: SignInConnection): Provider {
    const clientSecret = secretBox.decrypt(secret, secretContext(id))
    return createConnectionProvider({ id, issuer, clientId, clientSecret, scopes }, send, timeout)
  }

  return {
    hosts,
    providerOf(connection) {
      const { id, issuer, clientId, scopes, secret } = connection
      const settings = JSON.stringify([id, issuer, clientId, scopes, secret])
      const key = createHash('sha256').update(settings).digest('base64')
      const provider = remembered.get(key) ?? create(connection)
      // The one that was used last is forgotten last.
      remembered.delete(key)
      remembered.set(key, provider)
      const [oldest] = remembered.keys()
      if (remembered.size > maxRemembered && oldest) remembered.delete(oldest)
      return provider
    },
    inspect: (issuer) => inspectIssuer(issuer, send, timeout, (url) => hosts.findProblem(url)),
  }
}
