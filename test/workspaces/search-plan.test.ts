import { randomUUID } from 'node:crypto'
import test from 'ava'
import { findMemberSearchStatement } from '../../bench/member-search.ts'
import { recordStatements } from '../../bench/record-statements.ts'
import { searchNames } from '../../src/admin/search-names.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment

/** A workspace of 20,000 members, 50 of whom are in a second workspace. */
const large = await seed.workspace()
const small = await seed.workspace()
await pool.query(`
  insert into users (id, email, name)
  select md5('u' || n)::uuid, 'person' || n || '@example.com',
    (array['Maria', 'Mariam', 'Anna', 'Søren', 'Zoë', 'Ivan', 'Ada', 'Grace'])[1 + n % 8] || ' ' ||
    (array['Smith', 'Müller', 'García', 'Kim', 'Rossi'])[1 + n / 8 % 5] || ' ' || n
  from generate_series(1, 20000) n`)
await pool.query(
  `insert into members (workspace_id, user_id, role, joined_at)
   select $1, md5('u' || n)::uuid, 'viewer', now() from generate_series(1, 20000) n`,
  [large],
)
await pool.query(
  `insert into members (workspace_id, user_id, role, joined_at)
   select $1, md5('u' || n * 400)::uuid, 'viewer', now() from generate_series(1, 50) n`,
  [small],
)
await pool.query('vacuum (analyze) users, members')
test.after.always(() => environment.stop())

type Node = Record<string, unknown> & { Plans?: Node[] }

/** The nodes of the executed plan. */
async function explain(workspace: string, q?: string): Promise<Node[]> {
  const { text, values } = await findMemberSearchStatement(workspace, q)
  return explainStatement(text, values)
}

async function explainStatement(text: string, values: unknown[]): Promise<Node[]> {
  const { rows } = await pool.query(`explain (analyze, buffers, format json) ${text}`, values)
  const flatten = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flatten)]
  return flatten(rows[0]['QUERY PLAN'][0].Plan)
}

/** Whether a node scans the whole table of users. */
function readsAll(node: Node): boolean {
  return node['Node Type'] === 'Seq Scan' && node['Relation Name'] === 'users'
}

/** The pages read by the statement. */
function pages([top]: Node[]): number {
  return Number(top?.['Shared Hit Blocks']) + Number(top?.['Shared Read Blocks'])
}

for (const [name, q] of Object.entries({
  'a rare name': 'Rossi 15271',
  'part of a rare e-mail': 'son1527',
  'a text without matches': 'zqxq',
})) {
  test(`searching for ${name} uses the trigram index`, async (t) => {
    for (const workspace of [large, small]) {
      const nodes = await explain(workspace, q)
      t.deepEqual(nodes.filter(readsAll), [])
      t.true(nodes.some((node) => String(node['Index Name']).startsWith('users_search')))
      t.true(pages(nodes) < 1000, `${pages(nodes)} pages`)
    }
  })
}

test('a list without q and a search with many matches stop at the limit', async (t) => {
  for (const q of [undefined, '', 'a', 'example.com', 'mari']) {
    for (const workspace of [large, small]) {
      const nodes = await explain(workspace, q)
      t.deepEqual(nodes.filter(readsAll), [], q)
      t.true(pages(nodes) < 2000, `${q}: ${pages(nodes)} pages`)
    }
  }
})

test('a search by name reads few pages, however common its words are', async (t) => {
  for (const q of ['rossi 15271', 'Müller', 'maria', 'zqxq', 'ma', 'a', 'e x a m p l']) {
    const [{ text, values } = { text: '', values: [] }] = await recordStatements((stores) =>
      searchNames({ stores }, { q }),
    )
    const nodes = await explainStatement(text, values)
    t.deepEqual(nodes.filter(readsAll), [], q)
    t.true(pages(nodes) < 3000, `${q}: ${pages(nodes)} pages`)
  }
})

for (const transport of environment.transports) {
  test(`the search finds every match in the order of the list over ${transport.label}`, async (t) => {
    const credentials = {
      token: await environment.token(await seed.newMember(large, 'viewer', randomUUID()), large),
    }
    const find = async (q: string, limit: number) => {
      const message = { workspace_id: large, q, limit }
      const { members } = expectOk(await transport.call('ListMembers', message, credentials))
      return members.map(({ user_id }: { user_id: string }) => user_id) as string[]
    }
    for (const q of [
      'person1527',
      'MARIA SMITH 1',
      '19 Müller',
      'smith person152',
      'RSON152',
      'ada',
    ]) {
      const { rows } = await pool.query(
        `select u.id from users u join members m on m.user_id = u.id and m.workspace_id = $1
         where not exists (
           select from regexp_split_to_table(lower($2), ' ') word
           where position(word in lower(u.name)) = 0 and position(word in u.email) = 0)
         order by u.id limit 50`,
        [large, q],
      )
      const expected = rows.map(({ id }) => id)
      t.true(expected.length > 0)
      t.deepEqual(await find(q, 50), expected, q)
      t.deepEqual(await find(q, 3), expected.slice(0, 3), q)
    }
  })
}
