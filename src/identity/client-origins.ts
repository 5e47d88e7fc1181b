import { createBatcher } from '../database/batching.ts'
import type { StatementPool } from '../database/statement-pool.ts'

const sql = `
  select exists (
    select from client_redirect_uris u join client_apps a on a.id = u.app_id
    where u.origin = asked.origin and a.is_active)
  from unnest($1::text[]) with ordinality as asked (origin, position)
  order by asked.position`

/**
 * Whether an origin is that of a redirect URI of an active client app. Read live, so that every
 * node follows the apps at once; a flood of unknown origins shares its statements.
 */
export function createClientOrigins(statements: StatementPool) {
  return createBatcher(async (origins: string[]) => {
    const rows = await statements.rows<[boolean]>('client-origins', sql, [origins])
    return rows.map(([known]) => known)
  })
}
