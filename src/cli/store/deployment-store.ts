import type { Client } from 'pg'
import { pendingMigrations } from '../../database/migrate.ts'
import { type NewerFact, readNewerFacts } from '../../database/newer-facts.ts'
import { findPooling, type Pooling } from '../../database/pooling.ts'

/**
 * The state of a PostgreSQL server and of its database, which may be empty or not fully migrated.
 * Uses one connection, without the entity manager.
 */
export class DeploymentStore {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /** Returns the major version of the server. */
  async readServerVersion(): Promise<number> {
    return Math.floor(Number(await this.#readSetting('server_version_num')) / 10_000)
  }

  /** Returns the settings on which the durability of commits depends. */
  async readDurability(): Promise<{ fsync: string; synchronousCommit: string }> {
    return {
      fsync: await this.#readSetting('fsync'),
      synchronousCommit: await this.#readSetting('synchronous_commit'),
    }
  }

  /** Whether the server is a standby, which replays the log of another server. */
  async isStandby(): Promise<boolean> {
    const { rows } = await this.#client.query('select pg_is_in_recovery() as "isStandby"')
    return rows[0].isStandby
  }

  /** Returns what is between this process and the server at a URL. */
  findPooling(url: string): Promise<Pooling> {
    return findPooling(url)
  }

  async readMaxConnections(): Promise<number> {
    return Number(await this.#readSetting('max_connections'))
  }

  /** Returns the time of the server in milliseconds since the epoch. */
  async readClock(): Promise<number> {
    return this.#readNumber('select extract(epoch from clock_timestamp())::float8 * 1000 as value')
  }

  /** Returns whether the database contains no tables. */
  async isEmpty(): Promise<boolean> {
    return (await this.#readNumber(tableCountSql)) === 0
  }

  /** Returns the names of the migrations that are not applied. */
  findPendingMigrations(): Promise<string[]> {
    return pendingMigrations(this.#client)
  }

  /** Returns the facts that nodes of some versions would decide wrongly, newest first. */
  readNewerFacts(): Promise<NewerFact[]> {
    return readNewerFacts((sql) => this.#client.query(sql))
  }

  /** Collects the statistics of the planner, which a backup does not contain. */
  async analyze(): Promise<void> {
    await this.#client.query('analyze')
  }

  countActiveServiceApps(): Promise<number> {
    return this.#readNumber('select count(*)::int as value from service_apps where is_active')
  }

  countActiveAdministrators(): Promise<number> {
    return this.#readNumber('select count(*)::int as value from users where is_admin and is_active')
  }

  /** Returns the external IDs that may have the form of a UUID or an e-mail address. */
  async findSuspectExternalIds(): Promise<string[]> {
    const { rows } = await this.#client.query<{ external_id: string }>(
      "select external_id from users where external_id ~ '@|^.{8}-.{4}-.{4}-.{4}-.{12}$'",
    )
    return rows.map((row) => row.external_id)
  }

  /** Returns the services that have registered resources of a type. */
  async findServicesOfType(resourceType: string): Promise<string[]> {
    const { rows } = await this.#client.query<{ service_name: string }>(
      `select service_name from resource_kinds k
       where resource_type = $1 and exists (select from resources r where r.kind_id = k.id)
       order by service_name`,
      [resourceType],
    )
    return rows.map((row) => row.service_name)
  }

  /** Runs a statement that only reads. */
  async readRows<Row extends object>(sql: string): Promise<Row[]> {
    const { rows } = await this.#client.query<Row>(sql)
    return rows
  }

  async #readSetting(name: string): Promise<string> {
    const { rows } = await this.#client.query<{ value: string }>(
      'select current_setting($1) as value',
      [name],
    )
    return rows[0]?.value ?? ''
  }

  async #readNumber(sql: string): Promise<number> {
    const { rows } = await this.#client.query<{ value: number }>(sql)
    return Number(rows[0]?.value)
  }
}

const tableCountSql = `
  select count(*)::int as value from pg_class
  where relnamespace = 'public'::regnamespace and relkind = 'r'`
