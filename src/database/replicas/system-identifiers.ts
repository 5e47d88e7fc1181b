import type { ClientBase } from 'pg'
import { requestScope } from '../../core/request-scope.ts'

/**
 * The clusters and databases behind connections, each read when its connection is opened: a host name
 * may later resolve to another cluster, and the name of a database may pass to another one, but an open
 * connection always stays with the same ones. A standby does not close its connections to a database
 * that is renamed.
 */
export type SystemIdentifiers = {
  /** The `onConnect` option of pg.Pool. */
  onConnect(client: ClientBase): Promise<void>
  of(client: ClientBase): string
}

const systemIdentifierSql = `
  select concat_ws(' ', system_identifier, oid) as system
  from pg_control_system(), pg_database where datname = current_database()`

export function createSystemIdentifiers(): SystemIdentifiers {
  const systems = new WeakMap<ClientBase, string>()
  return {
    async onConnect(client) {
      // Outside the scope of the call that caused the connection, which other calls will use.
      const { rows } = await requestScope.exit(() =>
        client.query<{ system: string }>(systemIdentifierSql),
      )
      systems.set(client, rows[0]?.system ?? '')
    },
    of(client) {
      const system = systems.get(client)
      if (system === undefined) throw new Error('The connection has not been identified')
      return system
    },
  }
}
