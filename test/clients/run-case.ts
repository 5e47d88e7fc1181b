import type { ExecutionContext } from 'ava'
import { type DaikonClient, DaikonError } from '../../clients/typescript/src/daikon.ts'
import { PermissionServiceService } from '../../clients/typescript/src/grpc.ts'
import type { FakeDaikon, FakeResourceRole } from '../../clients/typescript/src/testing.ts'
import { type ClientCase, substitute, type Values } from '../support/client-cases.ts'

/** Runs a case of clients/cases.json and verifies its result. */
export async function runCase(
  t: ExecutionContext,
  daikon: DaikonClient | FakeDaikon,
  { name, call, args, returns, fails }: ClientCase,
  values: Values,
): Promise<void> {
  const operation = operations[call]
  if (!operation) throw new Error(`${name}: no operation ${call}`)
  const expected = substitute(returns, values)
  try {
    const result = await operation(daikon, substitute(args, values))
    if (fails) t.fail(`${name}: returned ${JSON.stringify(result)}`)
    else if (returns === undefined) t.is(result, undefined, name)
    else if (isRecord(expected) && isRecord(result)) t.like(result, expected, name)
    else t.deepEqual(result, call === 'accessible' ? sort(expected) : expected, name)
  } catch (error) {
    if (!(error instanceof DaikonError) || !fails) throw new Error(name, { cause: error })
    t.is(error.code, fails.code as typeof error.code, `${name}: ${error.message}`)
    if (fails.reason) t.is(error.reason, fails.reason, name)
    const fields = error.fields.map(({ field }) => field)
    if (fails.fields) t.deepEqual(fields, fails.fields, `${name}: ${error.message}`)
  }
}

/** The operations by name. Each calls the client with the arguments of a case. */
const operations: Record<string, (daikon: DaikonClient | FakeDaikon, args: any) => unknown> = {
  check: (daikon, { subject, action, resource }) => daikon.check(subject, action, resource),
  checkMany: (daikon, { items }) => daikon.checkMany(items),
  accessible: async (daikon, { subject, action, type, ...options }) => {
    const ids: string[] = []
    for await (const id of daikon.accessible(subject, action, type, options)) ids.push(id)
    return sort(ids)
  },
  explain: async (daikon, { subject, action, resource }) => {
    const { allowed, reasons } = await daikon.explain(subject, action, resource)
    const rules = sort(reasons.map(({ rule }) => rule))
    return { allowed, rules, roles: sort(reasons.flatMap(({ role }) => role ?? [])) }
  },
  register: (daikon, args) => daikon.register(args),
  unregister: (daikon, { resource, ...options }) => daikon.unregister(resource, options),
  share: async (daikon, { resource, grantee, permission, role, ...options }) => {
    const grant = role === undefined ? permission : { role }
    const share = await daikon.share(resource, grantee, grant, options)
    return { ...share, permission: share.permission ?? null, role: share.role ?? null }
  },
  declareType,
  revoke: (daikon, { resource, grantee, ...options }) => daikon.revoke(resource, grantee, options),
  setVisibility: (daikon, { resource, visibility, ...options }) =>
    daikon.setVisibility(resource, visibility, options),
  transfer: (daikon, { resource, userId, ...options }) =>
    daikon.transfer(resource, userId, options),
  verifyAccessToken: async (daikon, { token }) => {
    const { sub, wid } = await daikon.verifyAccessToken(token)
    return { userId: sub, workspaceId: wid }
  },
  resourceId: (daikon, resource) => daikon.resourceId(resource),
}

/** Declares a resource type on a server, or in a fake. */
async function declareType(
  daikon: DaikonClient | FakeDaikon,
  { type, roles, allowPublic }: { type: string; roles: FakeResourceRole[]; allowPublic?: boolean },
): Promise<void> {
  if ('declareType' in daikon)
    return daikon.declareType(type, roles, { allowPublic: allowPublic ?? false })
  const request = {
    service_name: 'docs',
    resource_type: type,
    roles,
    conditions: [],
    requirements: [],
    allow_public: allowPublic,
  }
  await daikon.call(PermissionServiceService.putResourceType, request)
}

function sort(list: unknown): unknown {
  return (list as string[]).toSorted()
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
