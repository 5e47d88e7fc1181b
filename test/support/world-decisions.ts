import {
  findAncestors,
  findDescendantGroups,
  type World,
  type WorldGrant,
  type WorldResource,
  type WorldSubject,
} from './hierarchy-world.ts'
import { decideCondition, type WorldCondition, type WorldVerdict } from './world-conditions.ts'

/** A question to a world, which is answered independently of the server. */
export type WorldQuestion = {
  world: World
  subject: WorldSubject
  action: string
  resource: WorldResource
  context: Record<string, unknown>
}

/** A grant on a resource or on an ancestor that it inherits from, with the actions it gives. */
type NaiveGrant = {
  /** The grant as `describeReason` describes it. */
  name: string
  condition: WorldCondition | null
  gives(action: string): boolean
}

const knownActions = ['view', 'edit', 'manage', 'publish']

/** Makes a decision by following both hierarchies step by step. */
export function decideNaively(question: WorldQuestion): boolean {
  return explainNaively(question).isAllowed
}

/** Whether everybody may view a resource. The resources of a world are of one type, which allows it. */
export function isPublic(world: Pick<World, 'resources'>, resource: WorldResource): boolean {
  return findReached(world, resource).some(({ visibility }) => visibility === 'public')
}

/**
 * Makes a decision and explains it: the grants that allow the action, or why it is denied, as
 * `describeReason` describes them, sorted.
 */
export function explainNaively(question: WorldQuestion): { isAllowed: boolean; reasons: string[] } {
  const { subject, action } = question
  const { role } = subject
  const unmet = findUnmet(question, action)
  const covers = role === 'owner' || role === 'admin'
  const found = findGrants(question)
  // To a guest, visibility `workspace` is nothing.
  const hidden = subject.guest ? found.filter(isOfWorkspaceVisibility) : []
  const grants = found.filter((grant) => !hidden.includes(grant))
  const counts = ({ condition }: NaiveGrant) =>
    condition === null || judge(question, condition) === true
  // A custom role gives its action on what the user may view, which can require conditions.
  const isOfRole = action === 'publish' && subject.publishes
  const unmetToView = isOfRole ? findUnmet(question, 'view') : []
  const hasRole = isOfRole && unmetToView.length === 0
  const suffices = (grant: NaiveGrant) =>
    grant.gives(action) || (hasRole && role !== undefined && grant.gives('view'))
  const sufficient = grants.filter((grant) => suffices(grant) && counts(grant))
  const isCovered = covers && knownActions.includes(action)
  const isGranted = isCovered || sufficient.length > 0
  if (isGranted && unmet.length === 0) {
    const isInRole = hasRole && (covers || grants.some((one) => one.gives('view') && counts(one)))
    const names = [
      ...(isCovered ? ['workspace_role'] : []),
      ...sufficient.map(({ name }) => name),
      ...(isInRole ? ['custom_role'] : []),
    ]
    return { isAllowed: true, reasons: names.toSorted() }
  }
  if (isGranted) return { isAllowed: false, reasons: describeUnmet(unmet) }
  const isWithheld =
    unmetToView.length > 0 && grants.some((one) => one.gives('view') && counts(one))
  if (isWithheld) return { isAllowed: false, reasons: describeUnmet(unmetToView) }
  const isMember = role !== undefined || subject.type === 'link'
  if (!isMember)
    return {
      isAllowed: false,
      reasons: [subject.type === 'anonymous' ? 'user_unknown' : 'not_a_member'],
    }
  if (!knownActions.includes(action)) return { isAllowed: false, reasons: ['action_unknown'] }
  const failed = grants.filter(suffices).flatMap(({ condition }) => {
    const verdict = condition === null || judge(question, condition)
    return typeof verdict === 'object' && condition ? describeFailure(condition.name, verdict) : []
  })
  const asGuest = unmet.length === 0 ? hidden.filter(suffices) : []
  const reasons = [...failed, ...asGuest.map(({ name }) => name.replace(/^\w+/, 'guest'))]
  return { isAllowed: false, reasons: reasons.length > 0 ? reasons.toSorted() : ['no_grant'] }
}

function isOfWorkspaceVisibility({ name }: NaiveGrant): boolean {
  return name.startsWith('workspace_visibility')
}

/** A requirement of the resource with this ID, which is false. */
type Unmet = { condition: string; resourceId: string; verdict: WorldVerdict }

/** An inherited requirement binds what inherits from a resource of its type, and reads that resource. */
function findUnmet(question: WorldQuestion, required: string): Unmet[] {
  const { world, resource } = question
  return findReached(world, resource)
    .flatMap((one) =>
      world.requirements
        .filter(({ action, type }) => action === required && type === one.type)
        .filter(({ inherited }) => inherited || one === resource)
        .map(({ condition }) => ({
          condition,
          resourceId: one.resource_id,
          verdict: judge({ ...question, resource: one }, { name: condition, params: {} }),
        })),
    )
    .filter(({ verdict }) => verdict !== true)
}

