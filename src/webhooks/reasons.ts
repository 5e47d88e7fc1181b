import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of webhooks. */
export const reasons = defineReasons({
  DELIVERY_NOT_FOUND: { code: 'not_found', message: 'Delivery not found' },
  TOO_MANY_WEBHOOKS: { code: 'resource_exhausted', message: 'Too many webhooks exist' },
  WEBHOOK_INACTIVE: {
    code: 'failed_precondition',
    message: 'The webhook is inactive; activate it first',
  },
  WEBHOOK_NOT_FOUND: { code: 'not_found', message: 'Webhook not found' },
})
