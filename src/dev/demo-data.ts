import type { EntityManager } from '@mikro-orm/postgresql'
import { createServiceApp } from '../admin/service-apps.ts'
import { defaultQuotas, type QuotaContext } from '../core/quotas.ts'
import type { WriteContext } from '../core/request-context.ts'
import { Group, Member, User, Workspace } from '../database/entities/people.ts'
import { Resource, ResourceKind, type Visibility } from '../database/entities/resources.ts'
import { ServiceApp, ServiceKey } from '../database/entities/service-apps.ts'
import { ClientApp, ClientRedirectUri } from '../database/entities/sign-in.ts'
import { query } from '../database/query.ts'
import { hashServiceKey } from '../identity/service-keys.ts'
import { register } from '../permissions/register.ts'
import { share } from '../permissions/share.ts'
import { addDirectMembers } from '../workspaces/group-hierarchy.ts'

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
  documents: {
    roadmap: '0d000000-0000-7000-8000-0000000000d1',
    handbook: '0d000000-0000-7000-8000-0000000000d2',
    salaries: '0d000000-0000-7000-8000-0000000000d3',
  },
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
  context: WriteContext,
  serviceKey: string,
  redirectUri: string,
): Promise<void> {
  await context.em.transactional(seedPeople)
  await seedApps(context, serviceKey, redirectUri)
  await seedDocuments({ ...context, quotas: defaultQuotas })
}

async function seedPeople(em: EntityManager): Promise<void> {
  await query(em, `update workspaces set slug = slug || '-' || id where slug = $1 and id <> $2`, [
    demo.slug,
    demo.workspace,
  ])
  await em.upsert(Workspace, { id: demo.workspace, name: 'Demo', slug: demo.slug })
  for (const { id, name, email, role } of Object.values(demo.people)) {
    await em.nativeDelete(User, { email, id: { $ne: id } })
    await em.upsert(User, { id, email, name, is_active: true })
    await em.upsert(
      Member,
      { user_id: id, workspace_id: demo.workspace, role, joined_at: new Date() },
      { onConflictExcludeFields: ['joined_at'] },
    )
  }
  await query(
    em,
    `update groups set name = name || ' ' || id
     where workspace_id = $1 and name = 'Writers' and id <> $2`,
    [demo.workspace, demo.group],
  )
  await em.upsert(Group, {
    id: demo.group,
    workspace_id: demo.workspace,
    name: 'Writers',
    created_by: demo.people.alice.id,
  })
  await addDirectMembers(em, [
    { groupId: demo.group, userId: demo.people.bob.id, workspaceId: demo.workspace },
  ])
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
    const app = { name: 'Demo documents', service_name: demo.service_name }
    await createServiceApp(context, app, serviceKey)
  }
  await seedClientApp(em, 'Demo documents', { id: demo.clientApp, redirectUri })
  await seedClientApp(em, 'Example in the browser', demo.browserApp)
}

async function seedClientApp(
  em: EntityManager,
  name: string,
  { id, redirectUri }: { id: string; redirectUri: string },
): Promise<void> {
  await em.upsert(ClientApp, {
    id,
    name,
    is_active: true,
    type: 'public',
    post_logout_redirect_uris: [new URL('/', redirectUri).href],
  })
  await em.upsert(ClientRedirectUri, { app_id: id, uri: redirectUri })
}

async function seedDocuments(context: WriteContext & QuotaContext): Promise<void> {
  await seedDocument(context, demo.documents.handbook, 'workspace')
  await seedDocument(context, demo.documents.salaries, 'private')
  const { bob } = demo.people
  const roadmap = await seedDocument(context, demo.documents.roadmap, 'private', bob.id)
  const isShared = roadmap.shares.some(
    ({ grantee_id, permission }) => grantee_id === demo.group && permission === 'edit',
  )
  if (isShared) return
  await share(
    { ...context, now: new Date() },
    {
      permission_id: roadmap.id,
      grantee_type: 'group',
      grantee_id: demo.group,
      permission: 'edit',
    },
  )
}

async function seedDocument(
  context: WriteContext & QuotaContext,
  resource_id: string,
  visibility: Visibility,
  owner_id: string = demo.people.alice.id,
) {
  const { em } = context
  const { service_name, resource_type } = demo
  const workspace_id = demo.workspace
  const kind = await em.findOne(ResourceKind, { service_name, resource_type })
  if (kind) {
    // Registering a document that exists with another workspace or owner would fail.
    await em.nativeDelete(Resource, {
      kind_id: kind.id,
      resource_id,
      $or: [{ workspace_id: { $ne: workspace_id } }, { owner_id: { $ne: owner_id } }],
    })
  }
  const document = await register(context, {
    service_name,
    resource_type,
    resource_id,
    workspace_id,
    owner_id,
    visibility,
  })
  if (document.visibility !== visibility) {
    await em.nativeUpdate(Resource, { id: document.id }, { visibility })
  }
  return document
}
