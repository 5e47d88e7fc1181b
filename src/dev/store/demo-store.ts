import type { EntityManager } from '@mikro-orm/postgresql'
import type { Transactional } from '../../core/request-context.ts'
import { Group, User, Workspace } from '../../database/entities/people.ts'
import { ServiceApp, ServiceKey } from '../../database/entities/service-apps.ts'
import { ClientApp, ClientRedirectUri } from '../../database/entities/sign-in.ts'
import { query } from '../../database/query.ts'
import { inTransaction } from '../../database/transaction.ts'
import { createStores, type Stores } from '../../server/stores.ts'

/** The stores that seed the demo data. */
export type DemoStores = Stores & { demo: DemoStore }

/** Creates the stores that seed the demo data. */
export function createDemoStores(em: EntityManager): Transactional<DemoStores> {
  return Object.assign(createStores(em), {
    demo: new DemoStore(em),
    transaction: <Result>(work: (tx: Transactional<DemoStores>) => Promise<Result>) =>
      inTransaction(em, (em) => work(createDemoStores(em))),
  })
}

/**
 * Restores rows of the demo data, whose IDs are fixed. Rows with other IDs give way if they have
 * the unique names of the demo.
 */
export class DemoStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Restores a workspace. Another workspace with its slug gets a new slug. */
  async restoreWorkspace(workspace: { id: string; name: string; slug: string }): Promise<void> {
    const { id, slug } = workspace
    // The rows of the deleted workspace may not have been swept yet.
    await query(
      this.#em,
      'delete from workspace_ids where id in (select id from deleted_workspaces where id = $1)',
      [id],
    )
    await query(
      this.#em,
      `update workspaces set slug = slug || '-' || id where slug = $1 and id <> $2`,
      [slug, id],
    )
    await this.#em.upsert(Workspace, workspace)
  }

  /** Restores an active user. Deletes another user with the e-mail address. */
  async restoreUser(user: { id: string; email: string; name: string }): Promise<void> {
    const { id, email, name } = user
    await this.#em.nativeDelete(User, { email, id: { $ne: id } })
    await this.#em.upsert(User, { id, email, name, is_active: true })
  }

  /** Restores a group. Another group of the workspace with its name gets a new name. */
  async restoreGroup(group: {
    id: string
    workspaceId: string
    name: string
    createdBy: string
  }): Promise<void> {
    const { id, workspaceId, name, createdBy } = group
    await query(
      this.#em,
      `update groups set name = name || ' ' || id
       where workspace_id = $1 and name = $2 and id <> $3`,
      [workspaceId, name, id],
    )
    await this.#em.upsert(Group, { id, workspace_id: workspaceId, name, created_by: createdBy })
  }

  /** Makes a service key and its app valid again. Returns whether the key exists. */
  async restoreServiceKey(hash: string): Promise<boolean> {
    const key = await this.#em.findOne(ServiceKey, { key_hash: hash })
    if (!key) return false
    await this.#em.nativeUpdate(ServiceApp, { id: key.app_id }, { is_active: true })
    await this.#em.nativeUpdate(ServiceKey, { key_hash: hash }, { expires_at: null })
    return true
  }

  /** Restores an active public client app. */
  async restoreClientApp(app: { id: string; name: string; redirectUri: string }): Promise<void> {
    const { id, name, redirectUri } = app
    await this.#em.upsert(ClientApp, {
      id,
      name,
      is_active: true,
      type: 'public',
      post_logout_redirect_uris: [new URL('/', redirectUri).href],
    })
    await this.#em.upsert(ClientRedirectUri, { app_id: id, uri: redirectUri })
  }
}
