import { randomUUID } from 'node:crypto'
import test from 'ava'
import { openDatabase } from '../../src/database/database.ts'
import { createEngine } from '../../src/permissions/engine/engine.ts'
import { decide } from '../../src/permissions/engine/facts.ts'
import { cloneDatabase } from '../support/database.ts'
import { type DelegationRow, insertDelegation } from '../support/delegation-rows.ts'
import { createSeed } from '../support/seed.ts'

const clone = await cloneDatabase()
const database = await openDatabase(clone.url, () => {})
const seed = createSeed(clone.pool)
test.after.always(async () => {
  await database.close()
  await clone.drop()
})

/** The engine without memory, and with it: facts are then read twice, the second time from memory. */
const engines = {
  'without memory': createEngine(database, { keysRequired: false }),
  'with memory': createEngine(database, { keysRequired: false, maxFactsCacheBytes: 8_000_000 }),
}

const sql = (text: string, ...values: unknown[]) => clone.pool.query(text, values)

/** A workspace whose editor owns a document and a folder with a document in it. */
async function createScene() {
  const service = `docs-${randomUUID()}`
  const { rows } = await sql(
    `insert into resource_kinds (service_name, resource_type)
     values ($1, 'document'), ($1, 'folder') returning id, resource_type`,
    service,
  )
  const kinds: Record<string, number> = Object.fromEntries(
    rows.map(({ id, resource_type }) => [resource_type, id]),
  )
  const workspace = await seed.workspace()
  const editor = await seed.newMember(workspace, 'editor')
  await seed.serviceAction(service, 'publish')
  /** Registers a resource. Its `permission_id` is also its ID. */
  async function register(
    type: string,
    {
      parent,
      owner = editor,
      of = workspace,
      id = randomUUID(),
      visibility = 'private',
    }: {
      parent?: string
      owner?: string
      of?: string
      id?: string
      visibility?: string
    } = {},
  ): Promise<string> {
    await sql(
      `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, parent_id, visibility)
       values ($1, $2, $1, $3, $4, $5, $6)`,
      ...[id, kinds[type], of, owner, parent, visibility],
    )
    if (parent) await sql('update resources set is_parent = true where id = $1', parent)
    return id
  }
  const document = await register('document')
  const folder = await register('folder')
  const below = await register('document', { parent: folder })
  const delegate = (row: Partial<DelegationRow> = {}) =>
    insertDelegation(clone.pool, {
      ...{ user_id: editor, workspace_id: workspace, service_name: service, ...row },
    })
  return { service, kinds, workspace, editor, register, document, folder, below, delegate }
}

type Scene = Awaited<ReturnType<typeof createScene>>

/** Whether the delegation allows an action, as a subject and as a caller; both must agree. */
async function isAllowed(
  { service, workspace, editor }: Scene,
  delegationId: string,
  action: string,
  resourceId: string,
  resourceType = 'document',
): Promise<boolean> {
  const check = { serviceName: service, resourceType, resourceId, action }
  const answers: boolean[] = []
  for (const engine of Object.values(engines))
    for (let time = 0; time < 2; time += 1) {
      const [bits] = await engine.loadBits([{ ...check, subject: { delegationId } }])
      const caller = { userId: editor, workspaceId: workspace, delegationId }
      const { status, facts } = await engine.ask(caller, () => ({ checks: [check] }))
      answers.push(decide(action, bits), decide(action, facts?.bits[0]))
      if (!status.userActive) throw new Error('the user of the delegation is active')
    }
  if (new Set(answers).size > 1) throw new Error(`answers differ: ${answers}`)
  return answers[0] === true
}

test('a delegation covers actions by name, and never manage without a list', async (t) => {
  const scene = await createScene()
  const { document, delegate } = scene
  const allowed = async (row: Partial<DelegationRow>) => {
    const id = await delegate(row)
    const answers = ['view', 'edit', 'manage', 'publish'].map(async (action) =>
      (await isAllowed(scene, id, action, document)) ? action : [],
    )
    return (await Promise.all(answers)).flat()
  }
  t.deepEqual(await allowed({ actions: ['edit'] }), ['edit'])
  t.deepEqual(await allowed({ actions: ['manage', 'view'] }), ['view', 'manage'])
  t.deepEqual(await allowed({ resource_types: ['document'] }), ['view', 'edit', 'publish'])
  t.deepEqual(await allowed({ actions: ['view', 'manage'], resource_types: ['folder'] }), [])
})

