/** A client of daikon for Node.js services. */
export type {
  AccessibleOptions,
  AccessTokenClaims,
  CallOptions,
  ChangeOptions,
  Check,
  Daikon,
  DaikonClient,
  Explanation,
  Grant,
  Grantee,
  Permission,
  Reason,
  RegisteredResource,
  Registration,
  Resource,
  Share,
  ShareOptions,
  Subject,
  Visibility,
} from './api.ts'
export { createDaikon, type DaikonOptions } from './client.ts'
export type { TlsOptions } from './connection.ts'
export {
  CancelledError,
  CursorGoneError,
  DaikonError,
  DeadlineExceededError,
  type ErrorCode,
  type ErrorDetails,
  type Field,
  InvalidArgumentError,
  InvalidTokenError,
  NotFoundError,
  PermissionDeniedError,
  UnauthenticatedError,
  UnavailableError,
} from './errors.ts'
export { resourceId } from './resource-id.ts'
export type { UnaryMethod } from './unary-method.ts'
export type { ActivityEvent, WatchMessage, WatchOptions } from './watch.ts'
export {
  InvalidWebhookError,
  verifyWebhook,
  type WebhookEvent,
  type WebhookRequest,
} from './webhooks.ts'
