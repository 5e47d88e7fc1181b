import { Command } from 'commander'
import { callAdminApi, overNetwork } from './admin-api.ts'
import { formatTable, print } from './output.ts'
import { parseHours } from './parse-hours.ts'

export function serviceAppCommand(): Command {
  const command = new Command('service-app').description('manage backend services and their keys')

  overNetwork(command.command('create'))
    .description('register a service and print its key, which is shown only once')
    .requiredOption('--name <name>', 'display name')
    .requiredOption('--service <service_name>', 'service name that the key is valid for')
    .action(async (options: { name: string; service: string }, command) => {
      const request = { name: options.name, service_name: options.service }
      const app = await callAdminApi(command, 'createServiceApp', request)
      print(command, app, [
        `Created service app ${app.id} for the service ${app.service_name}.`,
        'Its key, which is not shown again:',
        app.key,
      ])
    })

  overNetwork(command.command('list'))
    .description('list all apps')
    .action(async (_options, command) => {
      const { service_apps: apps } = await callAdminApi(command, 'listServiceApps', {})
      print(command, apps, formatTable(apps))
    })

  overNetwork(command.command('deactivate'))
    .description('reject the keys of an app, effective immediately')
    .argument('<id>', 'ID of the app, as shown by `list`')
    .option('--force', 'deactivate the app even if it is the last active one')
    .action(async (id: string, { force }: { force?: true }, command) => {
      const request = { service_app_id: id, is_active: false, force }
      const app = await callAdminApi(command, 'updateServiceApp', request)
      print(command, app, [`Deactivated service app ${app.id}.`])
    })

  overNetwork(command.command('rotate'))
    .description('create a new key for an app; the old key stays valid during the overlap')
    .argument('<id>', 'ID of the app, as shown by `list`')
    .option(
      '--overlap <hours>',
      'hours until the old key expires, at most 720 (default: 24)',
      parseHours,
    )
    .action(async (id: string, options: { overlap?: number }, command) => {
      const request = { service_app_id: id, overlap_seconds: options.overlap }
      const { requireValid } = await import('./require-valid.ts')
      const { overlap_seconds = 0 } = requireValid('rotateServiceApp', request)
      const app = await callAdminApi(command, 'rotateServiceApp', request)
      print(command, app, [
        overlap_seconds === 0
          ? 'The old key has expired.'
          : `The old key expires in ${overlap_seconds / 3600} h.`,
        'The new key, which is not shown again:',
        app.key,
      ])
    })

  return command
}
