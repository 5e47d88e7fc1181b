import type { LiveFeed } from '../activity/feed/live-feed.ts'
import type { ConnectionProviders } from '../connections/connection-providers.ts'
import type { FindDomainProof } from '../connections/domain-proof.ts'
import type { SecretBox } from '../core/secret-box.ts'
import type { Database } from '../database/database.ts'
import type { FindApiKey } from '../identity/api-keys.ts'
import type { IdentityDependencies } from '../identity/identity-dependencies.ts'
import type { TokenMemory } from '../identity/token-memory.ts'
import type { OutboundHosts } from '../outbound/outbound-hosts.ts'
import type { Engine } from '../permissions/engine/engine.ts'
import type { InvitationOptions } from '../workspaces/invitation-links.ts'
import type { Config } from './config.ts'

/** What features create their handlers with. */
export type HandlerDependencies = IdentityDependencies & {
  connectionProviders: ConnectionProviders
  tokenMemory: TokenMemory
  findApiKey: FindApiKey
  database: Pick<Database, 'reads'>
  engine: Engine
  feed: LiveFeed
  settings: Config
  invitations: InvitationOptions
  /** Called with the ID of each link that a request names as its subject. */
  onLinkUsed(id: string): void
  /** The hosts that may receive logout tokens. */
  backchannelHosts: OutboundHosts
  /** The hosts that may receive events. */
  webhookHosts: OutboundHosts
  findDomainProof: FindDomainProof
  secretBox: SecretBox
  /** Wakes up a node to attempt the due deliveries of a webhook. */
  wakeWebhook(id: string): void
}

export type HandlerContext = ReturnType<typeof createHandlerContext>

/** Returns what handlers find in their context, in addition to the call. */
export function createHandlerContext(dependencies: HandlerDependencies) {
  const { findApiKey, settings, invitations, backchannelHosts, webhookHosts } = dependencies
  const { connectionProviders, findDomainProof, secretBox, wakeWebhook } = dependencies
  const identity: IdentityDependencies = dependencies
  return {
    findApiKey,
    identity,
    settings,
    baseUrl: settings.BASE_URL,
    debug: settings.DEBUG,
    keysRequired: settings.SERVICE_KEYS_REQUIRED,
    quotas: settings,
    invitations,
    backchannelHosts,
    webhookHosts,
    connectionProviders,
    findDomainProof,
    secretBox,
    wakeWebhook,
  }
}
