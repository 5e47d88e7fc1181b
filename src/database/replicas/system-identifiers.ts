import type { ClientBase } from 'pg'
import { requestScope } from '../../core/request-scope.ts'

/**
 * The system identifiers of the clusters behind connections, each read when its connection is
 * opened: a host name may later resolve to another cluster, but an open connection always stays
 * with the same one.
 */
export type SystemIdentifiers = {
  /** The `onConnect` option of pg.Pool. */
  onConnect(client: ClientBase): Promise<void>
  of(client: ClientBase): string
}

const systemIdentifierSql = 'select system_identifier::text as system from pg_control_system()'

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
