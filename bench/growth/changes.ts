import { deleteUser } from '../../src/admin/delete-user.ts'
import type { Database } from '../../src/database/database.ts'
import { sweepDeleted } from '../../src/database/sweep-deleted.ts'
import { createStores } from '../../src/server/stores.ts'
import { idOf } from './binary-rows.ts'
import type { GrowthSize } from './shape.ts'
import * as shape from './shape.ts'

/** A change that cannot be taken back by a call. `prepare` is a statement that is not measured. */
export type Change = {
  label: string
  prepare?: string
  change: (database: Database, n: number) => Promise<unknown>
}

/** Returns the measured changes. `admin` is the ID of an administrator. */
export function changesOf(size: GrowthSize, admin: string): Change[] {
  const { firstMember } = shape.workspaceOf(size, 1)
  // The first two members have other roles.
  const person = (n: number) => idOf('user', firstMember + 2 + n)
  return [
    {
      label: 'erasure of a person',
      change: (database, n) => {
        const stores = createStores(database.fork())
        // Afterwards, the response counts what others have written about the person in whole tables.
        const withoutCounts = Object.create(stores, { keptTexts: { value: { kinds: () => [] } } })
        return deleteUser(
          {
            stores: withoutCounts,
            principal: { admin: { id: admin } } as never,
            now: new Date(),
          },
          { user_id: person(n), transfer_to: person(50) },
        )
      },
    },
    {
      label: 'a step of the sweep of the 5 % workspace',
      prepare: `insert into deleted_workspaces (id) values ('${idOf('workspace', 0)}')`,
      async change(database) {
        if (!(await sweepDeleted(database))) throw new Error('Nothing was swept')
      },
    },
  ]
}
