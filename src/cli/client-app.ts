import { Command, Option } from 'commander'
import { formatTable, print } from './output.ts'
import { parseHours } from './parse-hours.ts'
import { withDatabase } from './session.ts'

export function clientAppCommand(): Command {
  const command = new Command('client-app').description(
    'manage the web applications that sign users in',
  )

  command
    .command('create')
    .description('register an app with its redirect URIs')
    .requiredOption('--name <name>', 'display name')
    .requiredOption('--redirect-uri <uri...>', 'redirect URI, compared exactly; repeatable')
    .addOption(
      new Option(
        '--type <type>',
        'public, or confidential for an app with a backend, which receives a secret',
      )
        .choices(['public', 'confidential'])
        .default('public'),
    )
    .option('--post-logout-redirect-uri <uri...>', 'URL to return to after sign-out; repeatable')
    .option('--backchannel-logout-uri <uri>', 'URL that receives a logout token at sign-out')
    .action(async (options: CreateOptions, command) => {
      const request = {
        name: options.name,
        redirect_uris: options.redirectUri,
        type: options.type,
        post_logout_redirect_uris: options.postLogoutRedirectUri ?? [],
        backchannel_logout_uri: options.backchannelLogoutUri,
      }
      const { createClientApp } = await import('../admin/client-apps.ts')
      const { requireValid } = await import('./require-valid.ts')
      requireValid('createClientApp', request)
      const app = await withDatabase(({ operator }) => createClientApp(operator, request))
      const secret = app.client_secret
        ? ['Its secret, which is not shown again:', app.client_secret]
        : []
      print(command, app, [
        `Created client app ${app.id}. Redirect URIs: ${app.redirect_uris.join(', ')}`,
        ...secret,
      ])
    })

  command
    .command('list')
    .description('list all apps')
    .action(async (_options, command) => {
      const { listClientApps } = await import('../admin/client-apps.ts')
      const { client_apps: apps } = await withDatabase(({ em }) => listClientApps({ em }, {}))
      print(command, apps, formatTable(apps))
    })

  command
    .command('deactivate')
    .description('stop signing users in to an app')
    .argument('<id>', 'ID of the app, as shown by `list`')
    .action(async (id: string, _options, command) => {
      const request = {
        client_app_id: id,
        redirect_uris: [],
        post_logout_redirect_uris: [],
        is_active: false,
      }
      const { updateClientApp } = await import('../admin/client-apps.ts')
      const { requireValid } = await import('./require-valid.ts')
      requireValid('updateClientApp', request)
      const app = await withDatabase(({ operator }) => updateClientApp(operator, request))
      print(command, app, [`Deactivated client app ${app.id}.`])
    })

  command
    .command('rotate')
    .description('create a new secret for a confidential app; the old one stays valid for a while')
    .argument('<id>', 'ID of the app, as shown by `list`')
    .option(
      '--overlap <hours>',
      'hours until the old secret expires, at most 720 (default: 24)',
      parseHours,
    )
    .action(async (id: string, options: { overlap?: number }, command) => {
      const request = { client_app_id: id, overlap_seconds: options.overlap }
      const { rotateClientApp } = await import('../admin/client-apps.ts')
      const { requireValid } = await import('./require-valid.ts')
      const { overlap_seconds = 0 } = requireValid('rotateClientApp', request)
      const app = await withDatabase(({ operator }) => rotateClientApp(operator, request))
      print(command, app, [
        overlap_seconds === 0
          ? 'The old secret has expired.'
          : `The old secret expires in ${overlap_seconds / 3600} h.`,
        'The new secret, which is not shown again:',
        app.client_secret ?? '',
      ])
    })

  return command
}

type CreateOptions = {
  name: string
  redirectUri: string[]
  type: string
  postLogoutRedirectUri?: string[]
  backchannelLogoutUri?: string
}
