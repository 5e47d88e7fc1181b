import test from 'ava'
import { runCli } from '../support/cli.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
test.after.always(() => environment.stop())

const run = (...args: string[]) => runCli(environment.databaseUrl, 'client-app', ...args)
const uri = 'https://app.example.com/callback'

async function seedSlug(): Promise<[id: string, slug: string]> {
  const id = await seed.workspace('Company')
  const { rows } = await pool.query('select slug from workspaces where id = $1', [id])
  return [id, rows[0].slug]
}

test.serial('an app is bound to a workspace, moved to another one and unbound', async (t) => {
  const [first, firstSlug] = await seedSlug()
  const [second, secondSlug] = await seedSlug()
  const created = await run(
    ...['create', '--json', '--name', 'Wiki', '--redirect-uri', uri, '--workspace', firstSlug],
  )
  const app = JSON.parse(created.out)
  t.is(app.workspace_id, first)
  const taken = await run('create', '--name', 'Other', '--redirect-uri', uri, '--no-workspace')
  t.not(taken.status, 0)
  t.regex(taken.err, /also registered for the app Wiki/)
  const update = async (...args: string[]) =>
    JSON.parse((await run('update', app.id, '--json', ...args)).out)
  t.is((await update('--workspace', secondSlug)).workspace_id, second)
  t.is((await update('--name', 'Wiki 2')).workspace_id, second)
  t.is((await update('--no-workspace')).workspace_id, undefined)
  const unknown = await run('update', app.id, '--workspace', 'unknown')
  t.regex(unknown.err, /Workspace not found/)
  t.not(unknown.status, 0)
})

test.serial(
  'creating an app without naming a workspace warns that roles prove nothing',
  async (t) => {
    const create = (...args: string[]) =>
      run('create', '--name', 'App', '--redirect-uri', `${uri}/${args.length}`, ...args)
    t.regex((await create()).out, /If the app maps roles, use --workspace/)
    t.notRegex((await create('--no-workspace')).out, /--workspace/)
  },
)

test.serial('every setting of an app can be changed and removed', async (t) => {
  const id = JSON.parse(
    (await run('create', '--json', '--name', 'App', '--redirect-uri', `${uri}/update`)).out,
  ).id
  const update = async (...args: string[]) => {
    const { out, err } = await run('update', id, '--json', ...args)
    return JSON.parse(out || JSON.stringify({ err }))
  }
  const changed = await update(
    ...['--name', 'New', '--redirect-uri', `${uri}/a`, `${uri}/b`, '--type', 'confidential'],
    ...['--post-logout-redirect-uri', 'https://app.example.com/bye', '--no-pkce-required'],
    ...[
      '--backchannel-logout-uri',
      'https://app.example.com/logout',
      '--popup-sign-in',
      '--consent-required',
    ],
  )
  t.like(changed, {
    name: 'New',
    redirect_uris: [`${uri}/a`, `${uri}/b`],
    type: 'confidential',
    post_logout_redirect_uris: ['https://app.example.com/bye'],
    backchannel_logout_uri: 'https://app.example.com/logout',
    pkce_required: false,
    popup_sign_in: true,
    consent_required: true,
  })
  t.truthy(changed.client_secret)
  const removed = await update(
    ...['--no-post-logout-redirect-uri', '--no-backchannel-logout-uri', '--pkce-required'],
  )
  t.like(removed, { name: 'New', type: 'confidential', pkce_required: true })
  t.true(removed.popup_sign_in)
  t.false((await update('--no-popup-sign-in')).popup_sign_in)
  t.false((await update('--no-consent-required')).consent_required)
  t.deepEqual(removed.post_logout_redirect_uris, [])
  t.is(removed.backchannel_logout_uri, undefined)
  t.deepEqual(removed.redirect_uris, changed.redirect_uris)
})
