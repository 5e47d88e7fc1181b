import type { EntityManager } from '@mikro-orm/postgresql'
import { newId } from '../../core/new-id.ts'
import { query } from '../../database/query.ts'

/** An API of a service app. */
export type StoredResource = { uri: string; name: string; scopes: StoredScope[] }

export type StoredScope = { name: string; description: string }

/** An API with the service that it belongs to, and whether the service app is active. */
export type OwnedResource = StoredResource & { id: string; service: string; isActive: boolean }

/** The APIs that access tokens can be limited to. */
export class ApiResourceStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  async find(id: string): Promise<OwnedResource | undefined> {
    const [resource] = await query<OwnedResource>(this.#em, findSql, [id])
    return resource
  }

  async findByUri(uri: string): Promise<OwnedResource | undefined> {
    const [resource] = await query<OwnedResource>(this.#em, findByUriSql, [uri])
    return resource
  }

  /** Returns the APIs of service apps, in the order of each app. */
  list(appIds: string[]): Promise<(StoredResource & { appId: string })[]> {
    return query(this.#em, listSql, [appIds])
  }

  /** Locks the APIs of a service app until the end of the transaction and returns them. */
  lock(appId: string): Promise<(StoredResource & { id: string })[]> {
    return query(this.#em, lockSql, [appId])
  }

  /**
   * Replaces the APIs of a service app. Those that stay keep their IDs. Returns a URI that another app has,
   * in which case the transaction must fail.
   */
  async replace(appId: string, resources: StoredResource[]): Promise<string | undefined> {
    const uris = resources.map(({ uri }) => uri)
    await query(this.#em, deleteSql, [appId, uris])
    for (const [position, { uri, name, scopes }] of resources.entries()) {
      const values = [newId(), appId, uri, name, JSON.stringify(scopes), position]
      const saved = await query(this.#em, saveSql, values)
      if (saved.length === 0) return uri
    }
    return undefined
  }
}

const selectSql = `
  select r.id, r.uri, r.name, r.scopes, a.service_name as service, a.is_active as "isActive"
  from api_resources r join service_apps a on a.id = r.app_id`

/** $1 ID. */
const findSql = `${selectSql} where r.id = $1`

/** $1 URI. */
const findByUriSql = `${selectSql} where r.uri = $1`

/** $1 array of the IDs of apps. */
const listSql = `
  select app_id as "appId", uri, name, scopes from api_resources
  where app_id = any($1::uuid[]) order by app_id, position`

/** $1 ID of the app. */
const lockSql = `
  select id, uri, name, scopes from api_resources where app_id = $1 order by id for update`

/** $1 ID of the app, $2 array of the URIs that stay. */
const deleteSql = 'delete from api_resources where app_id = $1 and uri <> all($2::text[])'

/** $1 ID, $2 ID of the app, $3 URI, $4 name, $5 scopes, $6 position. Returns a row unless another app has the URI. */
const saveSql = `
  insert into api_resources (id, app_id, uri, name, scopes, position) values ($1, $2, $3, $4, $5, $6)
  on conflict (uri) do update
  set name = excluded.name, scopes = excluded.scopes, position = excluded.position
  where api_resources.app_id = excluded.app_id
  returning id`

/** $1 array of URIs. Returns, for each of them in order, the service of its API. */
export const resourceServicesSql = `
  select a.service_name
  from unnest($1::text[]) with ordinality as requested (uri, position)
  left join api_resources r on r.uri = requested.uri
  left join service_apps a on a.id = r.app_id
  order by requested.position`
