import { Command } from 'commander'
import { createClientApp, listClientApps, updateClientApp } from '../admin/client-apps.ts'
import { formatTable, print } from './output.ts'
import { requireValid } from './require-valid.ts'
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
    .action(async (options: { name: string; redirectUri: string[] }, command) => {
      const request = { name: options.name, redirect_uris: options.redirectUri }
      requireValid('createClientApp', request)
      const app = await withDatabase(({ operator }) => createClientApp(operator, request))
      print(command, app, [
        `Created client app ${app.id}. Redirect URIs: ${app.redirect_uris.join(', ')}`,
      ])
    })

  command
    .command('list')
    .description('list all apps')
    .action(async (_options, command) => {
      const { client_apps: apps } = await withDatabase(({ em }) => listClientApps({ em }, {}))
      print(command, apps, formatTable(apps))
    })

  command
    .command('deactivate')
    .description('stop signing users in to an app')
    .argument('<id>', 'ID of the app, as shown by `list`')
    .action(async (id: string, _options, command) => {
      const request = { client_app_id: id, redirect_uris: [], is_active: false }
      requireValid('updateClientApp', request)
      const app = await withDatabase(({ operator }) => updateClientApp(operator, request))
      print(command, app, [`Deactivated client app ${app.id}.`])
    })

  return command
}
