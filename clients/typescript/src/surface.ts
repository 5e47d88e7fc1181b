/** What the entry points of all transports export. */
export type { AcceptedKey, AccessMessage, AccessResource } from './access/copy/messages.ts'
export type {
  AccessKeyGrant,
  AccessKeys,
  AccessKeysOptions,
  WatchAccessOptions,
} from './access-operations.ts'
export type { Daikon } from './api.ts'
export type {
  AccessibleOptions,
  CallOptions,
  ChangeOptions,
  Check,
  CheckOptions,
  Condition,
  Context,
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
} from './argument-types.ts'
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
  Ancestor,
  Explanation,
  Reason,
  RegisteredResource,
  Share,
} from './results.ts'
export type { Agent, DelegatedToken, ExchangeRequest } from './token-exchange.ts'
export type { ActivityEvent, WatchMessage, WatchOptions } from './watch.ts'
