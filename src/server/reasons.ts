import { reasons as core } from '../core/reasons.ts'
import { reasons as database } from '../database/reasons.ts'
import { reasons as grpc } from '../grpc/reasons.ts'
import { reasons as http } from '../http/reasons.ts'
import { reasons as rpc } from '../rpc/reasons.ts'
import { joinTables } from './feature.ts'
import { features } from './features.ts'

/** Every reason that an error of the server can have. */
export const reasons = joinTables([
  core,
  database,
  rpc,
  grpc,
  http,
  ...features.flatMap((feature) => ('reasons' in feature ? [feature.reasons] : [])),
])

export type ReasonName = keyof typeof reasons