test('a resource of a delegation stands for what inherits from it', async (t) => {
  const scene = await createScene()
  const { document, folder, below, delegate, register } = scene
  const nested = await register('folder', { parent: folder })
  const deep = await register('document', { parent: nested })
  const id = await delegate({ resources: [folder] })
  t.true(await isAllowed(scene, id, 'view', folder, 'folder'))
  t.true(await isAllowed(scene, id, 'edit', below))
  t.true(await isAllowed(scene, id, 'edit', deep))
  t.false(await isAllowed(scene, id, 'view', document))
  await sql('update resources set inherits = false where id = $1', nested)
  t.false(await isAllowed(scene, id, 'view', deep))
  t.true(await isAllowed(scene, id, 'view', below))
  await sql('update resources set parent_id = null where id = $1', below)
  t.false(await isAllowed(scene, id, 'view', below))
})

test('a delegation allows nothing that its user may not do', async (t) => {
  const scene = await createScene()
  const { workspace, register, delegate, document, editor } = scene
  const other = await seed.newMember(workspace)
  const hidden = await register('document', { owner: other })
  const id = await delegate({ actions: ['view', 'edit', 'manage'] })
  t.false(await isAllowed(scene, id, 'view', hidden))
  t.true(await isAllowed(scene, id, 'manage', document))
  await sql('update resources set owner_id = $2 where id = $1', document, other)
  t.false(await isAllowed(scene, id, 'view', document))
  await sql(
    `insert into shares (id, kind_id, resource_id, workspace_id, user_id, permission)
     select gen_random_uuid(), kind_id, resource_id, workspace_id, $2, 'view'
     from resources where id = $1`,
    document,
    editor,
  )
  t.true(await isAllowed(scene, id, 'view', document))
  t.false(await isAllowed(scene, id, 'edit', document))
})

test('a delegation covers neither another service nor another workspace, not even what is public', async (t) => {
  const scene = await createScene()
  const { service, kinds, editor, document, delegate, register } = scene
  await sql(
    `insert into resource_types (id, kind_id, description, allow_public) values ($1, $2, '', true)`,
    ...[randomUUID(), kinds.document],
  )
  const other = await seed.workspace()
  await seed.member(other, editor, 'owner')
  const foreign = await register('document', { of: other, visibility: 'public' })
  const own = await register('document', { visibility: 'public' })
  const id = await delegate()
  t.true(await isAllowed(scene, id, 'view', own))
  t.false(await isAllowed(scene, id, 'view', foreign))
  const elsewhere = await delegate({ service_name: `${service}x` })
  t.false(await isAllowed(scene, elsewhere, 'view', own))
  t.false(await isAllowed(scene, elsewhere, 'view', document))
  t.false(await isAllowed(scene, id, 'view', randomUUID()))
})

test('a delegation counts while it is live and its user is a member', async (t) => {
  const scene = await createScene()
  const { document, delegate, editor, workspace } = scene
  const ended = await delegate({ ended_at: new Date() })
  t.false(await isAllowed(scene, ended, 'view', document))
  const expired = await delegate({ expires_at: new Date(Date.now() - 1000) })
  t.false(await isAllowed(scene, expired, 'view', document))
  const id = await delegate()
  t.true(await isAllowed(scene, id, 'view', document))
  await sql('update delegations set ended_at = now() where id = $1', id)
  t.false(await isAllowed(scene, id, 'view', document))
  const next = await delegate()
  t.true(await isAllowed(scene, next, 'view', document))
  await sql('delete from members where user_id = $1 and workspace_id = $2', editor, workspace)
  t.false(await isAllowed(scene, next, 'view', document))
})

test('a membership that ends by time ends what its delegations allow, also of what is public', async (t) => {
  const scene = await createScene()
  const { kinds, editor, register, delegate } = scene
  await sql(
    `insert into resource_types (id, kind_id, description, allow_public) values ($1, $2, '', true)`,
    ...[randomUUID(), kinds.document],
  )
  const open = await register('document', { visibility: 'public' })
  const id = await delegate()
  t.true(await isAllowed(scene, id, 'view', open))
  await sql('update members set expires_at = now() where user_id = $1', editor)
  t.false(await isAllowed(scene, id, 'view', open))
  await sql('update members set expires_at = null where user_id = $1', editor)
  t.false(await isAllowed(scene, id, 'view', open))
  t.true(await isAllowed(scene, await delegate(), 'view', open))
})

