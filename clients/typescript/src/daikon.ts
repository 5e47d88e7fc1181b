/** A client of daikon for Node.js services. */
export type {
  AccessibleOptions,
  CallOptions,
  ChangeOptions,
  Check,
  CheckOptions,
  Condition,
  Context,
  Daikon,
  DaikonClient,
  Grant,
  Grantee,
  GrantTerms,
  NewShare,
  ParentOptions,
  Permission,
  Registration,
  Resource,
  ShareOptions,
  Subject,
  SubjectsOptions,
  UnregisterOptions,
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
export type { Link, LinkOptions, NewLink } from './links.ts'
export { resourceId } from './resource-id.ts'
export type {
  ConditionDeclaration,
  DeclaredType,
  DeclareOptions,
  Requirement,
  RoleDeclaration,
  TypeDeclaration,
  TypeUses,
} from './resource-types.ts'
export type {
  AccessTokenClaims,
  Explanation,
  Reason,
  RegisteredResource,
  Share,
} from './results.ts'
export type { UnaryMethod } from './unary-method.ts'
export type { ActivityEvent, WatchMessage, WatchOptions } from './watch.ts'
export {
  InvalidWebhookError,
  verifyWebhook,
  type WebhookEvent,
  type WebhookRequest,
} from './webhooks.ts'
