import type { CentralSettings } from '../config/settings.ts'
import type { LogFailure } from '../core/log-failure.ts'
import type { Database } from '../database/database.ts'
import { createOutboundClient } from '../outbound/outbound-client.ts'
import { webhookHandlers } from './handlers.ts'
import { createWebhookJobs, webhookFailure } from './jobs.ts'
import { reencryptWebhooks } from './reencrypt.ts'
import type { WebhookSettings } from './settings.ts'
import { openWebhookJobs } from './store/job-queue.ts'
import { webhookStores } from './store/stores.ts'
import { createWebhookHosts } from './webhook-hosts.ts'
import {
  createWebhookSender,
  type WebhookSender,
  type WebhookSenderDependencies,
} from './webhook-sender.ts'

type Dependencies = Pick<WebhookSenderDependencies, 'openStores' | 'secretBox' | 'now' | 'warn'> & {
  database: Pick<Database, 'execute'>
  settings: WebhookSettings & CentralSettings
  logFailure: LogFailure
}

/** What webhooks run. */
export const parts = {
  stores: webhookStores,
  createServices({
    openStores,
    secretBox,
    now,
    warn,
    database,
    settings,
    logFailure,
  }: Dependencies) {
    /** The hosts that may receive events. */
    const webhookHosts = createWebhookHosts(settings)
    const onFailure = logFailure(webhookFailure)
    const webhookSender = createWebhookSender({
      openStores,
      jobs: openWebhookJobs(database.execute, onFailure),
      secretBox,
      send: createOutboundClient(webhookHosts, { keepsConnections: true }),
      now,
      random: Math.random,
      onFailure,
      warn,
    })
    return { webhookHosts, webhookSender, wakeWebhook: webhookSender.wake }
  },
  createHandlers: () => webhookHandlers,
  createJobs: createWebhookJobs,
  stop: ({ webhookSender }: { webhookSender: WebhookSender }) => webhookSender.stop(),
  reencrypt: reencryptWebhooks,
}
