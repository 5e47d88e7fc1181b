import type pg from 'pg'
import { createAccess } from '../../clients/typescript/src/access.ts'
import type { BenchProcess } from '../child-process.ts'
import { openDaikon } from '../daikon-client.ts'
import { idOf, kind } from '../data-set.ts'
import type { Harness } from '../harness.ts'
import { formatNumber, type Row } from '../table.ts'
import type { FollowerJob, FollowerResult } from './follower-job.ts'
import { patience, waitUntilCopied } from './wait-until-copied.ts'

/** A follower, the database that it reads through daikon's server on `port`, and the one that it writes. */
type Filled = {
  follower: BenchProcess
  types: string[]
  client: pg.Client
  copy: pg.Pool
  port: number
}

/** The number of resources that are in memory before a follower writes them. */
const recorded = 200_000

/** Measures the first fill of the copy, with daikon and without, and its size. */
export async function measureFill(
  harness: Harness,
  filled: Filled,
  addRow: (row: Row) => void,
): Promise<void> {
  const { follower, types, client, copy } = filled
  const fill = async (job: FollowerJob) => {
    await follower.request({ types: [] })
    await copy.query('drop schema if exists daikon_access cascade')
    return follower.request<FollowerResult>(job, patience)
  }
  const alone = await fill({ types, recorded })
  addRow({
    label: `fill of a copy with ${formatNumber(alone.written)} resources that the follower has in memory`,
    daikon: `${formatNumber(alone.seconds)} s`,
    baseline: '',
    value: alone.written / alone.seconds,
    unit: '/s',
    goal: { min: 20_000 },
  })
  const { seconds, written } = await fill({ types })
  const registered = await client.query(
    `select count(*) from resources where kind_id in (
       select id from resource_kinds where service_name = $1 and resource_type = any($2))`,
    [kind.service_name, types],
  )
  if (written !== Number(registered.rows[0].count))
    throw new Error(`${written} of ${registered.rows[0].count} resources are in the copy`)
  await waitUntilCopied(copy)
  await compareList(harness, filled)
  const { rows } = await copy.query(
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class
     where relnamespace = 'daikon_access'::regnamespace and relkind = 'r'`,
  )
  const bytes = Number(rows[0].bytes)
  addRow({
    label: `fill of a copy with ${formatNumber(written)} resources, beside daikon and its database`,
    daikon: `${formatNumber(seconds)} s`,
    baseline: '',
    value: written / seconds,
    unit: '/s',
  })
  addRow({
    label: `size of a copy with ${formatNumber(written)} resources, per resource`,
    daikon: `${formatNumber(bytes / 2 ** 20)} MB`,
    baseline: '',
    value: bytes / written,
    unit: ' bytes',
    goal: { max: 250 },
  })
}

/** Compares what a reader sees in the copy with what daikon answers. */
async function compareList(
  { database, signToken }: Harness,
  { copy, port }: Filled,
): Promise<void> {
  const daikon = openDaikon(port)
  const access = createAccess({ daikon, pool: copy, types: { document: 'uuid' } })
  const token = await signToken(database.size.users + 1, 0)
  try {
    const expected: string[] = []
    const options = { workspaceId: idOf('w', 0) }
    for await (const id of daikon.accessible({ token }, 'view', 'document', options))
      expected.push(id)
    const visible = await access.visible({ token }, 'view', 'document')
    const { rows } = await copy.query(
      `select d.id from daikon_access.resources_document d where ${visible.sql('d.id', '$1')} order by d.id`,
      [visible.keys],
    )
    expected.sort()
    if (rows.length !== expected.length || rows.some(({ id }, n) => id !== expected[n]))
      throw new Error(`${rows.length} visible resources in the copy, ${expected.length} in daikon`)
  } finally {
    await access.close()
    daikon.close()
  }
}
