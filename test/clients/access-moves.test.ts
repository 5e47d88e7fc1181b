import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import type { KeyType } from '../../clients/typescript/src/access/copy/key-types.ts'
import { createDaikon, type Subject } from '../../clients/typescript/src/daikon.ts'
import { toResourceId } from '../../src/permissions/resource-id.ts'
import { createCopy } from '../support/access-copy.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const [transport] = environment.transports as [Transport]
test.after.always(() => environment.stop())

/** The number of documents that move: several pages of daikon, and several transactions of the follower. */
const movedCount = 8000

/** Each of so many documents is also shared by itself. */
const sharedInterval = 80

const createId: Partial<Record<KeyType, (number: number) => string>> = {
  uuid: () => randomUUID(),
  bigint: String,
}

const folder = (id: string) => ({ type: 'folder', id })
const document = (id: string) => ({ type: 'document', id })

/**
 * The folder `moving` is in `left`, which is shared with `leftViewer`, and `entered` is shared with
 * `enteredViewer`. Some of its documents are shared with `direct`. A document is in `left`, and one in `entered`.
 */
async function createWorld(t: ExecutionContext, keyType: KeyType, ids: string[]) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { service, key: serviceKey, workspace: workspaceId, people } = fixture
  const copy = await createCopy(t, environment.pool, keyType)
  const address = `127.0.0.1:${environment.grpcPort}`
  const daikon = createDaikon({ service, serviceKey, address, deadlineMs: 120_000 })
  const follower = copy.follow(daikon)
  const join = async () => ({ userId: (await fixture.addMember('viewer')).id })
  const subjects = {
    leftViewer: await join(),
    enteredViewer: await join(),
    direct: await join(),
    owner: { userId: people.owner.id },
  }
  const facts = { workspaceId, ownerId: people.owner.id }
  const [inLeft = '', inEntered = '', ...moved] = ids
  await daikon.register({ ...facts, ...folder('left') })
  await daikon.register({ ...facts, ...folder('entered') })
  await daikon.register({ ...facts, ...folder('moving'), parent: folder('left') })
  await daikon.register({ ...facts, ...document(inLeft), parent: folder('left') })
  await daikon.register({ ...facts, ...document(inEntered), parent: folder('entered') })
  const [sample = '', ...others] = moved
  await daikon.register({ ...facts, ...document(sample), parent: folder('moving') })
  const resourceIds = others.map((id) => toResourceId(service, 'document', id))
  await environment.pool.query(
    `insert into resources
      (id, kind_id, resource_id, external_id, workspace_id, owner_id, visibility, parent_id)
    select gen_random_uuid(), kind_id, x.resource_id, x.external_id, workspace_id, owner_id,
      visibility, parent_id
    from resources r, unnest($2::uuid[], $3::text[]) x (resource_id, external_id)
    where r.resource_id = $1`,
    [
      toResourceId(service, 'document', sample),
      resourceIds,
      others.map((id) => (keyType === 'uuid' ? null : id)),
    ],
  )
  const shared = moved.filter((_, index) => index % sharedInterval === 0)
  await daikon.shareMany([
    { resource: folder('left'), grantee: subjects.leftViewer, grant: 'view' },
    { resource: folder('entered'), grantee: subjects.enteredViewer, grant: 'view' },
    ...shared.map((id) => ({
      resource: document(id),
      grantee: subjects.direct,
      grant: 'view' as const,
    })),
  ])
  await copy.pool.query(
    `insert into documents
    select id::${keyType}, case when id = any($2) then 'other' else 'moved' end || md5(id)
    from unnest($1::text[]) id`,
    [ids, [inLeft, inEntered]],
  )
  await copy.pool.query('create index on documents (title, id)')
  await copy.settle(follower)
  return { copy, daikon, follower, subjects, workspaceId, inLeft, inEntered, moved, shared }
}

/** Runs a function until it is stopped. Returns how often it ran. */
function keepRunning(run: () => Promise<void>): () => Promise<number> {
  let isStopped = false
  const runs = (async () => {
    let count = 0
    for (; !isStopped; count += 1) await run()
    return count
  })()
  return () => {
    isStopped = true
    return runs
  }
}

