import { Command } from 'commander'
import {
  createServiceApp,
  listServiceApps,
  rotateServiceApp,
  updateServiceApp,
} from '../admin/service-apps.ts'
import { parseHours } from './arguments.ts'
import { requireValid } from './field-rules.ts'
import { print, table } from './print.ts'
import { withDatabase } from './session.ts'

/** `service-app create|list|deactivate|rotate`: the backend services and their keys. */
export function serviceAppCommand(): Command {
  const command = new Command('service-app').description('manage backend services and their keys')

  command
    .command('create')
    .description('make an app; its key is shown this once')
    .requiredOption('--name <label>', 'what people call it')
    .requiredOption('--service <service_name>', 'the one service its key acts for')
    .action(async (options: { name: string; service: string }, command) => {
      const request = { name: options.name, service_name: options.service }
      requireValid('createServiceApp', request)
      const app = await withDatabase(({ operator }) => createServiceApp(operator, request))
      print(command, app, [
        `Created ${app.id} for ${app.service_name}. Its key, shown once:`,
        app.key,
      ])
    })

  command
    .command('list')
    .description('list every app')
    .action(async (_options, command) => {
      const { service_apps: apps } = await withDatabase(({ em }) => listServiceApps({ em }, {}))
      print(command, apps, table(apps))
    })

  command
    .command('deactivate')
    .description('refuse the keys of an app from now on')
    .argument('<id>', 'as `list` shows it')
    .action(async (id: string, _options, command) => {
      const request = { service_app_id: id, is_active: false }
      requireValid('updateServiceApp', request)
      const app = await withDatabase(({ operator }) => updateServiceApp(operator, request))
      print(command, app, [`Deactivated ${app.id}.`])
    })

  command
    .command('rotate')
    .description('give an app a new key; the one before holds for a while')
    .argument('<id>', 'as `list` shows it')
    .option(
      '--overlap <hours>',
      'how long the old key holds; a day by default, 30 at most',
      parseHours,
    )
    .action(async (id: string, options: { overlap?: number }, command) => {
      const request = { service_app_id: id, overlap_seconds: options.overlap }
      const { overlap_seconds = 0 } = requireValid('rotateServiceApp', request)
      const app = await withDatabase(({ operator }) => rotateServiceApp(operator, request))
      const hours = overlap_seconds / 3600
      print(command, app, [`The old key holds for ${hours} h. The new one, shown once:`, app.key])
    })

  return command
}
