import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import { consoleClientId } from '../../identity/store/client-store.ts'

/** The client app of the workspace console, whose ID is fixed. */
export class ConsoleClientStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  async save({ name, redirectUri }: { name: string; redirectUri: string }): Promise<void> {
    await query(this.#em, saveSql, [consoleClientId, name])
    await query(this.#em, saveUriSql, [consoleClientId, redirectUri])
  }
}

/** $1 client ID, $2 name. */
const saveSql = `
  insert into client_apps (id, name, type) values ($1, $2, 'public')
  on conflict (id) do update set name = excluded.name where client_apps.name <> excluded.name`

/** $1 client ID, $2 the only redirect URI. */
const saveUriSql = `
  with removed as (delete from client_redirect_uris where app_id = $1 and uri <> $2)
  insert into client_redirect_uris (app_id, uri) values ($1, $2) on conflict do nothing`
