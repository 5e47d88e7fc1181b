import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

/** Searches by what people type, and whether they find the name. */
const cases: [q: string, name: string, finds: boolean][] = [
  ['bjorn', 'Björn Åström', true],
  ['BJÖRN', 'Björn Åström', true],
  ['Åström björn', 'Björn Åström', true],
  ['astrom bj', 'Björn Åström', true],
  ['bjorn anders', 'Björn Åström', false],
  ['Bjo\u0308rn', 'Björn Åström', true],
  ['lodz', 'Łódź', true],
  ['soren', 'Søren', true],
  ['strasse', 'Straße', true],
  ['ILKER YILMAZ', 'İlker Yılmaz', true],
  ['иванов', 'ИВАНОВ Пётр', true],
  ['петр', 'ИВАНОВ Пётр', true],
  ['שלום', 'שָׁלוֹם', true],
  ['محمد', 'مُحَمَّد', true],
  ['田中', '田中 恵子', true],
  ['rocket 🚀', '🚀 Rocket', true],
  ['100%', 'Ann 100% sure', true],
  ['1_0', 'Ann 100% sure', false],
  ['a\\b', 'a\\b', true],
]

test('names match regardless of case, accents and the order of words', async (t) => {
  const transport = environment.transports[0] as Transport
  for (const [q, name, finds] of cases) {
    const id = await seed.user(name, { email: `${randomUUID()}@example.com` })
    const { items } = expectOk(await admin.call(transport, 'ListUsers', { q, page_size: 100 }))
    const ids = items.map((item: { id: string }) => item.id)
    t.is(ids.includes(id), finds, `${q} in ${name}`)
    await pool.query('delete from users where id = $1', [id])
  }
})

for (const transport of environment.transports) {
  test(`every list finds names without accents and in any order over ${transport.label}`, async (t) => {
    const word = `x${randomUUID().slice(0, 8)}`
    const workspace = await seed.workspace(`Björk ${word}`)
    const person = await seed.user(`Zoë ${word}`, { email: `${randomUUID()}@example.com` })
    await seed.member(workspace, person)
    const group = await seed.group(workspace, [person], `Façade ${word}`)
    const role = await seed.customRole(workspace, [], [person])
    await pool.query('update custom_roles set name = $2 where id = $1', [role, `Rédacteur ${word}`])
    const lists: [method: string, message: object, q: string, id: string][] = [
      ['ListUsers', {}, `${word} ZOE`, person],
      ['ListWorkspaces', {}, `${word} bjork`, workspace],
      ['ListMembers', { workspace_id: workspace }, `${word} zoe`, person],
      ['ListGroups', { workspace_id: workspace }, `${word} facade`, group],
      ['ListGroups', { workspace_id: workspace, page: 1 }, `${word} facade`, group],
      ['ListGroupMembers', { group_id: group, page: 1 }, `${word} zoe`, person],
      ['ListRoles', { workspace_id: workspace }, `${word} redacteur`, role],
      ['ListRoleMembers', { role_id: role, page: 1 }, `${word} zoe`, person],
    ]
    for (const [method, message, q, id] of lists) {
      const answer = expectOk(await admin.call(transport, method, { ...message, q }))
      const [items] = Object.values(answer).filter(Array.isArray)
      const ids = items?.map((item) => item.user_id ?? item.id)
      t.deepEqual(ids, [id], `${method} ${q}`)
    }
  })

  test(`SearchNames returns the best matches first over ${transport.label}`, async (t) => {
    const word = `w${randomUUID().slice(0, 8)}`
    const find = async (q: string, limit?: number) => {
      const message = { q, ...(limit !== undefined && { limit }) }
      const { items } = expectOk(await admin.call(transport, 'SearchNames', message))
      return items as { id: string; type: string; match: string; name: string }[]
    }
    const workspace = await seed.workspace(`Team ${word}`)
    const contains = await Promise.all(
      [1, 2, 3, 4].map((n) => seed.user(`n${n} É${word}`, { email: `${randomUUID()}@a.example` })),
    )
    const prefix = await seed.user(`É${word} Berg`, { email: `${randomUUID()}@a.example` })
    const exact = await seed.user(`é${word.toUpperCase()}`, {
      email: `${randomUUID()}@example.com`,
    })
    const group = await seed.group(workspace, [], `É${word}`)
    const found = await find(` e${word} `, 3)
    t.deepEqual(found.map(({ id, match }) => [id, match]).slice(0, 3), [
      [exact, 'exact'],
      [group, 'exact'],
      [prefix, 'prefix'],
    ])
    t.like(found[1], { type: 'group', description: `Team ${word}`, workspace_id: workspace })
    t.is(found.length, 4)
    t.true(contains.includes(found[3]?.id as string))
    t.deepEqual(
      (await find(`${word} team`)).map(({ id }) => id),
      [workspace],
    )
    t.deepEqual(
      (await find(exact)).map(({ id, type }) => [id, type]),
      [[exact, 'user']],
    )
    t.deepEqual(await find(randomUUID()), [])
    t.deepEqual(await find('  '), [])
  })

  test(`resources are found by the beginning of their external ID over ${transport.label}`, async (t) => {
    const workspace = await seed.workspace()
    const owner = await seed.newMember(workspace, 'editor')
    const word = `r${randomUUID().slice(0, 8)}`
    const app = await seed.serviceApp(`docs-${word}`)
    for (const name of [`Résumé-${word}`, `Resume-${word}-2`, `Old-Resume-${word}`]) {
      const message = {
        service_name: `docs-${word}`,
        resource_type: 'document',
        external_id: name,
        workspace_id: workspace,
        owner_id: owner,
      }
      expectOk(await transport.call('Register', message, { key: app.key }))
    }
    const q = `RESUME-${word}`
    const page = expectOk(await admin.call(transport, 'ListPermissions', { q }))
    const listed = page.items.map((item: { external_id: string }) => item.external_id)
    t.deepEqual(listed.toSorted(), [`Resume-${word}-2`, `Résumé-${word}`].toSorted())
    const { items } = expectOk(await admin.call(transport, 'SearchNames', { q }))
    t.deepEqual(
      items.map(({ name, match }: { name: string; match: string }) => [name, match]),
      [
        [`Résumé-${word}`, 'exact'],
        [`Resume-${word}-2`, 'prefix'],
      ],
    )
    t.like(items[0], { type: 'permission', description: `docs-${word}/document` })
    const { resource_id } = page.items[0]
    const byId = expectOk(await admin.call(transport, 'SearchNames', { q: resource_id }))
    t.is(byId.items[0].id, page.items[0].id)
  })
}
