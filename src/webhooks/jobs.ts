import { type Job, untilDone } from '../core/job.ts'
import { renewInterval, type WebhookSender } from './webhook-sender.ts'

/** Milliseconds between searches for new events and due deliveries of webhooks. */
const interval = 500

export const webhookFailure = 'Sending webhooks failed'

export function createWebhookJobs({ dispatch, sendDue, maintain }: WebhookSender): Job[] {
  return [
    { failure: webhookFailure, interval, run: untilDone(dispatch) },
    { failure: webhookFailure, interval, run: untilDone(sendDue) },
    { failure: webhookFailure, interval: renewInterval, run: untilDone(maintain) },
  ]
}
