import { readFileSync } from 'node:fs'
import type { Client } from 'pg'
import { createFactsBatch } from '../../src/permissions/facts-batch.ts'
import { interleave, medianOf } from '../rounds.ts'
import { layout } from './data.ts'
import { extendFacts, type GroupStorage, type ResourceStorage } from './statements.ts'

const variants: Record<string, [ResourceStorage, GroupStorage]> = {
  today: ['none', 'none'],
  'today with a flag': ['flag', 'none'],
  'walk + one table of members': ['walk', 'none'],
  'walk + closure': ['walk', 'closure'],
  'walk + members': ['walk', 'members'],
  closure: ['closure', 'closure'],
  arrays: ['array', 'array'],
}

type Scenario = { workspace: number; user(): number; resource(): number }

const between = (first: number, size: number) => first + Math.floor(Math.random() * size)
const flatUser = () => between(8001, 1000)
const deepUser = () => between(9001, 900)
const flatResource = () => between(layout.flat, layout.flatSize)
const treeLeaf = () =>
  layout.firstTree + between(0, layout.trees) * layout.treeSize + between(156, 12_500)

const scenarios: Record<string, Scenario> = {
  'flat, no nested groups in the workspace': {
    workspace: 2,
    user: flatUser,
    resource: () => between(layout.quietFlat, layout.quietSize),
  },
  'flat, nested groups elsewhere in the workspace': {
    workspace: 1,
    user: flatUser,
    resource: flatResource,
  },
  'depth 5, flat groups': { workspace: 1, user: flatUser, resource: treeLeaf },
  'chain of 32, flat groups': { workspace: 1, user: flatUser, resource: () => layout.deepest },
  'flat, 16-deep groups': { workspace: 1, user: deepUser, resource: flatResource },
  'depth 5, 16-deep groups': { workspace: 1, user: deepUser, resource: treeLeaf },
}

export const uuid = {
  resource: (n: number) => `${hex(n)}-0000-7000-8000-00000000000a`,
  user: (n: number) => `${hex(n)}-0000-7000-8000-00000000000b`,
  group: (n: number) => `${hex(n)}-0000-7000-8000-00000000000c`,
  workspace: (n: number) => `${hex(n)}-0000-7000-8000-00000000000d`,
}

function hex(n: number): string {
  return n.toString(16).padStart(8, '0')
}

/**
 * Returns the CPU microseconds of the PostgreSQL process of a connection. Unlike elapsed time, this
 * excludes other load on the machine.
 */
export function cpuTime(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000
}

export async function backendPid(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() pid')
  return rows[0]?.pid as number
}

/** Creates the parameters of a statement for `size` checks, each for a different user. */
function createBatch(scenario: Scenario, size: number, external: (n: number) => string): string[] {
  const queries = Array.from({ length: size }, () => ({
    keyHash: 'a'.repeat(64),
    tokenId: uuid.user(1),
    userId: uuid.user(scenario.user()),
    workspaceId: uuid.workspace(scenario.workspace),
    checks: [
      {
        service_name: 'bench',
        resource_type: 'item',
        resource_id: external(scenario.resource()),
        action: 'view',
      },
    ],
  }))
  return createFactsBatch(queries).parameters
}

/**
 * Returns a Markdown table with the CPU microseconds that PostgreSQL uses per check today, and the
 * ratio of each variant to it.
 */
export async function measureFacts(
  client: Client,
  external: (n: number) => string,
  rounds: number,
): Promise<string[]> {
  // Only facts by closure use it.
  await client.query(`create index if not exists ancestors_of_resource
    on resource_ancestors (kind_id, resource_id, ancestor_id)`)
  const pid = await backendPid(client)
  const names = Object.keys(variants)
  const lines = [
    `| facts | checks | today, µs | ${names.slice(1).join(' | ')} |`,
    `|---|--:|--:|${names
      .slice(1)
      .map(() => '--:|')
      .join('')}`,
  ]
  for (const [scenarioName, scenario] of Object.entries(scenarios)) {
    for (const size of [64, 1]) {
      const runs = size === 1 ? 60 : 4
      const batches = Array.from({ length: runs }, () => createBatch(scenario, size, external))
      const measures = Object.fromEntries(
        names.map((name) => {
          const text = extendFacts(...(variants[name] as [ResourceStorage, GroupStorage]))
          return [
            name,
            async () => {
              await client.query({ name, text, values: batches[0] as string[] })
              const start = cpuTime(pid)
              for (const values of batches) await client.query({ name, text, values })
              return (cpuTime(pid) - start) / runs / size
            },
          ]
        }),
      )
      await interleave(1, measures)
      const results = await interleave(rounds, measures)
      const today = medianOf(results, (round) => round.today as number)
      const ratios = names
        .slice(1)
        .map((name) =>
          medianOf(results, (round) => (round[name] as number) / (round.today as number)),
        )
      lines.push(
        `| ${scenarioName} | ${size} | ${today.toFixed(1)} | ${ratios.map((ratio) => ratio.toFixed(2)).join(' | ')} |`,
      )
    }
  }
  await client.query('drop index ancestors_of_resource')
  return lines
}
