import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { createCheckBatches } from '../bench/check-batches.ts'
import { amountLimit, copiedTypeSql, largeAmount, smallAmount } from '../bench/copied-type-sql.ts'
import type { SignToken } from '../bench/credentials.ts'
import { idOf, kind } from '../bench/data-set.ts'
import { largeWorkspaceOf, type Size } from '../bench/data-set-size.ts'
import { createPicker } from '../bench/shared-resources.ts'
import { limitedType, writtenType } from './daikon.ts'
import type { ListQuestion, Question, Share, Viewers } from './peer.ts'

/** Together with the documents of the other workspaces, this results in 100,000 documents. */
export const peersSize: Size = { users: 10_000, workspaces: 20, resources: 94_000 }

/** Users of a separate workspace, with the number of its documents that each may view. */
const lists = [
  { users: 50, documents: 20 },
  { users: 4, documents: 5000 },
]
const listed = { workspace: 1000, firstUser: 5_000_000, firstResource: 50_000_000, documents: 5000 }

/** The workspaces whose documents also exist with a condition of each share. */
const limitedWorkspaces = [1, 2, 3]

const id = (sort: string, n: string) => `md5('${sort}' || (${n}))::uuid`

/**
 * Returns the statements that create the workspace for lists. Half of each user's documents are
 * shared with the user directly, and the others with a group whose only member is the user.
 */
export function listsSql(): string[] {
  const home = id('w', `${listed.workspace}`)
  const users = lists.reduce((sum, { users }) => sum + users, 0)
  const owner = id('u', `${listed.firstUser + users}`)
  const user = id('u', `${listed.firstUser} + n`)
  const group = id('g', `${listed.firstUser} + n`)
  const resource = (n: string) => id('r', `${listed.firstResource} + ${n}`)
  const people = `generate_series(0, ${users}) n`
  const share = (column: string, grantee: string, parity: number) =>
    lists.map(({ users, documents }, index) => {
      const first = lists.slice(0, index).reduce((sum, { users }) => sum + users, 0)
      return `
        insert into shares (id, kind_id, resource_id, workspace_id, ${column}, permission)
        select gen_random_uuid(), k.id, ${resource(`(n * 97 + i) % ${listed.documents}`)}, ${home},
          ${grantee}, 'view'
        from generate_series(${first}, ${first + users - 1}) n,
          generate_series(0, ${documents - 1}) i, resource_kinds k
        where i % 2 = ${parity}`
    })
  return [
    `insert into users (id, email, name)
     select ${user}, 'list' || n || '@example.com', 'List ' || n from ${people}`,
    `insert into workspaces (id, name, slug) values (${home}, 'Lists', 'lists')`,
    `insert into members (user_id, workspace_id, role, joined_at)
     select ${user}, ${home}, 'viewer', now() from ${people}`,
    `insert into groups (id, workspace_id, name)
     select ${group}, ${home}, 'List ' || n from ${people}`,
    `insert into group_members (group_id, user_id, workspace_id)
     select ${group}, ${user}, ${home} from ${people}`,
    `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
     select gen_random_uuid(), k.id, ${resource('n')}, ${home}, ${owner}, 'private'
     from generate_series(0, ${listed.documents - 1}) n, resource_kinds k`,
    ...share('user_id', user, 0),
    ...share('group_id', group, 1),
  ]
}

/** Returns the statements that create the documents with a condition of each share. */
export function limitedSql(): string[] {
  const workspaces = limitedWorkspaces.map((n) => `'${idOf('w', n)}'`)
  const where = `r.workspace_id in (${workspaces})`
  return copiedTypeSql({ type: limitedType, where, condition: amountLimit })
}

/** The questions of all measurements, grouped by user. All of a group have the same amount. */
export type Questions = {
  checks: Question[][]
  batches: Question[][]
  limitedChecks: Question[][]
  limitedBatches: Question[][]
  shortLists: ListQuestion[]
  longLists: ListQuestion[]
  viewers: Viewers[]
}

/** Access tokens and workspaces of all users of the questions. */
export type Tokens = Map<string, { token: string; workspace: string }>

