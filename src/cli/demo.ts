import type { EntityManager } from '@mikro-orm/postgresql'
import { createServiceApp } from '../admin/service-apps.ts'
import { hashServiceKey } from '../identity/service-keys.ts'
import { register } from '../permissions/register.ts'
import { share } from '../permissions/share.ts'
import type { Acting } from '../rpc/call.ts'
import { Group, GroupMember, Member, User, Workspace } from '../storage/entities/people.ts'
import { ServiceKey } from '../storage/entities/service-apps.ts'
import { ClientApp, ClientRedirectUri } from '../storage/entities/sign-in.ts'

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
 * shared with the writers, the handbook open to everybody, the salaries nobody's but Alice's.
 */
export async function seedDemo(
  context: Acting,
  serviceKey: string,
  redirectUri: string,
): Promise<void> {
  const { em } = context
  if (!(await em.count(Workspace, { id: workspace }))) await seedPeople(em)
  if (!(await em.count(ServiceKey, { key_hash: hashServiceKey(serviceKey) })))
    await createServiceApp(context, { name: 'Demo documents', service_name }, serviceKey)
  await em.upsert(ClientApp, { id: clientApp, name: 'Demo documents' })
  await em.upsert(ClientRedirectUri, { app_id: clientApp, uri: redirectUri })

  const owner_id = people.alice
  const base = { service_name, resource_type, workspace_id: workspace, owner_id }
  const roadmap = await register(context, { ...base, resource_id: documents.roadmap })
  await register(context, { ...base, resource_id: documents.handbook, visibility: 'workspace' })
  await register(context, { ...base, resource_id: documents.salaries })
  if (roadmap.shares.length > 0) return
  await share(context, {
    permission_id: roadmap.id,
    grantee_type: 'group',
    grantee_id: group,
    permission: 'edit',
  })
}

async function seedPeople(em: EntityManager): Promise<void> {
  const roles = { alice: 'owner', bob: 'editor', carol: 'viewer' } as const
  await em.transactional(async (em) => {
    await em.insert(Workspace, { id: workspace, name: 'Demo', slug: 'demo' })
    for (const [name, role] of Object.entries(roles)) {
      const id = people[name as keyof typeof people]
      const known = await em.findOne(User, { email: `${name}@example.com` })
      if (known) await em.nativeDelete(User, { id: known.id })
      const title = `${name[0]?.toUpperCase()}${name.slice(1)}`
      await em.insert(User, { id, email: `${name}@example.com`, name: title })
      await em.insert(Member, { user_id: id, workspace_id: workspace, role, joined_at: new Date() })
    }
    await em.insert(Group, {
      id: group,
      workspace_id: workspace,
      name: 'Writers',
      created_by: people.alice,
    })
    await em.insert(GroupMember, { group_id: group, user_id: people.bob, workspace_id: workspace })
  })
}
