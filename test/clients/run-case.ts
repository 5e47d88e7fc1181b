import type { ExecutionContext } from 'ava'
import {
  type Daikon,
  DaikonError,
  type Grant,
  type Link,
  type Permission,
  type RegisteredResource,
  type Share,
} from '../../clients/typescript/src/daikon.ts'
import { type ClientCase, substitute, type Values } from '../support/client-cases.ts'

/** Runs a case of clients/cases.json and verifies its result. */
export async function runCase(
  t: ExecutionContext,
  daikon: Daikon,
  { name, call, args, save = {}, returns, fails }: ClientCase,
  values: Values,
): Promise<void> {
  const operation = operations[call]
  if (!operation) throw new Error(`${name}: no operation ${call}`)
  const expected = substitute(returns, values)
  try {
    const result = await operation(daikon, substitute(args, values))
    for (const [key, field] of Object.entries(save))
      values[key] = (result as Record<string, string>)[field] as string
    if (fails) t.fail(`${name}: returned ${JSON.stringify(result)}`)
    else if (returns === undefined) t.is(result, undefined, name)
    else if (isRecord(expected) && isRecord(result)) {
      const listed = Object.keys(expected).map((key) => [key, result[key]])
      t.deepEqual(Object.fromEntries(listed), expected, name)
    } else t.deepEqual(result, sortedCalls.includes(call) ? sort(expected) : expected, name)
  } catch (error) {
    if (!(error instanceof DaikonError) || !fails) throw new Error(name, { cause: error })
    t.is(error.code, fails.code as typeof error.code, `${name}: ${error.message}`)
    if (fails.reason) t.is(error.reason, fails.reason, name)
    const fields = error.fields.map(({ field }) => field)
    if (!fails.fields) return
    t.deepEqual(fields, fails.fields.map(nameArgument), `${name}: ${error.message}`)
    for (const { field } of error.fields) t.true(error.message.includes(`${field} `), error.message)
  }
}

