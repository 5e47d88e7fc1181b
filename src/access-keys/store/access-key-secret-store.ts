import { randomBytes } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'

/** The secrets with which the access keys of services are named. */
export class AccessKeySecretStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns the secret of a service. Concurrent calls for a new service return the same. */
  async findOrCreate(serviceName: string): Promise<Buffer> {
    const [existing] = await query<{ secret: string }>(this.#em, findSql, [serviceName])
    if (existing) return Buffer.from(existing.secret, 'base64')
    const secret = randomBytes(32)
    const values = [serviceName, secret]
    const [created] = await query<{ secret: string }>(this.#em, createSql, values)
    return created ? Buffer.from(created.secret, 'base64') : secret
  }
}

const findSql = `
select encode(secret, 'base64') as secret from access_key_secrets where service_name = $1`

/** The update, which changes nothing, returns the row of a concurrent call. */
const createSql = `
insert into access_key_secrets (service_name, secret) values ($1, $2)
on conflict (service_name) do update set service_name = excluded.service_name
returning encode(secret, 'base64') as secret`
