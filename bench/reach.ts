import type { Client } from 'pg'
import { idOf, type Size } from './data-set.ts'

/** Answers a whole number below `below`; one that is made alike answers alike. */
export type Pick = (below: number) => number

/** What is shared with a user or their groups, some of it; and any resource of the workspace. */
export type Reach = {
  shared: { resource_id: string; permission: 'view' | 'edit' }[]
  any: () => string
}

const sharedSql = `
  (select resource_id, permission from shares where user_id = $1 limit 20)
  union all
  select s.* from group_members g cross join lateral (
    select resource_id, permission from shares where group_id = g.group_id limit 4
  ) s where g.user_id = $1`

/** Reads what the nth user reaches. */
export async function reachOf(
  database: Client,
  user: number,
  { workspaces, resources }: Size,
  pick: Pick,
): Promise<Reach> {
  const query = { name: 'shared', text: sharedSql, values: [idOf('u', user)] }
  const { rows } = await database.query<Reach['shared'][number]>(query)
  const home = user % workspaces
  const large = resources / 5
  const turns = (resources - large) / workspaces
  const any = () => idOf('r', home === 0 ? pick(large) : large + pick(turns) * workspaces + home)
  return { shared: rows, any }
}

/** A small generator (mulberry32): Math.random takes no seed, and runs have to be alike. */
export function createPicker(seed: number): Pick {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
