import type { Client } from 'pg'
import { idOf } from './data-set.ts'
import type { Size } from './data-set-size.ts'

/** Returns an integer from 0 up to, but not including, `below`. Deterministic for a seed. */
export type Pick = (below: number) => number

/** Resources that are shared with a user or their groups, and random resources of the workspace. */
export type VisibleResources = {
  shared: { resource_id: string; permission: 'view' | 'edit' }[]
  pickResource: () => string
}

const sharedSql = `
  (select resource_id, permission from shares where user_id = $1 and condition is null limit 20)
  union all
  select s.* from group_members g cross join lateral (
    select resource_id, permission from shares where group_id = g.group_id and condition is null limit 4
  ) s where g.user_id = $1`

/** Finds resources for the nth user. */
export async function findVisibleResources(
  database: Client,
  user: number,
  { workspaces, resources }: Size,
  pick: Pick,
): Promise<VisibleResources> {
  const query = { name: 'shared', text: sharedSql, values: [idOf('u', user)] }
  const { rows } = await database.query<VisibleResources['shared'][number]>(query)
  const home = user % workspaces
  const large = resources / 5
  const turns = (resources - large) / workspaces
  const pickResource = () =>
    idOf('r', home === 0 ? pick(large) : large + pick(turns) * workspaces + home)
  return { shared: rows, pickResource }
}

/**
 * Creates a seeded random generator (mulberry32), because Math.random takes no seed and runs must
 * be repeatable.
 */
export function createPicker(seed: number): Pick {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