export async function createQuestions(
  url: string,
  signToken: SignToken,
): Promise<{ questions: Questions; tokens: Tokens }> {
  const tokens: Tokens = new Map()
  const sign = async (user: number, workspace: number) => {
    if (tokens.has(idOf('u', user))) return
    const token = await signToken(user, workspace)
    tokens.set(idOf('u', user), { token, workspace: idOf('w', workspace) })
  }
  const groupsOf = async (items: number, count: number) => {
    const batches = await createCheckBatches({ url, size: peersSize }, items, count)
    for (const { user, workspace } of batches) await sign(user, workspace)
    return batches.map(({ user, checks }) =>
      checks.map(
        ({ resource_id = '', action }): Question => ({
          user: idOf('u', user),
          document: resource_id,
          action: action as Question['action'],
        }),
      ),
    )
  }
  const listsOf: ListQuestion[][] = []
  let first = 0
  for (const { users, documents } of lists) {
    const own: ListQuestion[] = []
    for (let n = first; n < first + users; n += 1) {
      await sign(listed.firstUser + n, listed.workspace)
      own.push({
        user: idOf('u', listed.firstUser + n),
        documents: Array.from({ length: documents }, (_, index) =>
          idOf('r', listed.firstResource + ((n * 97 + index) % listed.documents)),
        ).sort(),
      })
    }
    first += users
    listsOf.push(own)
  }
  const [shortLists = [], longLists = []] = listsOf
  const checks = await groupsOf(25, 2000)
  const batches = await groupsOf(50, 500)
  const limited = (groups: Question[][]) =>
    groups.filter(([question]) => isLimited(question)).map(withAmount)
  const questions = {
    ...{ checks, batches, limitedChecks: limited(checks), limitedBatches: limited(batches) },
    ...{ shortLists, longLists, viewers: await viewersOf(shortLists) },
  }
  return { questions, tokens }

  async function viewersOf(shortLists: ListQuestion[]): Promise<Viewers[]> {
    const { users, workspaces } = peersSize
    const { workspace, firstUser, members } = largeWorkspaceOf(peersSize)
    const usersOf = async (indexes: number[], workspaceOf: (user: number) => number) => {
      for (const user of indexes) await sign(user, workspaceOf(user))
      return indexes.map((user) => idOf('u', user))
    }
    const ordinary = Array.from({ length: 50 }, (_, index) => 2000 + index).filter(
      // All documents of some workspaces are visible to their members.
      (user) => user % 10 !== 0,
    )
    return [
      { label: '20', documents: 20, users: shortLists.map(({ user }) => user) },
      {
        label: 'about 400',
        documents: 400,
        users: await usersOf(ordinary, (user) => user % workspaces),
      },
      {
        label: '1,000',
        documents: 1000,
        users: await usersOf([firstUser + members - 1], () => workspace),
      },
      // The last of `readers`, with half of the documents of workspace 0, and its admins.
      { label: '13,160', documents: 13_160, users: await usersOf([users + 2], () => 0) },
      { label: '22,560', documents: 22_560, users: await usersOf([0, workspaces], () => 0) },
    ]
  }

  function isLimited(question: Question | undefined): boolean {
    const workspace = tokens.get(question?.user ?? '')?.workspace
    return limitedWorkspaces.some((n) => idOf('w', n) === workspace)
  }
}

/** Every other group asks with an amount within the limit. */
function withAmount(group: Question[], index: number): Question[] {
  const amount = index % 2 === 0 ? smallAmount : largeAmount
  return group.map((question) => ({ ...question, amount }))
}

/** Shuffles items in the same way in each run. */
export function shuffle<Item>(items: Item[]): Item[] {
  const pick = createPicker(1)
  return items
    .map((item) => ({ item, position: pick(2 ** 31) }))
    .sort((a, b) => a.position - b.position)
    .map(({ item }) => item)
}

/** Documents to share with members of the large workspace. Each pair is returned once. */
export type ShareSource = {
  /** The index of the user who owns the documents, and of the workspace. */
  writer: { user: number; workspace: number }
  take(count: number): Share[]
}

/** Registers new documents with daikon. The peers do not need registration. */
export async function createShareSource(url: string): Promise<ShareSource> {
  const { firstUser, members, workspace } = largeWorkspaceOf(peersSize)
  const documents = Array.from({ length: 1000 }, () => randomUUID())
  const writer = { user: firstUser + members - 1, workspace }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // Deletes the documents of earlier runs.
    await client.query(
      `delete from resources where kind_id in (
         select id from resource_kinds where resource_type = $1)`,
      [writtenType],
    )
    await client.query('truncate activity')
    await client.query(
      'insert into resource_kinds (service_name, resource_type) values ($1, $2) on conflict do nothing',
      [kind.service_name, writtenType],
    )
    await client.query(
      `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
       select gen_random_uuid(), k.id, document, $1, $2, 'private'
       from unnest($3::uuid[]) document, resource_kinds k where k.resource_type = $4`,
      [idOf('w', workspace), idOf('u', writer.user), documents, writtenType],
    )
  } finally {
    await client.end()
  }
  let taken = 0
  return {
    writer,
    take(count) {
      const start = taken
      taken += count
      if (taken > documents.length * members) throw new Error('Too few documents to share')
      return Array.from({ length: count }, (_, index) => {
        const pair = start + index
        const member = firstUser + Math.floor(pair / documents.length)
        return { document: documents[pair % documents.length] ?? '', user: idOf('u', member) }
      })
    },
  }
}