function describeUnmet(unmet: Unmet[]): string[] {
  return unmet
    .flatMap(({ condition, resourceId, verdict }) => [
      `requirement_not_met under ${condition} on ${resourceId}`,
      ...(typeof verdict === 'object'
        ? describeFailure(`${condition} on ${resourceId}`, verdict)
        : []),
    ])
    .toSorted()
}

function describeFailure(condition: string, { missing }: { missing: string[] }): string[] {
  return missing.length > 0
    ? [`context_missing under ${condition}: ${missing}`]
    : [`condition_failed under ${condition}`]
}

/** Judges a condition. It reads the resource and the action of the question. */
function judge(question: WorldQuestion, { name, params }: WorldCondition): WorldVerdict {
  const { subject, resource, action, context } = question
  const { id, type, role = '', guest = false } = subject
  const read = { id, type, role, guest: role !== '' && guest }
  return decideCondition(name, { subject: read, resource, action, context, params })
}

/** Returns the resource and the ancestors whose grants it has. */
export function findReached(
  world: Pick<World, 'resources'>,
  resource: WorldResource,
): WorldResource[] {
  const chain = findAncestors(world, resource)
  const last = chain.findIndex(({ inherits }) => !inherits)
  return last === -1 ? chain : chain.slice(0, last + 1)
}

/** Returns all grants of the subject, whether or not their conditions are true. */
function findGrants({ world, subject, resource }: WorldQuestion): NaiveGrant[] {
  const { id, role, type } = subject
  // Only what everybody may view counts for people of other workspaces.
  const isMember = role !== undefined
  const groups = world.groups.filter((group) =>
    findDescendantGroups(world, group.id).some((below) =>
      world.groups.some((other) => other.id === below && other.members.includes(id)),
    ),
  )
  return findReached(world, resource).flatMap((one) => {
    const origin = one === resource ? '' : ` of ${one.resource_id}`
    const always = (name: string, gives: NaiveGrant['gives']): NaiveGrant => ({
      name: `${name}${origin}`,
      condition: null,
      gives,
    })
    const shared = (name: string, grant: WorldGrant | undefined): NaiveGrant[] =>
      grant
        ? [
            {
              name: `${name} ${grant.permission}${describeCondition(grant.condition?.name)}${origin}`,
              condition: grant.condition,
              gives: (action) => actionsOf(world, one, grant).includes(action),
            },
          ]
        : []
    const isOpen = one.visibility !== 'private'
    const found: NaiveGrant[] = []
    if (isOpen && (isMember || one.visibility === 'public')) {
      const rule = one.visibility === 'public' ? 'public' : 'workspace_visibility'
      const edits = isMember && role !== 'viewer'
      found.push(always(rule, (action) => action === 'view' || (edits && action === 'edit')))
    }
    if (type === 'link')
      for (const link of world.links)
        if (link.id === id && link.resource === one.id)
          found.push(...shared(`link ${id}`, link.grant))
    if (!isMember) return found
    if (one.owner_id === id) found.push(always('owner', (action) => knownActions.includes(action)))
    if (type === 'user') found.push(...shared('share', one.shares[id]))
    for (const group of groups)
      found.push(...shared(`group_share ${group.id}`, one.shares[group.id]))
    return found
  })
}

/** Returns the actions that a permission or a role gives. `edit` and `manage` include `view`. */
function actionsOf(world: World, { type }: WorldResource, { permission }: WorldGrant): string[] {
  if (permission === 'view') return ['view']
  if (permission === 'edit') return ['view', 'edit']
  const roles = world.rolesOfTypes?.[type ?? ''] ?? world.roles
  const actions = roles[permission] ?? []
  const brings = actions.includes('edit') || actions.includes('manage')
  return brings ? ['view', ...actions] : actions
}

function describeCondition(name: string | undefined): string {
  return name ? ` under ${name}` : ''
}

/** Describes a reason: `share view under small of 5f0c…` is a share of the ancestor with this ID. */
export function describeReason(reason: Record<string, any>): string {
  const { rule, permission, role, group_id, link_id, condition, inherited_from, missing } = reason
  const required = reason.resource_id ? ` on ${reason.resource_id}` : ''
  const isShared = rule === 'share' || rule === 'group_share' || rule === 'link'
  const grantee = rule === 'link' ? ` ${link_id}` : group_id ? ` ${group_id}` : ''
  const granted = isShared ? `${grantee} ${permission ?? role}` : ''
  const origin = inherited_from ? ` of ${inherited_from.resource_id}` : ''
  const lacking = missing ? `: ${missing}` : ''
  return `${rule}${granted}${describeCondition(condition)}${required}${origin}${lacking}`
}
