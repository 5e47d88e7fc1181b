/** Generated code: methods for `daikon.call`, clients, and message types. */
export type * as access from './gen/daikon/v1/access.ts'
export { AccessServiceClient, AccessServiceService } from './gen/daikon/v1/access.ts'
export type * as permissions from './gen/daikon/v1/permissions.ts'
export { PermissionServiceClient, PermissionServiceService } from './gen/daikon/v1/permissions.ts'
export type { UnaryMethod } from './unary-method.ts'
