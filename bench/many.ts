import { type CheckBatch, createCheckBatches, createLargeWorkspaceCheck } from './check-batches.ts'
import { largeWorkspaceOf } from './data-set-size.ts'
import type { Harness } from './harness.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, formatNumber, type Row } from './table.ts'
import { fetchResponses, writeChecks } from './write-requests.ts'

const inFlight = 64

/** Compares Check on large numbers of resources, groups and shares with Check on small ones. */
export async function measureMany(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick } = harness
  const { members, groups, resources } = largeWorkspaceOf(database.size)
  const count = quick ? 100 : 2000
  // Each check uses its index to select a member or resource.
  const createBatches = (batch: (n: number) => CheckBatch) =>
    Array.from({ length: count }, (_, n) => batch(n))
  const checksOfResource = (resource: (n: number) => number) =>
    createBatches((n) =>
      createLargeWorkspaceCheck(database.size, 2 + ((n * 7) % (members - 3)), resource(n)),
    )
  const checksOfMember = (member: number) =>
    createBatches((n) =>
      createLargeWorkspaceCheck(database.size, member, 2 + (n % (resources - 2))),
    )
  const defaultServer = harness.daikon()
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
      many: await prepare(harness, 'many-groups', checksOfMember(0)),
      few: await prepare(harness, 'few-groups', checksOfMember(1)),
      goal: 0.7,
    },
    {
      label: `a resource with ${formatNumber(members)} shares compared with one with 3`,
      many: await prepare(
        harness,
        'many-shares',
        checksOfResource(() => 0),
      ),
      few: await prepare(
        harness,
        'few-shares',
        checksOfResource(() => 2),
      ),
      goal: 0.7,
    },
    {
      label: `the same, ${formatNumber(groups)} of them with groups`,
      many: await prepare(
        harness,
        'many-group-shares',
        checksOfResource(() => 1),
      ),
      few: await prepare(
        harness,
        'few-group-shares',
        checksOfResource(() => 2),
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

  async function prepare(
    harness: Harness,
    name: string,
    batches: CheckBatch[],
    server = defaultServer,
  ) {
    const { daikon } = writeChecks(harness, name, await fetchResponses(harness, server, batches))
    return () => harness.measure(server, { kind: 'unary', inFlight, files: [daikon] })
  }
}
