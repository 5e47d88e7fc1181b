import { once } from 'node:events'
import type { CheckStreamResponse } from '../../../gen/daikon/v1/permissions.ts'
import { createMetadata, type Outcome, type PresentedCredentials } from '../transports.ts'
import { isUuid } from './changes.ts'
import type { NamedSubject, Oracle } from './oracle.ts'
import { Unavailable } from './rows.ts'
import { type AskedNode, kindOf, resourceTypes, type Scene } from './scene.ts'

/** A question for every node, and what the oracle says about it. */
export type Question = {
  label: string
  /** The number of decisions that it asks for. */
  count: number
  ask(node: AskedNode): Promise<unknown>
  expect(oracle: Oracle): unknown
}

export const actions = ['view', 'edit', 'manage', 'publish', 'unregistered']

const mixCase = (text: string) =>
  text.replace(/[a-f]/g, (letter, index) => (index % 2 ? letter : letter.toUpperCase()))

/** Every way to name a subject, by name. Each returns all subjects that it can name. */
export const subjectForms: Record<string, (scene: Scene) => NamedSubject[]> = {
  id: (scene) => people(scene).map(({ id }) => ({ type: 'user', id })),
  'id in capitals': (scene) =>
    people(scene).map(({ id }) => ({ type: 'user', id: id.toUpperCase() })),
  'id in mixed case': (scene) => people(scene).map(({ id }) => ({ type: 'user', id: mixCase(id) })),
  'e-mail address': (scene) => people(scene).map(({ email }) => ({ type: 'user', id: email })),
  'e-mail address in capitals': (scene) =>
    people(scene).map(({ email }) => ({ type: 'user', id: email.toUpperCase() })),
  'external id': (scene) =>
    people(scene).map(({ externalId }) => ({ type: 'user', id: externalId })),
  'access token': ({ secrets }) => namesOf('access_token', [...secrets.tokens.keys()].slice(-14)),
  'API key': ({ secrets }) => namesOf('api_key', [...secrets.apiKeys.keys()].slice(-3)),
  link: ({ secrets }) => namesOf('link', [...secrets.links.keys()].slice(-4)),
  group: ({ groups, flatGroup }) => namesOf('group', [...groups, flatGroup]),
  'group in capitals': ({ groups, flatGroup }) =>
    namesOf(
      'group',
      [...groups, flatGroup].map((id) => id.toUpperCase()),
    ),
  delegation: ({ delegations }) => namesOf('delegation', delegations.slice(-8)),
  'delegation in mixed case': ({ delegations }) =>
    namesOf('delegation', delegations.slice(-8).map(mixCase)),
  anonymous: () => namesOf('anonymous', ['nobody']),
}

function people({ members, drifters, outsider, serviceAccount }: Scene) {
  const account = { id: serviceAccount, email: 'nobody@example.com', externalId: 'nobody' }
  return [...members, ...drifters, outsider, account]
}

const namesOf = (type: string, ids: string[]): NamedSubject[] => ids.map((id) => ({ type, id }))

/** Returns the message, or undefined if the caller is rejected. */
function read(outcome: Outcome): Record<string, any> | undefined {
  if (outcome.ok) return outcome.message
  const rejections = ['unauthenticated', 'permission_denied', 'not_found']
  if (rejections.includes(outcome.code)) return undefined
  if (outcome.code === 'unavailable') throw new Unavailable(outcome.detail)
  throw new Error(`${outcome.code}: ${outcome.detail}`)
}

/** Two actions on every resource. UUIDs are in capitals if `spelling` says so. */
function combine({ resources, random }: Scene, spelling: 'lower' | 'capitals') {
  const names = resources.map((id) =>
    isUuid(id) && spelling === 'capitals' ? id.toUpperCase() : id,
  )
  const asked = ['view', random.pick(actions.slice(1))]
  return asked.flatMap((action) => names.map((resource) => ({ action, resource })))
}

