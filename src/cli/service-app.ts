import { Command } from 'commander'
import {
  createServiceApp,
  deactivateServiceApp,
  listServiceApps,
  rotateServiceApp,
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
      const app = await withDatabase(({ em }) =>
        createServiceApp(em, { name: options.name, service_name: options.service }),
      )
      print(command, app, [
        `Created ${app.id} for ${app.service_name}. Its key, shown once:`,
        app.key ?? '',
      ])
    })

  command
    .command('list')
    .description('list every app')
    .action(async (_options, command) => {
      const apps = await withDatabase(({ em }) => listServiceApps(em))
      print(command, apps, table(apps))
    })

  command
    .command('deactivate')
    .description('refuse the keys of an app from now on')
    .argument('<id>', 'as `list` shows it', parseId)
    .action(async (id: string, _options, command) => {
      const { app, active } = await withDatabase(async ({ em }) => ({
        app: await deactivateServiceApp(em, id),
        active: (await listServiceApps(em)).filter((app) => app.is_active).length,
      }))
      const warning = 'No active app is left: development mode, every key and none passes.'
      print(command, app, [`Deactivated ${app.id}.`, ...(active === 0 ? [warning] : [])])
    })

  command
    .command('rotate')
    .description('give an app a new key; the one before holds for a while')
    .argument('<id>', 'as `list` shows it', parseId)
    .option('--overlap <hours>', 'how long the old key still holds', '24')
    .action(async (id: string, options: { overlap: string }, command) => {
      const hours = Number(options.overlap)
      if (!(hours >= 0)) throw new Error('--overlap must be a number of hours')
      const app = await withDatabase(({ em }) => rotateServiceApp(em, id, hours * 3600))
      print(command, app, [
        `The old key holds for ${hours} h. The new one, shown once:`,
        app.key ?? '',
      ])
    })

  return command
}
