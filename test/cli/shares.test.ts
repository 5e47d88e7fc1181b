import { randomUUID } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { runCli } from '../support/cli.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const transport = environment.transports[0] as Transport
const folder = await mkdtemp(join(tmpdir(), 'daikon-shares-'))
test.after.always(() => environment.stop())

/** Runs `daikon shares import` with a file. */
async function runImport(content: string, extension = 'csv', ...options: string[]) {
  const path = join(folder, `${randomUUID()}.${extension}`)
  await writeFile(path, content)
  return runCli(environment.databaseUrl, 'shares', 'import', path, ...options)
}

/** A service with a role and a condition, two documents, a person and a group. */
async function createScene() {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { kind, key, workspace } = fixture
  const roles = [{ name: 'triage', description: '', actions: ['view'] }]
  const small = { name: 'small', description: '', expression: 'context.amount < params.limit' }
  const conditions = [{ ...small, parameters: { limit: 'int' } }]
  expectOk(await transport.call('PutResourceType', { ...kind, roles, conditions }, { key }))
  const names = { external_id: 'plan, 2026', resource_id: undefined }
  const plan = await fixture.register(fixture.people.owner, names)
  const other = await fixture.register(fixture.people.owner)
  const [email, externalId] = [`${randomUUID()}@example.com`, `hr-${randomUUID()}`]
  const person = await seed.user('Person', { email })
  await pool.query('update users set external_id = $1 where id = $2', [externalId, person])
  await seed.member(workspace, person, 'viewer')
  const group = await seed.group(workspace, [person])
  await pool.query("update groups set name = 'Writers' where id = $1", [group])
  const grants = async (resource: { resource_id: string }) => {
    const { shares } = await fixture.readResource(resource)
    return shares.map((share: Record<string, unknown>) => [
      share.grantee_id,
      share.permission || share.role,
    ])
  }
  return { ...fixture, plan, other, email, externalId, person, group, grants }
}

test('a CSV file names resources and grantees in every way, and can be imported again', async (t) => {
  const { service, plan, other, email, externalId, person, group, people, ...scene } =
    await createScene()
  const csv = [
    'service_name,resource_type,external_id,resource_id,permission_id,grantee_type,grantee_id,grantee_email,grantee_external_id,group_name,permission,role,condition,params,expires_at',
    `${service},document,"plan, 2026",,,,,${email.toUpperCase()},,,view,,,,2030-01-31T12:00:00Z`,
    `${service},document,,${other.resource_id},,,,,${externalId},,,triage,,,`,
    `,,,,${plan.id},,,,,Writers,edit,,small,"{""limit"": 5}",`,
    `,,,,${plan.id},user,${people.viewer.id},,,,view,,,,`,
    '',
  ].join('\n')
  const expected = { out: '4 granted.\n', err: '', status: 0 }
  t.deepEqual(await runImport(csv), expected)
  t.deepEqual(await runImport(csv), expected)
  t.deepEqual(
    (await scene.grants(plan)).sort(),
    [
      [person, 'view'],
      [group, 'edit'],
      [people.viewer.id, 'view'],
    ].sort(),
  )
  t.deepEqual(await scene.grants(other), [[person, 'triage']])
  const { shares } = await scene.readResource(plan)
  t.is(
    shares.find((share: any) => share.grantee_id === person).expires_at,
    '2030-01-31T12:00:00.000Z',
  )
  t.like(shares.find((share: any) => share.grantee_id === group).condition, {
    name: 'small',
    params: { limit: 5 },
  })
})

test('a JSON Lines file of more than one batch is imported with progress', async (t) => {
  const { service, person, workspace, key, people } = await createScene()
  const names = { service_name: service, resource_type: 'page' }
  const items = Array.from({ length: 1500 }, (_, index) => ({ ...names, external_id: `n${index}` }))
  for (const start of [0, 1000]) {
    const resources = items
      .slice(start, start + 1000)
      .map((item) => ({ ...item, workspace_id: workspace, owner_id: people.owner.id }))
    expectOk(await transport.call('RegisterBatch', { resources }, { key }))
  }
  const lines = items.map((item) =>
    JSON.stringify({
      ...item,
      grantee_type: 'user',
      grantee_id: person,
      permission: 'view',
      role: null,
    }),
  )
  const { out, err, status } = await runImport(lines.join('\n'), 'jsonl', '--json')
  t.deepEqual({ out: JSON.parse(out), status }, { out: { granted: 1500 }, status: 0 })
  t.regex(err, /^Writing: 0 of 1500\nWriting: 1000 of 1500\n/)
  const { rows } = await pool.query(
    'select count(*)::int as count from shares where user_id = $1',
    [person],
  )
  t.is(rows[0].count, 1500)
})

test('every error names its line and column, and nothing is shared', async (t) => {
  const { service, plan, email, grants } = await createScene()
  const lines = [
    'service_name,resource_type,external_id,grantee_email,group_name,permission,role,condition,params,expires_at',
    `${service},document,"plan, 2026",${email},,view,,,,`,
    `${service},document,unknown,${email},,view,,,,`,
    `${service},document,"plan, 2026",nobody@example.com,,view,,,,`,
    `${service},document,"plan, 2026",,Nobody,own,,,,`,
    `${service},document,"plan, 2026",${email},,edit,,,,`,
    `${service},,"plan, 2026",,Writers,view,,,,2001-01-01T00:00:00Z`,
    `${service},document,"plan, 2026",,Writers,view,,small,{},`,
    `${service},document,"plan, 2026",,Writers,,boss,,{},`,
  ]
  t.deepEqual(await runImport(`${lines.join('\n')}\n`), {
    out: '',
    err:
      'Line 3: external_id is not a registered resource\n' +
      'Line 4: grantee_email must be a member of the workspace\n' +
      'Line 5: permission must be one of view, edit\n' +
      'Line 6: grantee_email is duplicated\n' +
      'Line 7: resource_type is required with external_id\n' +
      'Line 7: expires_at must be in the future\n' +
      'Line 8: params.limit is required\n' +
      'Line 9: params requires condition\n' +
      'Nothing was shared.\n',
    status: 1,
  })
  t.deepEqual(await runImport(`${lines.join('\n')}\n`, 'csv', '--dry-run'), {
    out:
      'Line 3: external_id is not a registered resource\n' +
      'Line 4: grantee_email must be a member of the workspace\n' +
      'Line 5: permission must be one of view, edit\n' +
      'Line 6: grantee_email is duplicated\n' +
      'Line 7: resource_type is required with external_id\n' +
      'Line 7: expires_at must be in the future\n' +
      'Line 8: params.limit is required\n' +
      'Line 9: params requires condition\n' +
      'Lines: 8, problems: 8.\nDry run: nothing was changed.\n',
    err: '',
    status: 1,
  })
  const valid = await runImport(lines.slice(0, 2).join('\n'), 'csv', '--dry-run')
  t.deepEqual(valid, {
    out: 'Lines: 1, to grant: 1.\nDry run: nothing was changed.\n',
    err: '',
    status: 0,
  })
  t.deepEqual(await grants(plan), [])
  const params = 'service_name,params\ndocs,[]\ndocs,{\n'
  t.like(await runImport(params), {
    err: 'Line 2: params must be a JSON object\nLine 3: params must be a JSON object\n',
    status: 1,
  })
})