const spellings = ['lower', 'lower', 'capitals'] as const

function anySubject(scene: Scene): NamedSubject {
  const subjects = scene.random.pick(Object.values(subjectForms))(scene)
  return subjects.length > 0 ? scene.random.pick(subjects) : { type: 'anonymous', id: 'nobody' }
}

const describe = ({ type, id }: NamedSubject) => `${type} ${id.slice(-50)}`

/** Reads all pages of a search. */
async function search(
  node: AskedNode,
  method: string,
  message: object,
  { key, context }: Pick<Scene, 'key' | 'context'>,
): Promise<string[]> {
  const found: string[] = []
  let token = ''
  do {
    const page = token ? { token } : { limit: 4 }
    const request = { ...message, context: { ...context, ...(message as any).context }, page }
    const answer = read(await node.grpc.call(method, request, { key }))
    if (!answer) return []
    found.push(...answer.results.map((one: any) => one.name ?? one.id))
    token = answer.page.next_token
  } while (token)
  return found.toSorted()
}

/** Returns the decisions of EvaluateBatch for a subject on every resource, or of a service key. */
export function evaluateAll(
  scene: Scene,
  subject: NamedSubject,
  form: string,
  // An explanation does not use facts in memory.
  { key = scene.key, explain = scene.random.chance(0.2) } = {},
): Question {
  const { context, random } = scene
  const items = combine(scene, random.pick(spellings))
  const evaluations = items.map(({ action, resource }) => ({
    action: { name: action },
    resource: { type: typeOf(scene, resource), id: resource },
  }))
  const transport = random.chance(0.8) ? 'grpc' : 'rest'
  return {
    label: `EvaluateBatch of ${form}: ${describe(subject)}`,
    count: items.length,
    async ask(node) {
      const message = { subject, evaluations, context: { ...context, explain } }
      const answer = read(await node[transport].call('EvaluateBatch', message, { key }))
      const decisions = answer?.evaluations ?? items.map(() => ({ decision: false }))
      return allowed(items, (index) => decisions[index].decision)
    },
    expect: (oracle) =>
      allowed(items, (_, { action, resource }) =>
        Boolean(oracle.isKeyValid(key) && oracle.isAllowed(subject, action, resource)),
      ),
  }
}

const typeOf = (scene: Scene, name: string) =>
  kindOf(scene, isUuid(name) ? name.toLowerCase() : name).resource_type

type Item = { action: string; resource: string }

const allowed = (items: Item[], isAllowed: (index: number, item: Item) => boolean): string[] =>
  items
    .filter((item, index) => isAllowed(index, item))
    .map(({ action, resource }) => `${action} ${resource}`)

function anyToken({ random, secrets }: Scene): string {
  return random.pick([...secrets.tokens.keys()].slice(-14))
}

/** What a token's user may do, as Check decides it: nothing, if the call is rejected. */
function expectChecks(oracle: Oracle, { token, key }: PresentedCredentials, items: Item[]) {
  const id = token as string
  const isAccepted = oracle.isKeyValid(key as string) && oracle.isAccepted(id)
  const subject = { type: 'access_token', id }
  return allowed(
    items,
    (_, { action, resource }) => isAccepted && oracle.isAllowed(subject, action, resource),
  )
}

