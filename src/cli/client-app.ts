import { Command } from 'commander'
import { createClientApp, listClientApps, updateClientApp } from '../admin/client-apps.ts'
import { requireValid } from './field-rules.ts'
import { print, table } from './print.ts'
import { withDatabase } from './session.ts'

/** `client-app create|list|deactivate`: who may have people signed in, and sent back where. */
export function clientAppCommand(): Command {
  const command = new Command('client-app').description(
    'manage web applications that sign people in',
  )

  command
    .command('create')
    .description('register an app with the addresses that may receive its codes')
    .requiredOption('--name <label>', 'what people call it')
    .requiredOption('--redirect-uri <uri...>', 'to the letter; may be given several times')
    .action(async (options: { name: string; redirectUri: string[] }, command) => {
      const request = { name: options.name, redirect_uris: options.redirectUri }
      requireValid('createClientApp', request)
      const app = await withDatabase(({ operator }) => createClientApp(operator, request))
      print(command, app, [`Created ${app.id} for ${app.redirect_uris.join(', ')}.`])
    })

  command
    .command('list')
    .description('list every app')
    .action(async (_options, command) => {
      const { client_apps: apps } = await withDatabase(({ em }) => listClientApps({ em }, {}))
      print(command, apps, table(apps))
    })

  command
    .command('deactivate')
    .description('send no more codes to the addresses of an app')
    .argument('<id>', 'as `list` shows it')
    .action(async (id: string, _options, command) => {
      const request = { client_app_id: id, redirect_uris: [], is_active: false }
      requireValid('updateClientApp', request)
      const app = await withDatabase(({ operator }) => updateClientApp(operator, request))
      print(command, app, [`Deactivated ${app.id}.`])
    })

  return command
}