test('users and delegations do not get the facts of each other from memory', async (t) => {
  const scene = await createScene()
  const { service, workspace, editor, document, delegate } = scene
  const check = { serviceName: service, resourceType: 'document', resourceId: document }
  const [viewing, editing] = [await delegate(), await delegate({ actions: ['edit'] })]
  const caller = { userId: editor, workspaceId: workspace, tokenId: randomUUID() }
  const callers = [caller, ...[viewing, editing].map((id) => ({ ...caller, delegationId: id }))]
  const actions = ['view', 'edit']
  for (let time = 0; time < 3; time += 1) {
    const answers: boolean[][] = []
    for (const one of callers) {
      const checks = actions.map((action) => ({ ...check, action }))
      const { facts } = await engines['with memory'].ask(one, () => ({ checks }))
      answers.push(actions.map((action, index) => decide(action, facts?.bits[index])))
    }
    t.deepEqual(answers, [
      [true, true],
      [true, false],
      [false, true],
    ])
  }
})

test('an unknown delegation allows nothing', async (t) => {
  const { service, document, workspace, delegate } = await createScene()
  const check = { serviceName: service, resourceType: 'document', resourceId: document }
  const elsewhere = { delegationId: await delegate(), workspaceId: await seed.workspace() }
  const within = { delegationId: elsewhere.delegationId, workspaceId: workspace }
  for (const engine of Object.values(engines)) {
    const subjects = [{ delegationId: randomUUID() }, elsewhere, within]
    const bits = await engine.loadBits(
      subjects.map((subject) => ({ ...check, action: 'view', subject })),
    )
    t.deepEqual(
      bits.map((bits) => decide('view', bits)),
      [false, false, true],
    )
  }
})

test('a workspace is covered by name only', async (t) => {
  const scene = await createScene()
  const { workspace, delegate, document } = scene
  const check = async (delegationId: string, action = 'view') => {
    const { editor, service } = scene
    const asked = { serviceName: service, resourceType: 'workspace', action, workspace }
    const checks = [{ ...asked, resourceId: workspace, subject: { delegationId } }]
    const answers: boolean[] = []
    for (const engine of Object.values(engines)) {
      const [bits] = await engine.loadBits(checks)
      const caller = { userId: editor, workspaceId: workspace, delegationId }
      const own = [{ ...asked, resourceId: workspace }]
      const { facts } = await engine.ask(caller, () => ({ checks: own }))
      answers.push(decide(action, bits), decide(action, facts?.bits[0]))
    }
    t.is(new Set(answers).size, 1)
    return answers[0]
  }
  t.true(await check(await delegate({ resource_types: ['workspace'] })))
  t.false(await check(await delegate()))
  t.false(await check(await delegate({ resource_types: ['document'] })))
  t.false(await check(await delegate({ actions: ['edit'], resource_types: ['workspace'] })))
  const named = { resource_types: ['workspace'], resources: [document] }
  t.false(await check(await delegate(named)))
})