/** Every kind of question, by name. A new feature adds a row. */
export const questions: Record<string, (scene: Scene) => Question> = {
  Evaluate: (scene) => {
    const { random, context, key, resources } = scene
    const subject = anySubject(scene)
    const [action, resource] = [random.pick(actions), random.pick(resources)]
    const target = { type: typeOf(scene, resource), id: resource }
    const message = { subject, action: { name: action }, resource: target, context }
    return {
      label: `Evaluate ${action} of ${describe(subject)} on ${resource}`,
      count: 1,
      ask: async ({ grpc }) =>
        read(await grpc.call('Evaluate', message, { key }))?.decision ?? false,
      expect: (oracle) => oracle.isKeyValid(key) && oracle.isAllowed(subject, action, resource),
    }
  },
  'any service key': (scene) =>
    evaluateAll(scene, { type: 'user', id: scene.people.owner.id }, 'a service key', {
      key: scene.random.pick(scene.keys.slice(-3)),
    }),
  Check: (scene) => {
    const { kind, context, key, random } = scene
    const token = anyToken(scene)
    const items = combine(scene, random.pick(spellings)).filter((one) => isUuid(one.resource))
    const checks = items.map(({ action, resource }) => ({
      ...kind,
      resource_type: typeOf(scene, resource),
      action,
      resource_id: resource,
    }))
    return {
      label: 'Check',
      count: items.length,
      async ask({ grpc }) {
        const answer = read(await grpc.call('Check', { checks, context }, { token, key }))
        return allowed(items, (index) => answer?.results[index].allowed ?? false)
      },
      expect: (oracle) => expectChecks(oracle, { token, key }, items),
    }
  },
  CheckStream: (scene) => {
    const { kind, context, key, random } = scene
    const token = anyToken(scene)
    const action = random.pick(actions)
    const asked = scene.resources.filter(isUuid).map((resource) => ({ action, resource }))
    return {
      label: `CheckStream ${action}`,
      count: asked.length,
      async ask({ client }) {
        const stream = client.checkStream(createMetadata({ token, key }))
        const results: boolean[] = []
        stream.on('data', (response: CheckStreamResponse) => {
          results[Number(response.correlation_id)] = response.allowed
        })
        for (const [index, { resource }] of asked.entries()) {
          const type = { ...kind, resource_type: typeOf(scene, resource) }
          const check = { ...type, action, resource_id: resource }
          stream.write({ correlation_id: String(index), check, context })
        }
        stream.end()
        try {
          await once(stream, 'end')
        } catch (error) {
          const { code, message } = error as { code: number; message: string }
          if (code === 14 || code === 4) throw new Unavailable(message)
          // UNAUTHENTICATED or PERMISSION_DENIED.
          if (code !== 16 && code !== 7) throw error
        }
        return allowed(asked, (index) => results[index] ?? false)
      },
      expect: (oracle) => expectChecks(oracle, { token, key }, asked),
    }
  },
  SearchActions: (scene) => {
    const { random, key, context, resources } = scene
    const subject = anySubject(scene)
    const id = random.pick(resources)
    const message = { subject, resource: { type: typeOf(scene, id), id } }
    return {
      label: `SearchActions of ${describe(subject)} on ${id}`,
      count: actions.length,
      ask: async (node) =>
        (await search(node, 'SearchActions', message, { key, context })).filter((one) =>
          actions.includes(one),
        ),
      expect: (oracle) =>
        oracle.isKeyValid(key)
          ? actions.filter((action) => oracle.isAllowed(subject, action, id)).toSorted()
          : [],
    }
  },
  SearchResources: (scene) => {
    const { random, key, context, workspace } = scene
    const type = random.pick(resourceTypes)
    const subject = anySubject(scene)
    const action = random.pick(actions)
    // Anonymous subjects reach every workspace, and groups their own.
    const isLimited = subject.type === 'anonymous' || subject.type === 'group'
    const limit = isLimited && { context: { workspace_id: workspace } }
    const message = { subject, action: { name: action }, resource: { type }, ...limit }
    return {
      label: `SearchResources ${action} ${type} of ${describe(subject)}`,
      count: 1,
      ask: (node) => search(node, 'SearchResources', message, { key, context }),
      expect: (oracle) =>
        oracle.isKeyValid(key)
          ? oracle.findResources(subject, action, type, isLimited ? workspace : undefined)
          : [],
    }
  },
  SearchSubjects: (scene) => {
    const { random, key, context, resources } = scene
    const [action, id] = [random.pick(actions), random.pick(resources)]
    const type = random.pick(['user', 'group'] as const)
    const resource = { type: typeOf(scene, id), id }
    const message = { subject: { type }, action: { name: action }, resource }
    return {
      label: `SearchSubjects ${action} of type ${type} on ${id}`,
      count: 1,
      ask: (node) => search(node, 'SearchSubjects', message, { key, context }),
      expect: (oracle) => (oracle.isKeyValid(key) ? oracle.findSubjects(type, action, id) : []),
    }
  },
  Accessible: (scene) => {
    const { random, key, context, secrets } = scene
    const kind = { ...scene.kind, resource_type: random.pick(resourceTypes) }
    const token = anyToken(scene)
    const action = random.pick(actions)
    const workspace_id = secrets.tokens.get(token)?.workspaceId
    return {
      label: `Accessible ${action} ${kind.resource_type}`,
      count: 1,
      async ask({ grpc }) {
        const ids: string[] = []
        let page_token: string | undefined
        do {
          const message = { ...kind, action, workspace_id, context, limit: 4, page_token }
          const page = read(await grpc.call('Accessible', message, { token, key }))
          if (!page) return []
          ids.push(...page.resource_ids)
          page_token = page.next_page_token ?? undefined
        } while (page_token)
        return ids.toSorted()
      },
      expect(oracle) {
        if (!oracle.isKeyValid(key) || !oracle.isAccepted(token)) return []
        const subject = { type: 'access_token', id: token }
        return oracle.resources
          .filter((one) => one.type === kind.resource_type && one.workspace === workspace_id)
          .filter((one) => oracle.isAllowed(subject, action, one.resource_id))
          .map(({ resource_id }) => resource_id)
          .toSorted()
      },
    }
  },
  AuthorizeAction: (scene) => {
    const { random, key, resources } = scene
    const token = anyToken(scene)
    const [action, resource_id] = [random.pick(actions), random.pick(resources)]
    const message = { action, resource_type: typeOf(scene, resource_id), resource_id }
    return {
      label: `AuthorizeAction ${action} on ${resource_id}`,
      count: 1,
      ask: async ({ rest }) =>
        read(await rest.call('AuthorizeAction', message, { token, key })) !== undefined,
      // Gateways send no context.
      expect: (oracle) =>
        oracle.isKeyValid(key) && isAuthorized(oracle, token, action, resource_id),
    }
  },
  AuthorizeForwarded: (scene) => {
    const { random, key, resources, types } = scene
    const token = anyToken(scene)
    const id = random.pick(resources.filter((name) => !types.has(name)))
    const message = { method: 'GET', uri: `/documents/${encodeURIComponent(id)}` }
    return {
      label: `AuthorizeForwarded ${id}`,
      count: 1,
      ask: async ({ rest }) =>
        read(await rest.call('AuthorizeForwarded', message, { token, key })) !== undefined,
      expect: (oracle) =>
        oracle.isKeyValid(key) &&
        oracle.hasRoute('/documents/{id}') &&
        isAuthorized(oracle, token, 'view', id),
    }
  },
}

const isAuthorized = (oracle: Oracle, token: string, action: string, resource: string) =>
  oracle.isAccepted(token) &&
  oracle.isAllowed({ type: 'access_token', id: token }, action, resource)

/** Returns a share of the questions that can be asked: every form of naming a subject, and each kind. */
export function drawQuestions(scene: Scene, share: number): Question[] {
  const { random } = scene
  const batches = Object.entries(subjectForms).flatMap(([form, list]) =>
    list(scene)
      .filter(() => random.chance(share))
      .map((subject) => evaluateAll(scene, subject, form)),
  )
  const single = Object.values(questions).flatMap((create) =>
    random.chance(Math.min(1, 2 * share)) ? [create(scene)] : [],
  )
  return [...batches, ...single]
}
