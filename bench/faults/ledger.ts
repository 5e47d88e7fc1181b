import type { Pool } from 'pg'
import type { TestWorkspace } from './fault-environment.ts'

/** Acknowledged changes, by the IDs that clients chose. */
export type Ledger = Record<Change, Set<string>>

export type Change = 'registered' | 'shared' | 'grouped' | 'removed'

/** Creates an empty ledger. */
export function createLedger(): Ledger {
  return { registered: new Set(), shared: new Set(), grouped: new Set(), removed: new Set() }
}

// One statement reads one snapshot, in which concurrent transactions are either complete or absent.
const sql = `
  with mine as (
    select r.* from resources r join resource_kinds k on k.id = r.kind_id where k.service_name = $2),
  leaver as (
    select r.resource_id as id from resources r join resource_kinds k on k.id = r.kind_id
    where k.service_name = 'left' and r.workspace_id = $1),
  gone as (
    select id from leaver where not exists (
      select from members m where m.user_id = leaver.id and m.workspace_id = $1)),
  entry as (select * from activity where workspace_id = $1)
  select 'registered' as change, 'happened' as fact, resource_id::text as id from mine
  union all select 'shared', 'happened', s.resource_id::text
    from shares s join mine using (kind_id, resource_id)
  union all select 'shared', 'recorded', detail->>'resource_id'
    from entry where action = 'permission.shared'
  union all select 'grouped', 'happened', name
    from groups where workspace_id = $1 and name like 'made-%'
  union all select 'grouped', 'recorded', detail->>'name'
    from entry where action = 'group.created'
  union all select 'removed', 'happened', id::text from gone
  union all select 'removed', 'recorded', target_id::text from entry where action = 'member.removed'
  union all select 'removed', 'left behind', id::text from gone
    where exists (select from shares s where s.user_id = gone.id and s.workspace_id = $1)
      or exists (select from group_members g where g.user_id = gone.id and g.workspace_id = $1)`

/** Finds acknowledged changes that are missing, and changes that are stored only in part. */
export async function findLosses(
  pool: Pool,
  { workspace, service }: TestWorkspace,
  ledger: Ledger,
): Promise<string[]> {
  const { rows } = await pool.query<{ change: Change; fact: string; id: string }>(sql, [
    workspace,
    service,
  ])
  const ids = (change: Change, fact: string) =>
    new Set(rows.filter((row) => row.change === change && row.fact === fact).map(({ id }) => id))
  return (Object.keys(ledger) as Change[]).flatMap((change) => {
    const happened = ids(change, 'happened')
    const recorded = change === 'registered' ? happened : ids(change, 'recorded')
    const without = (candidates: Set<string>, others: Set<string>) =>
      [...candidates].filter((id) => !others.has(id))
    const halves = [...without(happened, recorded), ...without(recorded, happened)]
    return [
      ...without(ledger[change], happened).map((id) => `${change} ${id} is lost`),
      ...halves.map((id) => `${change} ${id} is half done`),
      ...[...ids(change, 'left behind')].map((id) => `${change} ${id} left something behind`),
    ]
  })
}