test('no check allows anything by a delegation once its end is acknowledged, also from memory', async (t) => {
  t.timeout(120_000)
  const other = await openDatabase(clone.url, () => {})
  t.teardown(() => other.close())
  const results: string[] = []
  const nodes = [database, other].map((node) =>
    createEngine(node, {
      ...{ keysRequired: false, maxFactsCacheBytes: 8_000_000 },
      onCachedQuery: (result) => results.push(result),
    }),
  )
  // A scene for each delegation, because some ways end all delegations of a user or workspace.
  const scenes = await Promise.all(Array.from({ length: 24 }, createScene))
  /** The ways to end a delegation, by its ID. */
  const ends: ((scene: Scene, id: string) => Promise<unknown>)[] = [
    (_, id) => sql('update delegations set ended_at = now() where id = $1', id),
    (_, id) => sql('update delegations set expires_at = now() where id = $1', id),
    (_, id) => sql('delete from delegations where id = $1', id),
    ({ workspace }) => sql('update workspaces set delegations = false where id = $1', workspace),
    ({ editor }) => sql('update users set is_active = false where id = $1', editor),
    ({ editor }) => sql('delete from members where user_id = $1', editor),
  ]
  let hits = 0
  let denials = 0
  const work = scenes.map(async (scene, index) => {
    const { service, document, workspace, editor } = scene
    const delegationId = await scene.delegate()
    const check = { serviceName: service, resourceType: 'document', resourceId: document }
    const asked = { ...check, action: 'view' }
    const caller = { userId: editor, workspaceId: workspace, delegationId }
    let isEnded = false
    let checksAfterEnd = 0
    const ask = async (engine: (typeof nodes)[number], isCaller: boolean) => {
      for (;;) {
        const wasEnded = isEnded
        const [bits] = isCaller
          ? ((await engine.ask(caller, () => ({ checks: [asked] }))).facts?.bits ?? [])
          : await engine.loadBits([{ ...asked, subject: { delegationId } }])
        const isAllowed = decide('view', bits)
        if (isAllowed && wasEnded) throw new Error(`allowed after end ${index % ends.length}`)
        if (isAllowed) hits += 1
        else denials += 1
        if (wasEnded) checksAfterEnd += 1
        if (checksAfterEnd > 40) return
      }
    }
    const end = async () => {
      for (let time = 0; time < 25; time += 1)
        for (const engine of nodes) {
          const [bits] = await engine.loadBits([{ ...asked, subject: { delegationId } }])
          if (!decide('view', bits)) throw new Error('denied before its end')
        }
      await ends[index % ends.length]?.(scene, delegationId)
      isEnded = true
    }
    await Promise.all([...nodes.flatMap((one) => [ask(one, true), ask(one, false)]), end()])
  })
  await Promise.all(work)
  const remembered = results.filter((result) => result === 'hit').length
  t.true(hits > 1000 && denials > 500 && remembered > 1000)
  t.log({ hits, denials, remembered })
})

test('a delegation expires without a change of its row', async (t) => {
  const scene = await createScene()
  const { service, document } = scene
  const expires_at = new Date(Date.now() + 3000)
  const delegationId = await scene.delegate({ expires_at })
  const check = { serviceName: service, resourceType: 'document', resourceId: document }
  const checks = [{ ...check, action: 'view', subject: { delegationId } }]
  /** Whether a check allows the action, and when it began and ended. */
  async function ask() {
    const began = Date.now()
    const [bits] = await engines['with memory'].loadBits(checks)
    return { isAllowed: decide('view', bits), began, ended: Date.now() }
  }
  const asked = [await ask()]
  t.true(asked[0]?.isAllowed)
  while (asked.at(-1)?.isAllowed) asked.push(await ask())
  // The clock of the database is that of this machine, but of another precision.
  const precision = 2
  for (const { isAllowed, began, ended } of asked) {
    if (isAllowed) t.true(began <= expires_at.getTime() + precision)
    else t.true(ended >= expires_at.getTime() - precision)
  }
})

test('a resource that is registered again is not covered', async (t) => {
  const scene = await createScene()
  const { service, kinds, workspace, editor, delegate } = scene
  const resource = randomUUID()
  const register = async () => {
    const id = randomUUID()
    await sql(
      `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
       values ($1, $2, $3, $4, $5, 'private')`,
      ...[id, kinds.document, resource, workspace, editor],
    )
    return id
  }
  const first = await register()
  const id = await delegate({ resources: [first] })
  t.true(await isAllowed(scene, id, 'view', resource))
  await sql('delete from resources where kind_id = $1', kinds.document)
  t.false(await isAllowed(scene, id, 'view', resource))
  // The type is removed with its last resource, and registered again with the same ID.
  await sql('delete from resource_kinds where id = $1', kinds.document)
  const { rows } = await sql(
    `insert into resource_kinds (service_name, resource_type) values ($1, 'document') returning id`,
    service,
  )
  kinds.document = rows[0].id
  const second = await register()
  t.false(await isAllowed(scene, id, 'view', resource))
  const { rows: stored } = await sql('select resources from delegations where id = $1', id)
  t.not(stored[0].resources, null)
  t.true(await isAllowed(scene, await delegate({ resources: [second] }), 'view', resource))
})
