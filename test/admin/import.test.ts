import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { activityOf } from '../support/activity.ts'
import { hireAdmin } from '../support/admin.ts'
import type { Door, Ending } from '../support/doors.ts'
import { answered, refused } from '../support/ending.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
const other = await world.another()
const { pool, seed } = world
const boss = await hireAdmin(world)
test.after.always(() => world.stop())

const newAddress = () => `${randomUUID()}@example.com`

/** A workspace with an owner, and what files do to it. */
async function openHouse(door: Door) {
  const workspace = await seed.workspace()
  const slug = `w-${workspace}`
  const owner = await seed.person(workspace, 'owner')
  const send = (method: string, csv: string) => boss.call(door, method, { csv })
  return {
    ...{ workspace, slug, owner },
    preview: (csv: string) => send('PreviewCsvImport', csv),
    execute: (csv: string) => send('ExecuteCsvImport', csv),
    /** E-mail, name, role, whether joined, and groups, by e-mail. */
    members: async () => {
      const { rows } = await pool.query(
        `select u.email, u.name, m.role, m.joined_at is not null as joined,
           array(select g.name from group_members x join groups g on g.id = x.group_id
             where x.user_id = u.id and x.workspace_id = m.workspace_id order by 1) as groups
         from members m join users u on u.id = m.user_id where m.workspace_id = $1`,
        [workspace],
      )
      return Object.fromEntries(rows.map(({ email, ...row }) => [email, row]))
    },
  }
}

/** A file of these rows. */
const file = (...rows: string[]) =>
  ['email,name,workspace_slug,role,groups', ...rows].map((row) => `${row}\n`).join('')

async function userId(email: string): Promise<string> {
  const { rows } = await pool.query('select id from users where email = $1', [email])
  return rows[0]?.id
}

async function emailOf(id: string): Promise<string> {
  const { rows } = await pool.query('select email from users where id = $1', [id])
  return rows[0].email
}

/** Everything that an import can touch, but for what tells of time. */
async function everything(): Promise<string> {
  const tables = ['users', 'members', 'groups', 'group_members', 'activity', 'workspaces']
  const parts = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await pool.query(
        `select md5(string_agg(to_jsonb(t)::text, '' order by to_jsonb(t)::text)) from ${table} t`,
      )
      return rows[0].md5
    }),
  )
  return parts.join()
}

const messages = (ending: Ending) =>
  refused(ending).problems.map(({ field, message }) => `${field} ${message}`)

