import { randomUUID } from 'node:crypto'
import type { TestWorkspace } from '../../../bench/faults/fault-environment.ts'
import type { Outcome } from '../transports.ts'
import type { Facts } from './facts.ts'
import { CallFailed, type Rotation } from './rotation.ts'
import { startWorker, type Worker } from './worker.ts'

/**
 * Administers users, workspaces, custom roles and types. What a call has changed decides the next
 * check, which another node may answer. Takes the users from `members` of the workspace, who are not
 * inserted beside migrations, because their statements could deadlock.
 */
export function startAdministration(
  rotation: Rotation,
  testWorkspace: TestWorkspace,
  { admin, members, facts }: { admin: string; members: string[]; facts: Facts },
): Worker[] {
  const { workspace: workspace_id, key, owner, service } = testWorkspace
  const kind = { service_name: service, resource_type: 'document' }
  const call = (method: string, message: object) =>
    rotation.call(`AdminService/${method}`, message, { admin })

  function takeMember(): string {
    const id = members.shift()
    if (id === undefined) throw new CallFailed('All members have been used')
    return id
  }

  /** Registers a resource that all members may view. */
  async function register(): Promise<string> {
    const resource_id = randomUUID()
    const resource = { ...kind, resource_id, workspace_id, owner_id: owner.id }
    await rotation.call('Register', { ...resource, visibility: 'workspace' }, { key })
    return resource_id
  }

  const expectDecision = (user: string, action: string, resource: string, expected: boolean) =>
    rotation.call(
      'Evaluate',
      {
        subject: { type: 'user', id: user },
        action: { name: action },
        resource: { type: 'document', id: resource },
      },
      { key },
      { isRight: (outcome: Outcome) => outcome.ok && outcome.message.decision === expected },
    )

  async function administerUsers() {
    const resource = await register()
    const user_id = takeMember()
    await expectDecision(user_id, 'view', resource, true)
    await call('UpdateUser', { user_id, is_active: false })
    facts.expect('inactive user', user_id)
    await expectDecision(user_id, 'view', resource, false)
    if (Math.random() < 0.5) return
    facts.forget('inactive user', user_id)
    await call('UpdateUser', { user_id, is_active: true })
    facts.expect('active user', user_id)
    await expectDecision(user_id, 'view', resource, true)
  }

  async function administerWorkspaces() {
    const slug = `made-${randomUUID()}`
    const { id } = await call('CreateWorkspace', { name: slug, slug })
    facts.expect('workspace', id, slug)
    const user_id = takeMember()
    const member = { workspace_id: id, user_id }
    await call('AddUserToWorkspace', { ...member, role: 'viewer' })
    facts.expect('member', id, user_id, 'viewer')
    facts.forget('member', id, user_id, 'viewer')
    await call('UpdateMember', { ...member, role: 'editor' })
    facts.expect('member', id, user_id, 'editor')
    members.push(user_id)
    facts.forget('workspace', id, slug)
    await call('UpdateWorkspace', { workspace_id: id, name: `${slug} renamed` })
    facts.expect('workspace', id, `${slug} renamed`)
  }

  async function administerRoles() {
    const resource = await register()
    const user_id = takeMember()
    const name = `archive-${randomUUID()}`
    const action = { name }
    const { actions } = await rotation.call(
      'RegisterActions',
      { service_name: service, actions: [action] },
      { key },
    )
    const id = actions.find((known: { name: string }) => known.name === name)?.id
    const role = await call('CreateRole', { workspace_id, name: `role of ${name}` })
    const role_id = role.id
    await call('AddRoleActions', { role_id, service_action_ids: [id] })
    facts.expect('role action', role_id, name)
    await expectDecision(user_id, name, resource, false)
    await call('AddRoleMember', { role_id, user_id })
    facts.expect('role member', role_id, user_id)
    await expectDecision(user_id, name, resource, true)
    if (Math.random() < 0.5) return
    facts.forget('role member', role_id, user_id)
    await call('RemoveRoleMember', { role_id, user_id })
    facts.expectNone('role member', role_id, user_id)
    await expectDecision(user_id, name, resource, false)
    members.push(user_id)
  }

  /** Declares types, which the release does not know, and of which it must not mind the rows. */
  async function declareTypes() {
    if (!rotation.hasNew()) return
    const resource_type = `type-${randomUUID()}`
    const type = { service_name: service, resource_type }
    const declare = (description: string) =>
      rotation.call(
        'PutResourceType',
        { ...type, description, roles: [{ name: 'reader', actions: ['view'] }] },
        { key },
        { isNew: true },
      )
    await declare('first')
    facts.expect('type', service, resource_type, 'first')
    facts.forget('type', service, resource_type, 'first')
    await declare('second')
    facts.expect('type', service, resource_type, 'second')
    if (Math.random() < 0.5) return
    facts.forget('type', service, resource_type, 'second')
    await rotation.call('DeleteResourceType', type, { key }, { isNew: true })
    facts.expectNone('type', service, resource_type, 'second')
  }

  return Object.values({
    administerUsers,
    administerWorkspaces,
    administerRoles,
    declareTypes,
  }).map((round) => startWorker(rotation, round.name, round))
}
