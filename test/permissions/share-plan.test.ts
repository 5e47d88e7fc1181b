import { randomUUID } from 'node:crypto'
import test from 'ava'
import { recordStatements } from '../../bench/record-statements.ts'
import { cloneDatabase } from '../support/database.ts'

const { pool, drop } = await cloneDatabase()
test.after.always(drop)

type Node = Record<string, unknown> & { Plans?: Node[] }

function flatten(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)]
}

for (const type of ['user', 'group'] as const) {
  test(`granting many shares to a ${type} compares no share with each other`, async (t) => {
    const id = randomUUID()
    const event = { action: 'permission.shared', targetId: id, workspaceId: id, detail: {} }
    const share = {
      resource: { kindId: 1, resourceId: id, workspaceId: id },
      grantee: { type, id },
      permission: 'view',
      condition: undefined,
      expiresAt: undefined,
      actor: { actorId: undefined },
      event,
    }
    const [statement] = await recordStatements((stores) =>
      stores.shares.grantAll([share] as never, 100),
    )
    const { rows } = await pool.query(`explain (format json) ${statement?.text}`, statement?.values)
    const nodes = flatten(rows[0]['QUERY PLAN'][0].Plan)
    const isComparing = (node: Node) => node['Node Type'] === 'Nested Loop' && node['Join Filter']
    t.deepEqual(nodes.filter(isComparing), [])
    t.is(nodes.filter((node) => node['Join Type'] === 'Full').length, 2)
  })
}
