/** Sign-in and permission checks with daikon for browsers. */
export type {
  Check,
  CheckOptions,
  DaikonBrowser,
  DaikonBrowserOptions,
  DaikonEvent,
  Resource,
  SignInOptions,
  SignOutOptions,
  StepUp,
  TokenStorage,
  User,
  Workspace,
} from './api.ts'
export { createDaikonBrowser } from './client.ts'
export {
  DaikonError,
  type ErrorCode,
  type ErrorDetails,
  type Field,
  InvalidArgumentError,
  PermissionDeniedError,
  SessionEndedError,
  SignInError,
  UnauthenticatedError,
  UnavailableError,
} from './errors.ts'
export { resourceId } from './resource-id.ts'
