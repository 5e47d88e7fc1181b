import type { EntityManager } from '@mikro-orm/postgresql'
import { createServiceApp } from '../admin/service-apps.ts'
import type { WriteContext } from '../core/request-context.ts'
import { Group, GroupMember, Member, User, Workspace } from '../database/entities/people.ts'
import { Resource, ResourceKind, type Visibility } from '../database/entities/resources.ts'
import { ServiceApp, ServiceKey } from '../database/entities/service-apps.ts'
import { ClientApp, ClientRedirectUri } from '../database/entities/sign-in.ts'
import { hashServiceKey } from '../identity/service-keys.ts'
import { register } from '../permissions/register.ts'
import { share } from '../permissions/share.ts'

/** The demo's ids are fixed, so that lines pasted yesterday work today. */
export const demo = {
  workspace: '0d000000-0000-7000-8000-000000000001',
  clientApp: '0d000000-0000-7000-8000-000000000003',
  group: '0d000000-0000-7000-8000-000000000002',
  people: {
    alice: '0d000000-0000-7000-8000-00000000000a',
    bob: '0d000000-0000-7000-8000-00000000000b',
    carol: '0d000000-0000-7000-8000-00000000000c',
  },
  documents: {
    roadmap: '0d000000-0000-7000-8000-0000000000d1',
    handbook: '0d000000-0000-7000-8000-0000000000d2',
    salaries: '0d000000-0000-7000-8000-0000000000d3',
  },
  service_name: 'docs',
  resource_type: 'document',
} as const

const { workspace, clientApp, group, people, documents, service_name, resource_type } = demo

/**
 * A workspace with three people, a group and three documents of the service `docs`: the roadmap is
 * shared with the writers, the handbook open to everybody, the salaries nobody's but Alice's. What
 * became of them since the last start is put back; what was added stays.
 */
export async function seedDemo(
  context: WriteContext,
  serviceKey: string,
  redirectUri: string,
): Promise<void> {
  await context.em.transactional(seedPeople)
  await seedApps(context, serviceKey, redirectUri)
  await seedDocuments(context)
}

async function seedPeople(em: EntityManager): Promise<void> {
  // Whoever took one of the demo's names meanwhile makes way.
  const renamed = `update workspaces set slug = slug || '-' || id where slug = 'demo' and id <> ?`
  await em.execute(renamed, [workspace])
  await em.upsert(Workspace, { id: workspace, name: 'Demo', slug: 'demo' })
  const roles = { alice: 'owner', bob: 'editor', carol: 'viewer' } as const
  for (const [name, role] of Object.entries(roles)) {
    const id = people[name as keyof typeof people]
    const email = `${name}@example.com`
    await em.nativeDelete(User, { email, id: { $ne: id } })
    const title = `${name[0]?.toUpperCase()}${name.slice(1)}`
    await em.upsert(User, { id, email, name: title, is_active: true })
    const member = { user_id: id, workspace_id: workspace, role, joined_at: new Date() }
    await em.upsert(Member, member, { onConflictExcludeFields: ['joined_at'] })
  }
  await em.execute(
    `update groups set name = name || ' ' || id
     where workspace_id = ? and name = 'Writers' and id <> ?`,
    [workspace, group],
  )
  const writers = { id: group, workspace_id: workspace, name: 'Writers', created_by: people.alice }
  await em.upsert(Group, writers)
  await em.upsert(GroupMember, { group_id: group, user_id: people.bob, workspace_id: workspace })
}

async function seedApps(
  context: WriteContext,
  serviceKey: string,
  redirectUri: string,
): Promise<void> {
  const { em } = context
  const key_hash = hashServiceKey(serviceKey)
  const key = await em.findOne(ServiceKey, { key_hash })
  if (key) {
    await em.nativeUpdate(ServiceApp, { id: key.app_id }, { is_active: true })
    await em.nativeUpdate(ServiceKey, { key_hash }, { expires_at: null })
  } else {
    await createServiceApp(context, { name: 'Demo documents', service_name }, serviceKey)
  }
  await em.upsert(ClientApp, { id: clientApp, name: 'Demo documents', is_active: true })
  await em.upsert(ClientRedirectUri, { app_id: clientApp, uri: redirectUri })
}

async function seedDocuments(context: WriteContext): Promise<void> {
  const { em } = context
  const owner_id = people.alice
  const kind = await em.findOne(ResourceKind, { service_name, resource_type })
  const base = { service_name, resource_type, workspace_id: workspace, owner_id }
  const seed = async (resource_id: string, visibility: Visibility) => {
    if (kind) {
      // Registered again for somebody else.
      const others = [{ workspace_id: { $ne: workspace } }, { owner_id: { $ne: owner_id } }]
      await em.nativeDelete(Resource, { kind_id: kind.id, resource_id, $or: others })
    }
    const document = await register(context, { ...base, resource_id, visibility })
    if (document.visibility !== visibility)
      await em.nativeUpdate(Resource, { id: document.id }, { visibility })
    return document
  }
  await seed(documents.handbook, 'workspace')
  await seed(documents.salaries, 'private')
  const { id, shares } = await seed(documents.roadmap, 'private')
  if (shares.some((one) => one.grantee_id === group && one.permission === 'edit')) return
  await share(context, {
    permission_id: id,
    grantee_type: 'group',
    grantee_id: group,
    permission: 'edit',
  })
}
