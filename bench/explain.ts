import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashServiceKey } from '../src/identity/service-keys.ts'
import { createLoadAccessible } from '../src/permissions/load-accessible.ts'
import { createLoadFacts } from '../src/permissions/load-facts.ts'
import { openBenchDatabase } from './bench-database.ts'
import { idOf, kind, readers, serviceKey } from './data-set.ts'
import { openPlanner, type Planner } from './planner.ts'
import { createPicker } from './shared-resources.ts'

/**
 * `node bench/explain.ts [--quick]`: writes PostgreSQL's plans for the statements of Check and
 * Accessible to files in this folder. The plans are generic, as on the server.
 */
const quick = process.argv.includes('--quick')
const database = await openBenchDatabase(quick)
const planner = await openPlanner(database.url)
try {
  write('facts-explain.txt', await explainFacts(planner))
  write('accessible-explain.txt', await explainAccessible(planner))
} finally {
  await planner.close()
  await database.close()
}

/** Explains the statement for 64 concurrent checks of different users. */
async function explainFacts({ explain, statements }: Planner): Promise<string> {
  const { users, workspaces, resources } = database.size
  const pick = createPicker(1)
  const questions = Array.from({ length: 64 }, () => {
    const user = pick(users)
    const home = user % workspaces
    const resource = resources / 5 + pick((resources * 0.8) / workspaces) * workspaces + home
    return {
      keyHash: hashServiceKey(serviceKey),
      tokenId: idOf('r', user),
      userId: idOf('u', user),
      workspaceId: idOf('w', home),
      checks: [{ ...kind, resource_id: idOf('r', resource), action: 'view' }],
    }
  })
  const loadFacts = createLoadFacts(statements)
  await Promise.all(questions.map((question) => loadFacts(question)))
  const plan = await explain()
  return `64 checks of 64 users in one statement: every table is read by index, once per check; no sorts or sequential scans.\n\n${plan}`
}

/**
 * Explains the first page of 100 IDs and one from the middle, for users with increasing numbers of
 * shares.
 */
async function explainAccessible({ explain, statements }: Planner): Promise<string> {
  const plans: string[] = []
  const times: string[] = []
  for (const { id, shares } of readers(database.size)) {
    for (const from of ['00000000', '80000000']) {
      await createLoadAccessible(statements)({
        ...kind,
        workspaceId: idOf('w', 0),
        userId: id,
        keyHash: hashServiceKey(serviceKey),
        tokenId: id,
        action: 'view',
        firstId: `${from}-0000-0000-0000-000000000000`,
        limit: 101,
      })
      const plan = await explain()
      times.push(`${shares}: ${/Execution Time: (\S+)/.exec(plan)?.[1]} ms`)
      plans.push(`-- A user with ${shares} shares, IDs from ${from}\n\n${plan}`)
    }
  }
  const first =
    'A page of 100 (first, middle) costs the same for any number of shares, because each branch stops at its limit in index order'
  return `${first}: ${times.join(', ')}.\n\n${plans.join('\n\n')}`
}

function write(file: string, text: string): void {
  process.stdout.write(`${text.split('\n')[0]}\n`)
  if (quick) process.stdout.write(`\n${text}\n\n`)
  else writeFileSync(join(import.meta.dirname, file), `${text}\n`)
}
