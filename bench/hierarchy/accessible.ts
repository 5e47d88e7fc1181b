import type { Client } from 'pg'
import { grant } from '../../src/permissions/access.ts'
import { createLoadAccessible } from '../../src/permissions/load-accessible.ts'
import { interleave, medianOf } from '../rounds.ts'
import { backendPid, cpuTime, uuid } from './facts.ts'
import { accessibleSql } from './statements.ts'

const first = '00000000-0000-0000-0000-000000000000'
const middle = '80000000-0000-0000-0000-000000000000'
const forView = grant.owner | grant.workspace | grant.view | grant.edit

const indexedRead = `
  select array_to_string(array(select resource_id from resources
    where workspace_id = $1 and kind_id = 1 and resource_id >= $2
    order by resource_id limit 1000), ',')`

/** User 9999 has one share, and is in 16 groups with about 50 shares each. */
const scenarios: Record<string, [user: number, cursor: string]> = {
  'folder with 100,000 descendants, first page': [9999, first],
  'folder with 100,000 descendants, page in the middle': [9999, middle],
  'user of flat resources and a few folders': [17, first],
  'user of flat resources only (workspace 2)': [18, first],
}

/**
 * Returns a Markdown table with the CPU milliseconds of an indexed read of 1,000 IDs, and the ratio
 * of a page to it.
 */
export async function measureAccessible(client: Client, rounds: number): Promise<string[]> {
  const pid = await backendPid(client)
  const loadToday = createLoadAccessible({
    async rows<Row extends unknown[]>(name: string, text: string, values: unknown[]) {
      return (await client.query<Row>({ name, text, values, rowMode: 'array' })).rows
    },
  })
  const names = ['today', ...Object.keys(accessibleSql)]
  const lines = [
    `| page of 1,000 ids | indexed read, ms | ${names.join(' | ')} |`,
    `|---|--:|${names.map(() => '--:|').join('')}`,
  ]
  for (const [scenarioName, [user, cursor]] of Object.entries(scenarios)) {
    const workspace = uuid.workspace(user === 18 ? 2 : 1)
    const values = [workspace, uuid.user(user), 'bench', 'item', cursor, 1000, forView]
    const timed = (work: () => Promise<unknown>) => async () => {
      const start = cpuTime(pid)
      await work()
      return (cpuTime(pid) - start) / 1000
    }
    const run = (name: string, text: string, parameters: unknown[]) =>
      timed(() => client.query({ name: `page ${name}`, text, values: parameters }))
    const today = () =>
      loadToday({
        workspaceId: workspace,
        userId: uuid.user(user),
        service_name: 'bench',
        resource_type: 'item',
        keyHash: undefined,
        tokenId: undefined,
        action: 'view',
        firstId: cursor,
        limit: 1000,
      })
    const measures: Record<string, () => Promise<number>> = {
      read: run('read', indexedRead, [workspace, cursor]),
      today: timed(today),
    }
    for (const [name, text] of Object.entries(accessibleSql))
      measures[name] = run(name, text, values)
    await interleave(1, measures)
    const results = await interleave(rounds, measures)
    const read = medianOf(results, (round) => round.read as number)
    const ratios = names.map((name) => medianOf(results, (round) => round[name] as number) / read)
    lines.push(
      `| ${scenarioName} | ${read.toFixed(2)} | ${ratios.map((ratio) => ratio.toFixed(1)).join(' | ')} |`,
    )
  }
  return lines
}
