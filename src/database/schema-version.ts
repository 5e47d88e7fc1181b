import { readdirSync } from 'node:fs'
import type pg from 'pg'

/** Returns the names of the migrations, in order. Importing the files would load the ORM. */
export function migrationNames(): string[] {
  const files = readdirSync(new URL('migrations', import.meta.url))
  return files.flatMap((file) => /^(.+)\.[jt]s$/.exec(file)?.[1] ?? []).toSorted()
}

/** The number of the last migration that this version has. */
export const schemaVersion = Number.parseInt(migrationNames().at(-1) ?? '', 10)

/** Precedes the schema version in the `application_name` of the sessions of daikon. */
export const sessionPrefix = 'daikon/'

/**
 * Returns a client class whose sessions tell PostgreSQL the schema version of this daikon, whatever
 * `application_name` the database URL sets.
 */
export function tellSchemaVersion(
  Client: new (config?: pg.ClientConfig) => pg.Client,
): new (
  config?: pg.ClientConfig,
) => pg.Client {
  return class VersionedClient extends (Client as typeof pg.Client) {
    constructor(config?: pg.ClientConfig) {
      super(config)
      // Set by pg from the configuration and the URL, but missing from its types.
      const { connectionParameters } = this as unknown as {
        connectionParameters: { application_name?: string }
      }
      connectionParameters.application_name = `${sessionPrefix}${schemaVersion}`
    }
  }
}
