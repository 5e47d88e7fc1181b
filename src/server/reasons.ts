import { reasons as activity } from '../activity/reasons.ts'
import { reasons as admin } from '../admin/reasons.ts'
import { reasons as connections } from '../connections/reasons.ts'
import { reasons as core } from '../core/reasons.ts'
import { reasons as database } from '../database/reasons.ts'
import { reasons as gateway } from '../gateway/reasons.ts'
import { reasons as grpc } from '../grpc/reasons.ts'
import { reasons as http } from '../http/reasons.ts'
import { reasons as identity } from '../identity/reasons.ts'
import { reasons as permissions } from '../permissions/reasons.ts'
import { reasons as rpc } from '../rpc/reasons.ts'
import { reasons as scim } from '../scim/reasons.ts'
import { reasons as webhooks } from '../webhooks/reasons.ts'
import { reasons as workspaces } from '../workspaces/reasons.ts'

/** Every reason that an error of the server can have. */
export const reasons = {
  ...core,
  ...database,
  ...permissions,
  ...gateway,
  ...identity,
  ...workspaces,
  ...activity,
  ...admin,
  ...webhooks,
  ...connections,
  ...scim,
  ...rpc,
  ...grpc,
  ...http,
}

export type ReasonName = keyof typeof reasons
