import { type CheckBatch, createCheckBatches, createLargeWorkspaceCheck } from './check-batches.ts'
import { largeWorkspaceOf } from './data-set-size.ts'
import type { Harness } from './harness.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, formatNumber, type Row } from './table.ts'
import { fetchResponses, writeChecks } from './write-requests.ts'

const inFlight = 64

/** Check on large numbers of resources, groups and shares compared with Check on small ones. */
export async function measureGrowth(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick } = harness
  const { members, groups, resources } = largeWorkspaceOf(database.size)
  const count = quick ? 100 : 2000
  // Each check uses its index to select a member or resource.
  const each = (batch: (n: number) => CheckBatch) =>
    Array.from({ length: count }, (_, n) => batch(n))
  const about = (resource: (n: number) => number) =>
    each((n) =>
      createLargeWorkspaceCheck(database.size, 2 + ((n * 7) % (members - 3)), resource(n)),
    )
  const by = (member: number) =>
    each((n) => createLargeWorkspaceCheck(database.size, member, 2 + (n % (resources - 2))))
  const here = harness.daikon()
  const rows = [
    {
      label: `${formatNumber(database.size.resources)} resources compared with ${formatNumber(database.small.size.resources)}`,
      many: await prepare(harness, 'large', await createCheckBatches(database, 1, count)),
      few: await prepare(
        harness,
        'small',
        await createCheckBatches(database.small, 1, count),
        harness.daikon(database.small.url),
      ),
      goal: 0.9,
    },
    {
      label: `a user in ${formatNumber(groups)} groups compared with one in 10`,
      many: await prepare(harness, 'many-groups', by(0)),
      few: await prepare(harness, 'few-groups', by(1)),
      goal: 0.7,
    },
    {
      label: `a resource with ${formatNumber(members)} shares compared with one with 3`,
      many: await prepare(
        harness,
        'many-shares',
        about(() => 0),
      ),
      few: await prepare(
        harness,
        'few-shares',
        about(() => 2),
      ),
      goal: 0.7,
    },
    {
      label: `the same, ${formatNumber(groups)} of them with groups`,
      many: await prepare(
        harness,
        'many-group-shares',
        about(() => 1),
      ),
      few: await prepare(
        harness,
        'few-group-shares',
        about(() => 2),
      ),
      goal: 0.7,
    },
  ]
  for (const { label, many, few, goal } of rows) {
    const results = await interleave(harness.rounds, { many, few })
    addRow({
      label,
      daikon: formatLoad(medianLoad(results, ({ many }) => many)),
      baseline: formatLoad(medianLoad(results, ({ few }) => few)),
      value: medianOf(results, ({ many, few }) => many.rate / few.rate),
      goal: { min: goal },
    })
  }

  async function prepare(harness: Harness, name: string, batches: CheckBatch[], server = here) {
    const { daikon } = writeChecks(harness, name, await fetchResponses(harness, server, batches))
    return () => harness.measure(server, { kind: 'unary', inFlight, files: [daikon] })
  }
}
