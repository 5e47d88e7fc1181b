import { createServiceApp } from '../admin/service-apps.ts'
import { defaultQuotas } from '../core/quotas.ts'
import type { Transactional } from '../core/request-context.ts'
import { hashServiceKey } from '../identity/service-keys.ts'
import { register } from '../permissions/register.ts'
import { matchesRegistration } from '../permissions/resource.ts'
import { toResourceId } from '../permissions/resource-id.ts'
import { share } from '../permissions/share.ts'
import type { Resource } from '../permissions/store/resource-sql.ts'
import type { DemoStores } from './store/demo-store.ts'

/** The demo data. IDs are fixed, so that pasted commands still work after a restart. */
export const demo = {
  workspace: '0d000000-0000-7000-8000-000000000001',
  slug: 'demo',
  group: '0d000000-0000-7000-8000-000000000002',
  clientApp: '0d000000-0000-7000-8000-000000000003',
  /** The client app of examples/spa and docs/browser-sign-in.md. */
  browserApp: {
    id: '0d000000-0000-7000-8000-000000000004',
    redirectUri: 'http://localhost:5173/callback',
  },
  people: {
    alice: {
      id: '0d000000-0000-7000-8000-00000000000a',
      name: 'Alice',
      email: 'alice@example.com',
      role: 'owner',
    },
    bob: {
      id: '0d000000-0000-7000-8000-00000000000b',
      name: 'Bob',
      email: 'bob@example.com',
      role: 'editor',
    },
    carol: {
      id: '0d000000-0000-7000-8000-00000000000c',
      name: 'Carol',
      email: 'carol@example.com',
      role: 'viewer',
    },
  },
  /** The display names of the documents by the IDs that they have in the service. */
  documents: { roadmap: 'Roadmap', handbook: 'Handbook', salaries: 'Salaries' },
  service_name: 'docs',
  resource_type: 'document',
} as const

/**
 * Creates a workspace with three people, a group and three documents in the service `docs`: Bob's
 * roadmap is shared with the group, Alice's handbook is visible to the workspace, and her salaries
 * document is private. Later starts restore demo data that was changed and keep data that was
 * added.
 */
export async function seedDemoData(
  stores: Transactional<DemoStores>,
  serviceKey: string,
  redirectUri: string,
): Promise<void> {
  await stores.transaction(seedPeople)
  await seedApps(stores, serviceKey, redirectUri)
  await seedDocuments(stores)
}

async function seedPeople(tx: DemoStores): Promise<void> {
  const { workspace, slug, group, people } = demo
  await tx.demo.restoreWorkspace({ id: workspace, name: 'Demo', slug })
  for (const { id, name, email, role } of Object.values(people)) {
    await tx.demo.restoreUser({ id, email, name })
    await tx.members.add({ workspaceId: workspace, userId: id }, role, new Date())
  }
  await tx.demo.restoreGroup({
    id: group,
    workspaceId: workspace,
    name: 'Writers',
    createdBy: people.alice.id,
  })
  await tx.groupHierarchy.addMembers([
    { groupId: group, userId: people.bob.id, workspaceId: workspace },
  ])
}

async function seedApps(
  stores: Transactional<DemoStores>,
  serviceKey: string,
  redirectUri: string,
): Promise<void> {
  if (!(await stores.demo.restoreServiceKey(hashServiceKey(serviceKey)))) {
    const app = { name: 'Demo documents', service_name: demo.service_name }
    await createServiceApp({ stores, principal: {}, now: new Date(), debug: true }, app, serviceKey)
  }
  await stores.demo.restoreClientApp({ id: demo.clientApp, name: 'Demo documents', redirectUri })
  await stores.demo.restoreClientApp({ ...demo.browserApp, name: 'Example in the browser' })
}

async function seedDocuments(stores: Transactional<DemoStores>): Promise<void> {
  const { alice, bob } = demo.people
  await seedDocument(stores, 'handbook', 'workspace', alice.id)
  await seedDocument(stores, 'salaries', 'private', alice.id)
  const roadmap = await seedDocument(stores, 'roadmap', 'private', bob.id)
  const isShared = roadmap.shares.some(
    ({ grantee_id, permission }) => grantee_id === demo.group && permission === 'edit',
  )
  if (isShared) return
  await share(
    { stores, principal: {}, quotas: defaultQuotas, now: new Date() },
    {
      permission_id: roadmap.id,
      grantee_type: 'group',
      grantee_id: demo.group,
      permission: 'edit',
    },
  )
}

async function seedDocument(
  stores: Transactional<DemoStores>,
  externalId: keyof typeof demo.documents,
  visibility: Resource['visibility'],
  ownerId: string,
) {
  const { service_name, resource_type, workspace } = demo
  const displayName = demo.documents[externalId]
  const resourceId = toResourceId(service_name, resource_type, externalId)
  const key = { serviceName: service_name, resourceType: resource_type, resourceId }
  const existing = await stores.resources.findByKey(key)
  // Registering a document that exists with another workspace or owner would fail.
  if (existing && !matchesRegistration(existing, { workspaceId: workspace, ownerId }))
    await stores.transaction((tx) => tx.resourceTrees.delete(existing.id))
  const document = await register(
    { stores, principal: {}, quotas: defaultQuotas },
    {
      service_name,
      resource_type,
      external_id: externalId,
      workspace_id: workspace,
      owner_id: ownerId,
      visibility,
      display_name: displayName,
    },
  )
  // Registering a document that exists does not change its name.
  await stores.resources.setDisplayName(document.id, displayName)
  if (document.visibility !== visibility)
    await stores.resources.setVisibility(document.id, visibility)
  return document
}
