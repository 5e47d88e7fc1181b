import { Command } from 'commander'
import {
  createServiceApp,
  listServiceApps,
  rotateServiceApp,
  updateServiceApp,
} from '../admin/service-apps.ts'
import { parseId } from './arguments.ts'
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
      const app = await withDatabase(({ operator }) =>
        createServiceApp(operator, { name: options.name, service_name: options.service }),
      )
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
    .argument('<id>', 'as `list` shows it', parseId)
    .action(async (id: string, _options, command) => {
      const app = await withDatabase(({ operator }) =>
        updateServiceApp(operator, { service_app_id: id, is_active: false }),
      )
      print(command, app, [`Deactivated ${app.id}.`])
    })

  command
    .command('rotate')
    .description('give an app a new key; the one before holds for a while')
    .argument('<id>', 'as `list` shows it', parseId)
    .option('--overlap <hours>', 'how long the old key still holds', '24')
    .action(async (id: string, options: { overlap: string }, command) => {
      const hours = Number(options.overlap)
      if (!(hours >= 0)) throw new Error('--overlap must be a number of hours')
      const overlap_seconds = Math.round(hours * 3600)
      const app = await withDatabase(({ operator }) =>
        rotateServiceApp(operator, { service_app_id: id, overlap_seconds }),
      )
      print(command, app, [`The old key holds for ${hours} h. The new one, shown once:`, app.key])
    })

  return command
}
