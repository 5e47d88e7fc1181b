import { randomInt, randomUUID } from 'node:crypto'
import type { Evaluation } from '../../gen/daikon/v1/access.ts'
import type {
  AccessibleResourcesResponse,
  PermissionCheckResponse,
} from '../../gen/daikon/v1/permissions.ts'
import type { Tokens } from '../../src/identity/tokens.ts'
import type { Call, Credentials, Outcome } from './caller.ts'
import type { History, Operation } from './history.ts'
import { laneData } from './lane-data.ts'

/** What the clients of all lanes use. */
export type LaneContext = {
  /** Calls one of the nodes. */
  call: Call
  tokens: Pick<Tokens, 'sign'>
  service: { name: string; key: string }
  /** Of several administrators, because a call that changes a user locks its caller. */
  adminTokens: string[]
  history: History
  /** Counts failures by code, for the report. */
  failures: Map<string, number>
}

const writers = 2
const readers = 3

/** Calls of a lane, so that its history can be verified quickly. */
const maxCalls = 100

type Write = Exclude<Operation, 'read'>

/** Shares and revocations are most of the writes, so that most reads depend on them. */
const mix: Write[] = [
  ...Array.from({ length: 5 }, () => ['share', 'revoke'] as const).flat(),
  'unregister',
  'register',
  'register',
  'remove',
  'invite',
  'invite',
  'deactivate',
  'activate',
  'activate',
]

/**
 * Runs concurrent clients that change and read the access of one user to one resource, through all nodes, until
 * the lane has enough calls. A write with an unknown outcome ends the lane: it could take effect at any time.
 */
export async function runLane(context: LaneContext, lane: number): Promise<void> {
  const { call, history, service } = context
  const { user, email, owner, workspace, resource } = laneData(lane)
  const key = { key: service.key }
  const asUser: Credentials = { ...key, token: await signToken(context, user, workspace) }
  const asOwner: Credentials = { ...key, token: await signToken(context, owner, workspace) }
  const asAdmin: Credentials = {
    admin: context.adminTokens[lane % context.adminTokens.length] as string,
  }
  const kind = { service_name: service.name, resource_type: 'document' }
  const name = { ...kind, resource_id: resource }
  const grantee = { ...name, grantee_type: 'user', grantee_id: user }
  const member = { workspace_id: workspace, user_id: user }
  const registration = { ...name, workspace_id: workspace, owner_id: owner }
  const check = { ...name, action: 'view' }
  const evaluation = {
    subject: { type: 'user', id: user },
    action: { name: 'view' },
    resource: { type: kind.resource_type, id: resource },
  }
  let calls = 0
  let isEnded = false

  const writes: Record<Write, () => Promise<Outcome<unknown>>> = {
    register: () => call('PermissionService', 'register', registration, key),
    unregister: () => call('PermissionService', 'unregister', name, key),
    share: () => call('PermissionService', 'share', { ...grantee, permission: 'view' }, asOwner),
    revoke: () => call('PermissionService', 'revokeShare', { ...grantee, permission: 'view' }, key),
    remove: () => call('AdminService', 'removeMember', member, asAdmin),
    invite: () => call('AdminService', 'inviteMember', { workspace_id: workspace, email }, asAdmin),
    deactivate: () => setActive(false),
    activate: () => setActive(true),
  }

  const reads: (() => Promise<boolean | undefined>)[] = [
    async () => {
      const message = { checks: [check] }
      return readResult(
        await call<PermissionCheckResponse>('PermissionService', 'check', message, asUser),
        ({ results }) => results[0]?.allowed === true,
      )
    },
    async () => {
      const message = { ...kind, action: 'view', workspace_id: workspace }
      return readResult(
        await call<AccessibleResourcesResponse>('PermissionService', 'accessible', message, asUser),
        ({ resource_ids }) => resource_ids.includes(resource),
      )
    },
    async () => {
      return readResult(
        await call<Evaluation>('AccessService', 'evaluate', evaluation, key),
        ({ decision }) => decision,
      )
    },
  ]

  function setActive(is_active: boolean) {
    return call('AdminService', 'updateUser', { user_id: user, is_active }, asAdmin)
  }

  function readResult<Response>(
    outcome: Outcome<Response>,
    read: (response: Response) => boolean,
  ): boolean | undefined {
    if (outcome.ok) return read(outcome.message)
    countFailure(outcome)
    // The user is deactivated.
    return outcome.code === 'UNAUTHENTICATED' ? false : undefined
  }

  function writeResult(outcome: Outcome<unknown>): boolean | undefined {
    if (outcome.ok) return true
    countFailure(outcome)
    // Inviting a member who has joined.
    if (outcome.code === 'ALREADY_EXISTS') return true
    return outcome.code === 'NOT_FOUND' ? false : undefined
  }

  function countFailure({ code }: { code: string }) {
    context.failures.set(code, (context.failures.get(code) ?? 0) + 1)
  }

  async function runClient(client: number, send: (client: number) => Promise<void>) {
    while (!isEnded && calls < maxCalls) {
      calls += 1
      await send(client)
    }
  }

  async function write(client: number) {
    const op = pick(mix)
    const accepted = await history.record(lane, client, op, async () =>
      writeResult(await writes[op]()),
    )
    if (accepted === undefined) isEnded = true
  }

  async function read(client: number) {
    await history.record(lane, client, 'read', pick(reads))
  }

  await write(0)
  await Promise.all([
    ...Array.from({ length: writers }, (_, index) => runClient(index, write)),
    ...Array.from({ length: readers }, (_, index) => runClient(writers + index, read)),
  ])
}

function signToken({ tokens }: LaneContext, user: string, workspace: string): Promise<string> {
  const claims = {
    sub: user,
    jti: randomUUID(),
    email: 'user@example.com',
    name: 'user',
    wid: workspace,
    wslug: 'lane',
    wrole: 'viewer' as const,
    groups: [],
  }
  return tokens.sign('access', claims, 3600)
}

function pick<Item>(items: readonly Item[]): Item {
  return items[randomInt(items.length)] as Item
}
