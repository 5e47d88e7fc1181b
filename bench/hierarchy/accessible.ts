import type { Client } from 'pg'
import { grant } from '../../src/permissions/access.ts'
import { accessibleSql as todaySql } from '../../src/permissions/accessible-query.ts'
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

/** User 9999 has one share of their own, and is in 16 groups with some 50 shares each. */
const scenarios: Record<string, [user: number, cursor: string]> = {
  'folder with 100,000 descendants, first page': [9999, first],
  'folder with 100,000 descendants, page in the middle': [9999, middle],
  'user of flat resources and a few folders': [17, first],
  'user of flat resources only (workspace 2)': [18, first],
}

/** A Markdown table: ms of CPU for an indexed read of 1,000 ids, and ratios of a page to it. */
export async function measureAccessible(client: Client, rounds: number): Promise<string[]> {
  const pid = await backendPid(client)
  const statements: Record<string, string> = { today: todaySql, ...accessibleSql }
  const names = Object.keys(statements)
  const lines = [
    `| page of 1,000 ids | indexed read, ms | ${names.join(' | ')} |`,
    `|---|--:|${names.map(() => '--:|').join('')}`,
  ]
  for (const [scenarioName, [user, cursor]] of Object.entries(scenarios)) {
    const workspace = uuid.workspace(user === 18 ? 2 : 1)
    const values = [workspace, uuid.user(user), 'bench', 'item', cursor, 1000, forView]
    const timed = (name: string, text: string, parameters: unknown[]) => async () => {
      const start = cpuTime(pid)
      await client.query({ name: `page ${name}`, text, values: parameters })
      return (cpuTime(pid) - start) / 1000
    }
    const measures = {
      read: timed('read', indexedRead, [workspace, cursor]),
      ...Object.fromEntries(
        names.map((name) => {
          const text = statements[name] as string
          return [name, timed(name, text, name === 'today' ? [...values, false] : values)]
        }),
      ),
    } as Record<string, () => Promise<number>>
    await interleave(1, measures)
    const taken = await interleave(rounds, measures)
    const read = medianOf(taken, (round) => round.read as number)
    const ratios = names.map((name) => medianOf(taken, (round) => round[name] as number) / read)
    lines.push(
      `| ${scenarioName} | ${read.toFixed(2)} | ${ratios.map((ratio) => ratio.toFixed(1)).join(' | ')} |`,
    )
  }
  return lines
}
