/** A client of daikon for Node.js services. */
export type { DaikonClient, RemoteDaikon } from './api.ts'
export { createDaikon, type DaikonOptions } from './client.ts'
export type { TlsOptions } from './grpc-connection.ts'
export * from './surface.ts'
export type { UnaryMethod } from './unary-method.ts'
export {
  InvalidWebhookError,
  verifyWebhook,
  type WebhookEvent,
  type WebhookRequest,
} from './webhooks.ts'
