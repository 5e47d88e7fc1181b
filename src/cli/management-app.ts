import { Command } from 'commander'
import { formatTable, print } from './output.ts'
import { parseHours } from './parse-hours.ts'
import { withDatabase } from './session.ts'

export function managementAppCommand(): Command {
  const command = new Command('management-app').description(
    'manage programs that administer this server',
  )

  command
    .command('create')
    .description('create an app and print its secret, which is shown only once')
    .requiredOption('--name <name>', 'display name')
    .requiredOption('--scope <scope...>', 'scope such as users:read; repeatable')
    .action(async (options: { name: string; scope: string[] }, command) => {
      const request = { name: options.name, scopes: options.scope }
      const { createManagementApp } = await import('../admin/management-apps.ts')
      const { requireValid } = await import('./require-valid.ts')
      requireValid('createManagementApp', request)
      const app = await withDatabase(({ operator }) => createManagementApp(operator, request))
      print(command, app, [
        `Created management app ${app.id}. Scopes: ${app.scopes.join(', ')}`,
        'Its secret, which is not shown again:',
        app.client_secret ?? '',
      ])
    })

  command
    .command('list')
    .description('list all apps')
    .action(async (_options, command) => {
      const { listManagementApps } = await import('../admin/management-apps.ts')
      const { management_apps: apps } = await withDatabase(({ operator }) =>
        listManagementApps(operator, {}),
      )
      print(command, apps, formatTable(apps))
    })

  command
    .command('deactivate')
    .description('reject the secrets and tokens of an app, effective immediately')
    .argument('<id>', 'ID of the app, as shown by `list`')
    .action(async (id: string, _options, command) => {
      const request = { management_app_id: id, scopes: [], is_active: false }
      const { updateManagementApp } = await import('../admin/management-apps.ts')
      const { requireValid } = await import('./require-valid.ts')
      requireValid('updateManagementApp', request)
      const app = await withDatabase(({ operator }) => updateManagementApp(operator, request))
      print(command, app, [`Deactivated management app ${app.id}.`])
    })

  command
    .command('rotate')
    .description('create a new secret for an app; the old one stays valid during the overlap')
    .argument('<id>', 'ID of the app, as shown by `list`')
    .option(
      '--overlap <hours>',
      'hours until the old secret expires, at most 720 (default: 24)',
      parseHours,
    )
    .action(async (id: string, options: { overlap?: number }, command) => {
      const request = { management_app_id: id, overlap_seconds: options.overlap }
      const { rotateManagementApp } = await import('../admin/management-apps.ts')
      const { requireValid } = await import('./require-valid.ts')
      const { overlap_seconds = 0 } = requireValid('rotateManagementApp', request)
      const app = await withDatabase(({ operator }) => rotateManagementApp(operator, request))
      print(command, app, [
        overlap_seconds === 0
          ? 'The old secret has expired, and the tokens of the app have ended.'
          : `The old secret expires in ${overlap_seconds / 3600} h.`,
        'The new secret, which is not shown again:',
        app.client_secret ?? '',
      ])
    })

  return command
}