for (const door of world.doors) {
  const through = `through ${door.name}`

  test.serial(
    `a preview tells what every row would do and changes nothing ${through}`,
    async (t) => {
      const { preview, slug, owner, workspace } = await openHouse(door)
      const [ann, bo] = [newAddress(), newAddress()]
      const editor = await seed.person(workspace, 'editor', 'ed')
      const group = `g-${randomUUID()}`
      await seed.group(workspace, [editor], group)
      const before = await everything()
      const report = answered(
        await preview(
          file(
            `${ann},Ann,${slug},,`,
            ` ${bo.toUpperCase()} ,,${slug},admin,${group}; New ;New;`,
            `${await emailOf(editor)},,${slug},viewer,${group};Newer`,
            `${await emailOf(owner)},,${slug},,`,
            `nobody,x,${slug},boss,`,
          ),
        ),
      )
      t.is(await everything(), before)
      t.deepEqual(report, {
        columns: ['email', 'name', 'workspace_slug', 'role', 'groups'],
        summary: { rows: 5, create: 2, update: 1, unchanged: 1, errors: 1 },
        omitted: 0,
        rows: [
          {
            ...{ line: 2, email: ann, action: 'create', errors: [] },
            changes: [
              { field: 'user', from: '', to: ann },
              { field: 'name', from: '', to: 'Ann' },
              { field: 'role', from: '', to: 'viewer' },
            ],
          },
          {
            ...{ line: 3, email: bo, action: 'create', errors: [] },
            changes: [
              { field: 'user', from: '', to: bo },
              { field: 'role', from: '', to: 'admin' },
              { field: 'new_groups', from: '', to: 'New' },
              { field: 'groups', from: '', to: `${group};New` },
            ],
          },
          {
            ...{ line: 4, email: await emailOf(editor), action: 'update', errors: [] },
            changes: [
              { field: 'role', from: 'editor', to: 'viewer' },
              { field: 'new_groups', from: '', to: 'Newer' },
              { field: 'groups', from: group, to: `${group};Newer` },
            ],
          },
          {
            ...{ line: 5, email: await emailOf(owner), action: 'unchanged', errors: [] },
            changes: [],
          },
          {
            ...{ line: 6, email: 'nobody', action: 'error', changes: [] },
            errors: [
              { field: 'email', message: 'must be an e-mail address' },
              { field: 'role', message: 'must be one of viewer, editor, admin, owner' },
            ],
          },
        ],
      })
    },
  )

  test.serial(
    `an import does what its preview told, recorded, and again nothing ${through}`,
    async (t) => {
      const { preview, execute, slug, workspace, members } = await openHouse(door)
      const [ann, bo] = [newAddress(), newAddress()]
      const id = await seed.person(workspace, 'editor', 'ed')
      const ed = await emailOf(id)
      const csv = file(
        `${ann},=1+1,${slug},,Writers`,
        `${bo},Bo,${slug},owner,Readers;Writers`,
        `${ed},Eddie,${slug},admin,Readers`,
      )
      const told = answered(await preview(csv))
      t.deepEqual(answered(await execute(csv)), told)
      const now = await members()
      t.deepEqual(now[ann], { name: '=1+1', role: 'viewer', joined: false, groups: ['Writers'] })
      t.deepEqual(now[bo], {
        ...{ name: 'Bo', role: 'owner', joined: false },
        groups: ['Readers', 'Writers'],
      })
      t.deepEqual(now[ed], { name: 'Eddie', role: 'admin', joined: true, groups: ['Readers'] })

      const entry = (action: string, detail: object) => ({
        ...{ action, target_type: 'user', actor_id: boss.id, detail },
        workspace_id: action === 'user.renamed' ? null : workspace,
      })
      t.deepEqual(await activityOf(pool, await userId(ann)), [
        entry('member.invited', { email: ann, role: 'viewer' }),
      ])
      t.deepEqual(await activityOf(pool, id), [
        entry('user.renamed', { from: 'ed', to: 'Eddie' }),
        entry('member.role_changed', { from: 'editor', to: 'admin' }),
      ])
      const { rows: groups } = await pool.query(
        'select id, name, created_by from groups where workspace_id = $1 order by name',
        [workspace],
      )
      t.deepEqual(
        groups.map(({ name, created_by }) => [name, created_by]),
        [
          ['Readers', boss.id],
          ['Writers', boss.id],
        ],
      )
      const ofGroup = await activityOf(pool, groups[1].id)
      t.deepEqual(
        ofGroup.map(({ action, detail }) => [action, detail.name]),
        [
          ['group.created', 'Writers'],
          ['group.members_added', 'Writers'],
        ],
      )
      const added = ofGroup.at(-1)?.detail.user_ids.split(' ').sort()
      t.deepEqual(added, [await userId(ann), await userId(bo)].sort())
      const sum = { rows: '3', created: '2', updated: '1' }
      const { rows } = await pool.query(
        `select actor_id, target_type, detail from activity where action = 'import.executed'
       order by id desc limit 1`,
      )
      t.deepEqual(rows, [{ actor_id: boss.id, target_type: 'import', detail: sum }])

      const before = await everything()
      const again = answered(await execute(csv))
      t.deepEqual(again.summary, { rows: 3, create: 0, update: 0, unchanged: 3, errors: 0 })
      t.is(await everything(), before)
    },
  )

  test.serial(
    `a file with one bad row is refused as a whole: 422 with the rows’ errors ${through}`,
    async (t) => {
      const { execute, slug } = await openHouse(door)
      const before = await everything()
      const long = 'x'.repeat(201)
      const bad: [row: string, problem: string][] = [
        [`a@example.com,,${slug},`, ' has 4 cells where the header has 5'],
        [`a@example.com,,${slug},,,`, ' has 6 cells where the header has 5'],
        [`,,${slug},,`, '.email is required'],
        [`a@b@example.com,,${slug},,`, '.email must be an e-mail address'],
        [`a\uff20example.com,,${slug},,`, '.email must be an e-mail address'],
        [`a@example.com.,,${slug},,`, '.email must be an e-mail address'],
        [`"""a""@example.com",,${slug},,`, '.email must be an e-mail address'],
        [`a@example.com\0,,${slug},,`, '.email must have no control characters'],
        [`a@example.com,a\0b,${slug},,`, '.name must have no control characters'],
        [`a@example.com,"a\nb",${slug},,`, '.name must have no control characters'],
        [`a@example.com,,${slug},,a\u0007;b`, '.groups must have no control characters'],
        [`a@example.com,${long},${slug},,`, '.name must have 200 characters at most'],
        [`a@example.com,,${slug},,${long}`, '.groups must have 200 characters each at most'],
        [
          `a@example.com,,${slug},,${Array.from({ length: 101 }, (_, at) => at).join(';')}`,
          '.groups must be 100 at most',
        ],
        ['a@example.com,,,,', '.workspace_slug is required'],
        ['a@example.com,,nowhere,,', '.workspace_slug is the slug of no workspace'],
        [`a@example.com,,%,,`, '.workspace_slug is the slug of no workspace'],
        [`a@example.com,,${slug},Owner,`, '.role must be one of viewer, editor, admin, owner'],
      ]
      for (const [row, problem] of bad) {
        const ending = await execute(file(`good@example.com,,${slug},,`, row))
        t.like(refused(ending), {
          ...{ kind: 'invalid', reason: 'ROWS_HAVE_ERRORS' },
          detail: '1 of 2 rows have errors; nothing is imported',
        })
        t.deepEqual(messages(ending), [`csv[3]${problem}`], row)
      }
      t.is(await everything(), before)
    },
  )

  test(`a file whose rows cannot be told is 422 ${through}`, async (t) => {
    const { preview, slug } = await openHouse(door)
    const row = `a@example.com,${slug}\n`
    for (const [csv, problem] of [
      ['\n', 'csv has no header'],
      [row, 'csv has an unknown column: "a@example.com"'],
      [`email;workspace_slug\n${row}`, 'csv has an unknown column: "email;workspace_slug"'],
      [`email,workspace_slug,__proto__\n${row}`, 'csv has an unknown column: "__proto__"'],
      [`email,workspace_slug,constructor\n${row}`, 'csv has an unknown column: "constructor"'],
      [`email,workspace_slug,\n${row}`, 'csv has an unknown column: ""'],
      [`email,workspace_slug,email\n${row}`, 'csv repeats the column "email"'],
      [`email,name\n${row}`, 'csv lacks the column workspace_slug'],
      [`workspace_slug\n${row}`, 'csv lacks the column email'],
      [`email,workspace_slug\n"${row}`, 'csv has, on line 2, a quote out of place'],
      [`email,workspace_slug\n"a"b,${slug}\n`, 'csv has, on line 2, a quote out of place'],
      [
        `email,workspace_slug\n"${'x\n'.repeat(100_000)}`,
        'csv has, on line 32770, more than 65536 characters in a row, or a quote that nobody closes',
      ],
    ] as const) {
      const ending = await preview(csv)
      t.is(refused(ending).reason, 'INVALID_REQUEST')
      t.true(messages(ending).includes(problem), `${messages(ending)}`)
    }
    t.deepEqual(messages(await preview('')), ['csv is required'])
  })

  test(`columns stand in any order, some may lack; BOM, CRLF and quotes are read ${through}`, async (t) => {
    const { execute, slug, members } = await openHouse(door)
    const [ann, bo, cy] = [newAddress(), newAddress(), newAddress()]
    const csv = `\ufeffworkspace_slug,"email", name \r\n${slug},${ann},"A ""quoted"", name"\r\n\r\n"${slug}",${bo},ёж 𝕏\r\n`
    const report = answered(await execute(csv))
    t.deepEqual(report.columns, ['workspace_slug', 'email', 'name'])
    t.deepEqual(
      report.rows.map(({ line }: any) => line),
      [2, 4],
    )
    t.is((await members())[ann].name, 'A "quoted", name')
    t.is((await members())[bo].name, 'ёж 𝕏')
    answered(await execute(`email,workspace_slug\r${cy},${slug}`))
    t.is((await members())[cy].role, 'viewer')
    t.deepEqual(answered(await execute('email,workspace_slug\n')).summary.rows, 0)
  })

  test(`an import only adds: empty cells leave name, role and groups alone ${through}`, async (t) => {
    const { execute, slug, workspace, members } = await openHouse(door)
    const id = await seed.person(workspace, 'editor', 'ed')
    await seed.group(workspace, [id], 'Writers')
    const ed = await emailOf(id)
    const { summary } = answered(await execute(file(`${ed},,${slug},,`)))
    t.is(summary.unchanged, 1)
    answered(await execute(file(`${ed},,${slug},,Readers`)))
    t.deepEqual(await members().then((all) => all[ed]), {
      ...{ name: 'ed', role: 'editor', joined: true },
      groups: ['Readers', 'Writers'],
    })
  })

  test(`somebody in several rows and workspaces is one person; rows may not contradict ${through}`, async (t) => {
    const { execute, slug, members } = await openHouse(door)
    const there = await openHouse(door)
    const ann = newAddress()
    const csv = file(
      `${ann},,${slug},,One`,
      `${ann.toUpperCase()},Ann,${there.slug},admin,One`,
      `${ann},Ann,${slug},editor,Two`,
      `${ann},,${slug},,One;Two`,
    )
    const { rows } = answered(await execute(csv))
    t.deepEqual(
      rows.map(({ action }: any) => action),
      ['create', 'create', 'update', 'unchanged'],
    )
    t.deepEqual((await members())[ann], {
      ...{ name: 'Ann', role: 'editor', joined: false },
      groups: ['One', 'Two'],
    })
    t.like((await there.members())[ann], { role: 'admin', groups: ['One'] })
    t.is((await activityOf(pool, await userId(ann))).length, 2)
    t.is(answered(await execute(csv)).summary.unchanged, 4)

    const other = file(
      `${ann},Ann,${slug},editor,`,
      `${ann},Anne,${there.slug},,`,
      `${ann},,${slug},viewer,`,
    )
    t.deepEqual(messages(await execute(other)), [
      'csv[3].name is another one on line 2',
      'csv[4].role is another one on line 2',
    ])
  })

  test(`the last owner cannot be demoted; another joined one may stand in ${through}`, async (t) => {
    const { execute, preview, slug, owner, workspace, members } = await openHouse(door)
    const email = await emailOf(owner)
    const problem = 'would leave the workspace without an owner'
    const demote = `${email},,${slug},admin,`
    t.deepEqual(messages(await execute(file(demote))), [`csv[2].role ${problem}`])
    const [row] = answered(await preview(file(demote))).rows
    t.like(row, { action: 'error', changes: [] })
    // An invitation to own may never be answered.
    t.is(refused(await execute(file(`${newAddress()},,${slug},owner,`, demote))).kind, 'invalid')
    const editor = await emailOf(await seed.person(workspace, 'editor'))
    answered(await execute(file(demote, `${editor},,${slug},owner,`)))
    t.is((await members())[email].role, 'admin')
    t.is((await members())[editor].role, 'owner')
  })

  test(`two imports that each demote the other’s owner, 20 times: one owner stays ${through}`, async (t) => {
    const elsewhere = other.doors.find(({ name }) => name === door.name) ?? door
    for (let round = 0; round < 20; round += 1) {
      const { execute, slug, owner, workspace, members } = await openHouse(door)
      const second = await seed.person(workspace, 'owner')
      const demote = async (id: string) => file(`${await emailOf(id)},,${slug},viewer,`)
      const [one, two] = [await demote(owner), await demote(second)]
      const token = await world.token(second, workspace)
      const rival =
        round % 2 === 0
          ? boss.call(elsewhere, 'ExecuteCsvImport', { csv: two })
          : elsewhere.call('RemoveMember', { workspace_id: workspace, user_id: second }, { token })
      const endings = await Promise.all([execute(one), rival])
      t.is(endings.filter(({ ok }) => ok).length, 1)
      const roles = Object.values(await members()).map(({ role }: any) => role)
      t.is(roles.filter((role) => role === 'owner').length, 1)
    }
  })

  test(`the same people imported by ten at once, in opposite orders: one makes them, none fails ${through}`, async (t) => {
    const { slug, members } = await openHouse(door)
    const there = await openHouse(door)
    const rows = Array.from({ length: 300 }, (_, at) => {
      const place = at % 2 === 0 ? slug : there.slug
      return `${newAddress()},Name ${at},${place},editor,G${at % 7}`
    })
    const endings = await Promise.all(
      Array.from({ length: 10 }, (_, at) => {
        const csv = file(...(at % 2 === 0 ? rows : rows.toReversed()))
        const node = at % 3 === 0 ? other : world
        const by = node.doors.find(({ name }) => name === door.name) ?? door
        return boss.call(by, 'ExecuteCsvImport', { csv })
      }),
    )
    const created = endings.map((ending) => answered(ending).summary.create)
    t.deepEqual(created.toSorted(), [...Array(9).fill(0), 300])
    t.is(Object.keys(await members()).length, 151)
    t.is(Object.keys(await there.members()).length, 151)
  })

  test(`a header of half a character is told as well as may be ${through}`, async (t) => {
    const { preview } = await openHouse(door)
    const name = `${'x'.repeat(99)}😀`
    for (const header of [`${name},${name},email,workspace_slug`, `email,workspace_slug,${name}`])
      t.regex(messages(await preview(`${header}\n`))[0] ?? '', /has an unknown column: "x{99}/)
  })

  test(`a group of the file that is deleted meanwhile: nothing is imported ${through}`, async (t) => {
    const { execute, slug, workspace, members } = await openHouse(door)
    const group = await seed.group(workspace, [])
    const { rows } = await pool.query('select name from groups where id = $1', [group])
    const email = newAddress()
    const deleting = await pool.connect()
    await deleting.query('begin')
    await deleting.query('delete from groups where id = $1', [group])
    const [{ pid }] = (await deleting.query('select pg_backend_pid() pid')).rows
    const ending = execute(file(`${email},,${slug},viewer,${rows[0].name}`))
    const waiting = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))'
    while ((await pool.query(waiting, [pid])).rowCount === 0) await setImmediate()
    await deleting.query('commit')
    deleting.release()
    t.like(await ending, { ok: false, kind: 'conflict', reason: 'CHANGED_MEANWHILE' })
    t.false(Object.hasOwn(await members(), email))
  })

  test(`100,000 bad rows: the first 1,000 are listed and all are counted ${through}`, async (t) => {
    const { preview, execute, slug } = await openHouse(door)
    const csv = file(`${newAddress()},,${slug},,`, 'x,\n'.repeat(99_999).trimEnd(), 'a,b,c')
    const report = answered(await preview(csv))
    t.deepEqual(report.summary, {
      rows: 100_001,
      create: 1,
      update: 0,
      unchanged: 0,
      errors: 100_000,
    })
    t.is(report.rows.length, 1000)
    t.is(report.omitted, 99_001)
    t.like(report.rows[0], { line: 3, action: 'error' })
    t.is(report.rows[999].line, 1002)
    const fault = refused(await execute(csv))
    t.is(fault.detail, '100000 of 100001 rows have errors; nothing is imported')
    t.true(fault.problems.length >= 20)
    if (door.name === 'rest') t.is(fault.problems.length, 1000)
  })

  test(`who is no administrator imports nothing ${through}`, async (t) => {
    const { slug, owner, workspace } = await openHouse(door)
    const csv = file(`${newAddress()},,${slug},,`)
    const token = await world.token(owner, workspace)
    for (const method of ['PreviewCsvImport', 'ExecuteCsvImport']) {
      t.is(refused(await door.call(method, { csv })).kind, 'unauthenticated')
      t.is(refused(await door.call(method, { csv }, { token })).kind, 'unauthenticated')
    }
  })
}

test.after.always('nothing was a fault of ours', (t) => {
  for (const f of [...world.failures, ...other.failures]) console.error(f.cause)
  t.deepEqual([...world.failures, ...other.failures], [])
})
