import type pg from 'pg'
import { PermissionServiceService, ShareRequest } from '../../gen/daikon/v1/permissions.ts'
import { deleteResourceType, idOf, kind } from '../data-set.ts'
import { largeWorkspaceOf, type Size } from '../data-set-size.ts'
import { createBenchClient } from '../grpc-client.ts'

/** The type of the resources that are shared. They are deleted after the measurement. */
export const changedType = 'changed'

const count = 2000
const { share } = PermissionServiceService

/** Shares resources at a pace. */
export type Changes = {
  /** Calls `onShared` with the ID of each resource once the share is acknowledged. */
  start(pace: number, onShared?: (resourceId: string) => void): { stop(): Promise<void> }
  close(): void
}

/** Creates resources of a type of their own in the large workspace. Returns what shares them with its members. */
export async function createChanges(
  database: pg.Client,
  { size, port, token }: { size: Size; port: number; token: string },
): Promise<Changes> {
  await deleteResourceType(database, changedType)
  const { firstUser, members, workspace } = largeWorkspaceOf(size)
  const { rows } = await database.query<{ id: string; resource_id: string }>(
    `with kind as (
       insert into resource_kinds (service_name, resource_type) values ($1, $2) returning id)
     insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
     select gen_random_uuid(), kind.id, gen_random_uuid(), $3, $4, 'private'
     from kind, generate_series(1, ${count}) returning id, resource_id`,
    [kind.service_name, changedType, idOf('w', workspace), idOf('u', firstUser + members - 1)],
  )
  const client = createBenchClient(port)
  let next = 0

  async function shareNext(onShared: (resourceId: string) => void): Promise<void> {
    const { id: permission_id, resource_id } = rows[next % count] as (typeof rows)[0]
    const member = Math.floor(next / count) % members
    next += 1
    const grantee = { grantee_type: 'user', grantee_id: idOf('u', firstUser + member) }
    const request = { permission_id, ...grantee, permission: 'view' }
    await client.call(share.path, token, ShareRequest.encode(request).finish())
    onShared(resource_id)
  }

  return {
    start: (pace, onShared = () => {}) => startPacer(pace, () => shareNext(onShared)),
    close: () => client.close(),
  }
}

/** Makes calls when they are due, whether or not earlier ones have returned. */
function startPacer(pace: number, call: () => Promise<void>): { stop(): Promise<void> } {
  const startedAt = performance.now()
  const calls: Promise<void>[] = []
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * pace
    while (calls.length < due) calls.push(call())
  }, 2)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(calls)
    },
  }
}
