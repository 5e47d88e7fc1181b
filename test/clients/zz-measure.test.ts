import test from 'ava'
import { createAccess } from '../../clients/typescript/src/access.ts'
import { createDocuments } from '../support/accepts-column.ts'
import { begin, bookmark, createScriptedDaikon, upsert, uuid } from '../support/access-script.ts'
import { cloneDatabase } from '../support/database.ts'
import { waitUntil } from '../support/wait-until.ts'

test('measure', async (t) => {
  t.timeout(550_000)
  const { pool, drop } = await cloneDatabase()
  await createDocuments(pool, 'uuid')
  const total = 200_000
  await pool.query(`insert into documents select ('00000000-0000-4000-9000-' || lpad(to_hex(n), 12, '0'))::uuid,
    md5(n::text) from generate_series(1, ${total}) n`)
  await pool.query('create index on documents (title, id)')
  await pool.query('vacuum analyze documents')
  const script = createScriptedDaikon()
  const many = Array.from({ length: 30 }, (_, n) => `other${n}`)
  for (const [name, size] of [['half', 1], ['tenth', 1], ['half30', 30]] as const)
    script.hold(name, [{ holders: [name.replace('30', ''), ...many.slice(0, size - 1)], levels: ['view', 'edit'] }])
  const access = createAccess({ daikon: script.daikon, pool, types: { document: 'uuid' }, columns: { document: 'documents.daikon_accepts' } })
  t.teardown(drop)
  t.teardown(() => access.close())
  const failures: string[] = []
  const began = Date.now()
  void access.follow({ onDisconnect: (e) => failures.push(e.message) })
  script.send(begin)
  for (let n = 1; n <= total; n += 1) {
    const own = [`owner${n % 5000}/owner`, `p${n % 700}/view`, `p${n % 900}/edit`, 'admin/view']
    if (n % 2 === 0) own.push('half/view')
    if (n % 10 === 0) own.push('tenth/view')
    for (let k = 0; k < 29; k += 1) if (n % 2 === 0 && n % 1000 === k * 2) own.push(`other${k}/view`)
    script.send(upsert(uuid(n), own))
  }
  script.send(bookmark(1))
  await access.waitFor('aaaaaaaaaaaa-1', { timeoutMs: 500_000 })
  t.log(`filled in ${Date.now() - began} ms`, failures)
  await waitUntil(async () => {
    const { rows } = await pool.query(`select (select follower = (select follower from daikon_access.columns) and swept = generation from daikon_access.state) as ok`)
    return rows[0].ok
  })
  t.log(`columns kept after ${Date.now() - began} ms`)
  await pool.query('vacuum analyze documents')
  await pool.query('vacuum analyze daikon_access.resources_document')
  const client = await pool.connect()
  for (const user of ['half', 'half30', 'tenth'])
    for (const offset of [0, 120, 2000]) {
      const visible = await access.visible({ userId: user }, 'view', 'document', { rows: 20 + offset })
      const text = (condition: string) => `select d.id, d.title from documents d where ${condition} order by d.title, d.id limit 20 offset ${offset}`
      const overlap = `case when d.daikon_accepts is null then false else exists (select from unnest(d.daikon_accepts) k where k = any($1::bigint[]) offset 0) end`
      const variants: Record<string, [string, unknown[]]> = {
        none: [text('true'), []],
        copy: [text(visible.sql('d.id', '$1')), [visible.keys]],
        column: [text(visible.sql('d.id', '$1', 'd.daikon_accepts')), [visible.keys]],
        unnest: [text(overlap), [visible.keys]],
      }
      const times: Record<string, number[]> = {}
      for (let run = 0; run < 120; run += 1)
        for (const [name, [sql, values]] of Object.entries(variants)) {
          const at = performance.now()
          await client.query(sql, values)
          ;(times[name] ??= []).push(performance.now() - at)
        }
      const median = (list: number[]) => list.sort((a, b) => a - b)[list.length >> 1] ?? 0
      const m = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]))
      t.log(user, visible.shape, visible.keys.length, 'keys, offset', offset, Object.entries(m).map(([n, v]) => `${n} ${v.toFixed(2)} ms`).join(', '), `copy/column ${((m.copy ?? 0) / (m.column ?? 1)).toFixed(2)}`)
      if (offset === 2000) for (const name of ['copy', 'column'] as const) {
        const [sql, values] = variants[name] as [string, unknown[]]
        const { rows } = await client.query(`explain analyze ${sql}`, values)
        t.log(rows.map((row) => row['QUERY PLAN']).join('\n').slice(0, 1500))
      }
    }
  client.release()
  t.pass()
})
