import { randomUUID } from 'node:crypto'
import { expectOk } from '../support/outcome.ts'
import type { TestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { type Case, type Declaration, type Model, namesIn } from './model.ts'

type World = {
  /** Returns a decision, or the names that a search finds, in order. */
  answer(transport: Transport, question: Case): Promise<boolean | string[]>
}

/** Creates what a model describes, over gRPC. */
export async function createWorld(environment: TestEnvironment, model: Model): Promise<World> {
  const { seed, transports } = environment
  const grpc = transports.find(({ name }) => name === 'grpc') as Transport
  const service = `models-${randomUUID().slice(0, 8)}`
  const { key } = await seed.serviceApp(service)
  const workspace = await seed.workspace()
  const operator = await seed.newMember(workspace, 'owner')
  const token = await environment.token(operator, workspace)
  const call = async (method: string, message: object) =>
    expectOk(await grpc.call(method, message, { key, token }))
  const inWorkspace = (method: string, message: object) =>
    call(method, { workspace_id: workspace, ...message })

  const ids = new Map<string, string>()
  const idOf = (name: string) => ids.get(name) ?? name
  const isGroup = (name: string) => name in (model.groups ?? {})
  await createMembers()
  await createGroups()
  await createActions()
  for (const [type, declaration] of Object.entries(model.types ?? {}))
    await call('PutResourceType', { ...kindOf(type), ...declare(declaration) })
  await createResources()

  const names = new Map([...ids].map(([name, id]) => [id, name]))
  return { answer }

  async function answer(transport: Transport, question: Case) {
    const ask = async (method: string, message: object) =>
      expectOk(await transport.call(method, message, { key }))
    const { kind, action, context, properties } = question
    const message = { action: { name: action }, ...(context && { context }) }
    if (kind === 'decision') {
      const subject = { ...subjectOf(question.subject), ...(properties && { properties }) }
      const resource = resourceOf(question.resource)
      return (await ask('Evaluate', { ...message, subject, resource })).decision
    }
    if (kind === 'subjects') {
      const subject = { type: question.type }
      const resource = resourceOf(question.resource)
      const { results } = await ask('SearchSubjects', { ...message, subject, resource })
      const found: string[] = results.map(({ id }: { id: string }) => names.get(id) ?? id)
      return found.filter((name) => name !== operator).toSorted()
    }
    const subject = subjectOf(question.subject)
    const resource = { type: question.type }
    const { results } = await ask('SearchResources', { ...message, subject, resource })
    return results.map(({ type, id }: { type: string; id: string }) => `${type}:${id}`).toSorted()
  }

  async function createMembers() {
    for (const role of ['viewer', 'editor', 'admin'] as const)
      for (const name of namesIn(model[`${role}s`]))
        ids.set(name, await seed.newMember(workspace, role, name))
    for (const name of namesIn(model.serviceAccounts)) {
      const account = await inWorkspace('CreateServiceAccount', { name, role: 'viewer' })
      ids.set(name, account.id)
    }
  }

  async function createGroups() {
    for (const [name, members] of Object.entries(model.groups ?? {})) {
      const { id: group_id } = await inWorkspace('CreateGroup', { name })
      ids.set(name, group_id)
      for (const member of namesIn(members)) {
        const id = idOf(member)
        if (isGroup(member)) await inWorkspace('AddChildGroup', { group_id, child_id: id })
        else await inWorkspace('AddGroupMember', { group_id, user_id: id })
      }
    }
  }

  async function createActions() {
    const actions = new Map<string, string>()
    for (const name of namesIn(model.actions))
      actions.set(name, await seed.serviceAction(service, name))
    for (const [name, role] of Object.entries(model.customRoles ?? {})) {
      const { id: role_id } = await inWorkspace('CreateRole', { name })
      const service_action_ids = namesIn(role.actions).map((action) => actions.get(action))
      await inWorkspace('AddRoleActions', { role_id, service_action_ids })
      for (const holder of namesIn(role.of)) {
        const id = idOf(holder)
        if (isGroup(holder)) await inWorkspace('AddRoleGroup', { role_id, group_id: id })
        else await inWorkspace('AddRoleMember', { role_id, user_id: id })
      }
    }
  }

  async function createResources() {
    const permissions = new Map<string, string>()
    for (const [name, { owner, parent, attributes, ...facts }] of Object.entries(
      model.resources ?? {},
    )) {
      const above = parent && splitName(parent)
      const { id } = await inWorkspace('Register', {
        ...kindOf(splitName(name).type),
        ...{ external_id: splitName(name).id, owner_id: owner ? idOf(owner) : operator },
        ...(above && { parent: { resource_type: above.type, external_id: above.id } }),
        ...(attributes && { attributes: mapValues(attributes, idOf) }),
        ...facts,
      })
      permissions.set(name, id)
    }
    for (const [grantee, permission, name, condition] of model.shares ?? [])
      await call('Share', {
        ...{
          permission_id: permissions.get(name),
          grantee_type: isGroup(grantee) ? 'group' : 'user',
        },
        ...{ grantee_id: idOf(grantee), ...(condition && { condition }) },
        ...(['view', 'edit'].includes(permission) ? { permission } : { role: permission }),
      })
  }

  function kindOf(resource_type: string) {
    return { service_name: service, resource_type }
  }

  function subjectOf(name: string) {
    return { type: isGroup(name) ? 'group' : 'user', id: idOf(name) }
  }

  function resourceOf(name: string) {
    const { type, id } = splitName(name)
    return type === 'workspace' ? { type, id: workspace } : { type, id }
  }
}

function splitName(name: string): { type: string; id: string } {
  const [type = '', id = ''] = name.split(':')
  return { type, id }
}

function mapValues(texts: Record<string, string>, map: (text: string) => string) {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, map(text)]))
}

function declare({ roles = {}, conditions = {}, requirements = {}, ...others }: Declaration) {
  return {
    ...others,
    roles: Object.entries(roles).map(([name, actions]) => ({ name, actions: namesIn(actions) })),
    conditions: Object.entries(conditions).map(([name, condition]) => ({ name, ...condition })),
    requirements: Object.entries(requirements).map(([action, condition]) => ({
      action,
      condition,
    })),
  }
}
