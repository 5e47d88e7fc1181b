import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { grant } from '../../src/permissions/access.ts'
import { statusBit } from '../../src/permissions/engine/bits.ts'
import type { Ctes } from '../../src/permissions/engine/statement.ts'
import { factsSql } from '../../src/permissions/engine/statements/facts.ts'
import { listSql } from '../../src/permissions/engine/statements/list.ts'
import { listWithFoldersSql } from '../../src/permissions/engine/statements/list-with-folders.ts'
import { reasonsSql, subjectSql } from '../../src/permissions/engine/statements/reasons.ts'
import { uncertainSql } from '../../src/permissions/engine/statements/uncertain.ts'
import { workspaceChecksSql } from '../../src/permissions/engine/statements/workspace-checks.ts'
import type { SubjectKind } from '../../src/permissions/engine/subjects/subject-kind.ts'
import { subjectKinds } from '../../src/permissions/engine/subjects/subject-kinds.ts'

const golden = join(import.meta.dirname, '../golden/subjects.txt')

/** Returns the names of bits. */
function namesOf(bits: number): string {
  const names = Object.entries({ ...grant, ...statusBit }).filter(([, bit]) => bits & bit)
  return names.map(([name]) => name).join(', ') || '-'
}

/** Whether what statements read instead of memberships, if anything, can be of a guest. */
function mayBeGuest({ live_members }: Ctes): boolean {
  return !/false as is_guest/.test(String(live_members))
}

/** Leaves out the rules of which grants are not listed. */
function withoutNull(_: string, value: unknown): unknown {
  return value ?? undefined
}

test('the golden file shows what statements read for each kind of subject, and what counts', async (t) => {
  const text = Object.entries<SubjectKind>(subjectKinds)
    .map(
      ([
        name,
        {
          tables,
          ignoredBits,
          ignoredInSearches,
          rules,
          coverage,
          hasRole,
          isPlural,
          isRemembered,
        },
      ]) => `${name}
  reads instead: ${Object.keys(tables('$1')).join(', ') || '-'}
  ignores: ${namesOf(ignoredBits)}
  ignores in searches: ${namesOf(ignoredInSearches)}
  explains: ${rules ? JSON.stringify(rules, withoutNull) : 'all grants'}
  covers: ${coverage ? 'part of what its user may do' : 'everything'}
  has a role: ${hasRole ? 'yes' : 'no'}
  stands for several members: ${isPlural ? 'yes' : 'no'}
  may be a guest: ${mayBeGuest(tables('$1')) ? 'yes' : 'no'}
  in memory: ${isRemembered ? 'yes' : 'no'}
`,
    )
    .join('')
  if (process.env.UPDATE_GOLDEN) await writeFile(golden, text)
  t.is(text, await readFile(golden, 'utf8'))
})

test('statements about other kinds do not read delegations', (t) => {
  const statements = [
    ...Object.values(factsSql).flatMap((ofLookup) => Object.values(ofLookup)),
    ...Object.values(uncertainSql),
    ...Object.values(listSql),
    ...Object.values(listWithFoldersSql),
    ...[reasonsSql, subjectSql, workspaceChecksSql],
  ]
  for (const { delegation, ...others } of statements)
    for (const [kind, sql] of Object.entries(others)) t.notRegex(sql, /delegation/, kind)
  t.true(statements.every(({ delegation }) => /\bdelegations\b/.test(delegation)))
})