/** Returns what the client calls a field of the table, which names those of the API. */
function nameArgument(field: string): string {
  return field
    .replace('context.workspace_id', 'workspaceId')
    .replace(/^resources(?=\[)/, 'registrations')
    .replace('grantee_email', 'grantee.email')
    .replace(/^permission$/, 'grant')
    .replace(/^role$/, 'grant.role')
    .replace(/(?<![a-z])resource_(id|type)$/, 'resource.$1')
    .replace(/owner_(id|email)$/, (_, kind) => (kind === 'id' ? 'ownerId' : 'ownerEmail'))
}

/** The operations whose results are sets. */
const sortedCalls = ['accessible', 'subjects', 'shares', 'shareMany']

/** The operations by name. Each calls the client with the arguments of a case. */
const operations: Record<string, (daikon: Daikon, args: any) => unknown> = {
  check: (daikon, { subject, action, resource, ...options }) =>
    daikon.check(subject, action, resource, options),
  checkMany: (daikon, { items, ...options }) => daikon.checkMany(items, options),
  accessible: async (daikon, { subject, action, type, ...options }) =>
    sort(await collect(daikon.accessible(subject, action, type, options))),
  subjects: async (daikon, { action, resource, ...options }) =>
    sort(await collect(daikon.subjects(action, resource, options))),
  explain: async (daikon, { subject, action, resource, ...options }) => {
    const { allowed, reasons } = await daikon.explain(subject, action, resource, options)
    return {
      allowed,
      rules: sort(reasons.map(({ rule }) => rule)),
      roles: sort(reasons.flatMap(({ role }) => role ?? [])),
      conditions: sort(reasons.flatMap(({ condition }) => condition ?? [])),
      missing: sort(reasons.flatMap(({ missing }) => missing ?? [])),
      requiredBy: sort(reasons.flatMap(({ requiredBy }) => requiredBy?.type ?? [])),
      uncovered: sort(reasons.flatMap(({ uncovered }) => uncovered ?? [])),
      delegations: sort(reasons.flatMap(({ delegationId }) => delegationId ?? [])),
      agents: sort(reasons.flatMap(({ agent }) => (agent ? nameAgent(agent) : []))),
    }
  },
  register: async (daikon, args) => viewResource(await daikon.register(args)),
  registerMany: async (daikon, { resources }) =>
    (await daikon.registerMany(resources)).map(({ id }) => id),
  get: async (daikon, { resource }) => viewResource(await daikon.get(resource)),
  unregister: (daikon, { resource, ...options }) => daikon.unregister(resource, options),
  share: async (daikon, { resource, grantee, permission, role, ...options }) => {
    const grant = readGrant({ permission, role })
    return viewGrant(await daikon.share(resource, grantee, grant, options))
  },
  shareMany: async (daikon, { shares, ...options }) => {
    const items = shares.map(({ permission, role, ...share }: any) => ({
      ...share,
      grant: readGrant({ permission, role }),
    }))
    return listGrantees(await daikon.shareMany(items, options))
  },
  shares: async (daikon, { resource }) => listGrantees(await daikon.shares(resource)),
  revoke: (daikon, { resource, grantee, ...options }) => daikon.revoke(resource, grantee, options),
  createLink: async (daikon, { resource, permission, role, ...options }) =>
    viewGrant(await daikon.createLink(resource, readGrant({ permission, role }), options)),
  links: async (daikon, { resource, ...options }) =>
    (await daikon.links(resource, options)).map(({ name = '' }) => name),
  revokeLink: (daikon, { resource, linkId, ...options }) =>
    daikon.revokeLink(resource, linkId, options),
  setVisibility: (daikon, { resource, visibility, ...options }) =>
    daikon.setVisibility(resource, visibility, options),
  setAttributes: (daikon, { resource, attributes, ...options }) =>
    daikon.setAttributes(resource, attributes, options),
  setDisplayName: async (daikon, { resource, displayName, ...options }) =>
    viewResource(await daikon.setDisplayName(resource, displayName, options)),
  setParent: (daikon, { resource, parent, ...options }) =>
    daikon.setParent(resource, parent, options),
  transfer: (daikon, { resource, userId, ...options }) =>
    daikon.transfer(resource, userId, options),
  registerActions: (daikon, { actions }) => daikon.registerActions(actions),
  declareType: async (daikon, { type, dryRun, ...declaration }) => {
    const { uses } = await daikon.declareType(type, declaration, { dryRun })
    return uses && { uses }
  },
  resourceTypes: async (daikon) => sort((await daikon.resourceTypes()).map(({ type }) => type)),
  deleteType: (daikon, { type }) => daikon.deleteType(type),
  verifyAccessToken: async (daikon, { token, audience, delegated }) => {
    const claims = await daikon.verifyAccessToken(token, { audience, delegated })
    const { sub, wid, act, delegation_id: delegationId } = claims
    const agent = act && `${act.typ}:${act.sub}`
    return { userId: sub, workspaceId: wid, ...(agent && { agent, delegationId }) }
  },
  resourceId: (daikon, resource) => daikon.resourceId(resource),
}

function nameAgent({ type, id, name }: { type: string; id: string; name: string }): string {
  return `${type}:${id} ${name}`
}

function readGrant({ permission, role }: { permission: Permission; role?: string }): Grant {
  return role === undefined ? permission : { role }
}

/** Returns a share or link with null for what is absent. */
function viewGrant<Granted extends Share | Link>(granted: Granted) {
  return { ...granted, permission: granted.permission ?? null, role: granted.role ?? null }
}

function viewResource(resource: RegisteredResource) {
  const inherited = resource.ancestors.map((ancestor) => {
    const { type, id, visibility, ownerName, ownerEmail, shares } = ancestor
    const holders = [`${ownerName} ${ownerEmail}`, ...nameGrantees(shares)]
    return `${type} ${id} ${visibility}: ${holders.join(', ')}`
  })
  return {
    ...resource,
    displayName: resource.displayName ?? null,
    sharedWith: nameGrantees(resource.shares),
    inherited,
  }
}

function nameGrantees(shares: Share[]): string[] {
  return shares
    .map(({ granteeName = '', granteeEmail = '' }) => `${granteeName} ${granteeEmail}`)
    .toSorted()
}

function listGrantees(shares: Share[]): unknown {
  return sort(shares.map(({ grantee }) => ('userId' in grantee ? grantee.userId : grantee.groupId)))
}

async function collect(ids: AsyncIterable<string>): Promise<string[]> {
  const collected: string[] = []
  for await (const id of ids) collected.push(id)
  return collected
}

function sort(list: unknown): unknown {
  return (list as string[]).toSorted()
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