for (const [keyType, create] of Object.entries(createId))
  test.serial(`lists stay complete while a tree moves, with keys of type ${keyType}`, async (t) => {
    t.timeout(300_000)
    const ids = Array.from({ length: movedCount + 2 }, (_, index) => create(index + 1))
    const world = await createWorld(t, keyType as KeyType, ids)
    const { copy, daikon, follower, subjects, workspaceId, moved, shared } = world
    const { leftViewer, enteredViewer, direct, owner } = subjects
    const visible = (subject: Subject, rows?: number) =>
      follower.access.visible(subject, 'view', 'document', { rows, workspaceId })
    const { rows: titles } = await copy.pool.query(
      'select id::text from documents order by title, documents.id',
    )
    const inOrder: string[] = titles.map(({ id }) => id)
    const problems = new Set<string>()
    /** How many of the moved documents each of the two sees, whenever that has changed. */
    const seen: string[] = []

    /** Requires that each document is seen by exactly one of the two, in one snapshot. */
    async function compareViewers(): Promise<void> {
      const [left, entered] = [await visible(leftViewer), await visible(enteredViewer)]
      const { rows } = await copy.pool.query(
        `select count(*) filter (where is_left)::int as left, count(*) filter (where is_entered)::int as entered,
          count(*) filter (where is_left = is_entered)::int as wrong
        from (
          select ${left.sql('d.id', '$1')} as is_left, ${entered.sql('d.id', '$2')} as is_entered
          from documents d where d.title like 'moved%') seen`,
        [left.keys, entered.keys],
      )
      const counts = `${rows[0].left} and ${rows[0].entered}`
      if (rows[0].wrong > 0) problems.add(`${rows[0].wrong} documents are seen by both or neither`)
      if (seen.at(-1) !== counts) seen.push(counts)
    }

    /** Requires that pages of a subject contain what is expected. */
    async function readPages(subject: Subject, expected: string[], title: string): Promise<void> {
      for (const page of [1, 2, 4]) {
        const list = await visible(subject, 20 * page)
        const rows = await list.page<{ id: string }>(({ sql, keys }) => ({
          text: `select d.id::text as id from documents d where ${sql('d.id', '$1')}
            order by d.title, d.id limit 20 offset $2`,
          values: [keys, 20 * (page - 1)],
        }))
        const found = rows.map(({ id }) => id).join()
        if (found !== expected.slice(20 * (page - 1), 20 * page).join())
          problems.add(`page ${page} of ${title} is ${found}`)
      }
    }

    await compareViewers()
    const stops = [
      keepRunning(compareViewers),
      keepRunning(() =>
        readPages(
          direct,
          inOrder.filter((id) => shared.includes(id)),
          'direct',
        ),
      ),
      keepRunning(() => readPages(owner, inOrder, 'the owner')),
    ]
    await daikon.setParent(folder('moving'), folder('entered'))
    await copy.settle(follower)
    const counts = await Promise.all(stops.map((stop) => stop()))
    await compareViewers()
    t.deepEqual([...problems], [])
    t.is(seen[0], `${movedCount} and 0`)
    t.is(seen.at(-1), `0 and ${movedCount}`)
    // Usually the copy was also read while a part had moved.
    t.log(`${counts.join(', ')} reads; ${seen.join('; ')}`)

    const expected: [Subject, string[]][] = [
      [leftViewer, [world.inLeft]],
      [enteredViewer, [world.inEntered, ...moved]],
      [direct, shared],
      [owner, ids],
    ]
    for (const [subject, all] of expected) {
      const accessible: string[] = []
      for await (const id of daikon.accessible(subject, 'view', 'document', { workspaceId }))
        accessible.push(id)
      t.deepEqual(accessible.toSorted(), all.toSorted())
      t.deepEqual((await copy.list(follower, subject)).toSorted(), all.toSorted())
    }
    t.deepEqual((await copy.findDifferences(follower)).differences, [])
    t.deepEqual(follower.failures, [])
  })
