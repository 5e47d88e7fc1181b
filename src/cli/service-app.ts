import { Command } from 'commander'
import type { ApiResource } from '../../gen/daikon/v1/admin_apps.ts'
import { callAdminApi, overNetwork } from './admin-api.ts'
import { UsageError } from './failure.ts'
import { formatTable, print } from './output.ts'
import { parseHours } from './parse-hours.ts'

type CreateOptions = { name: string; service: string; apiResource?: string[] }

type UpdateOptions = { name?: string; apiResource?: string[]; apiResources?: false }

const apiResourceOption = [
  '--api-resource <json...>',
  'API that tokens can be limited to, as JSON with uri, name and scopes, or @file',
] as const

/** Reads API resources, each from JSON or from a file that `@` names. */
function readApiResources(texts: string[] = []): Promise<ApiResource[]> {
  return Promise.all(texts.map(readApiResource))
}

async function readApiResource(text: string): Promise<ApiResource> {
  const { readFile } = await import('node:fs/promises')
  const isFile = text.startsWith('@')
  const json = isFile ? await readFile(text.slice(1), 'utf8') : text
  try {
    // What it contains is validated with the request.
    return { scopes: [], ...JSON.parse(json) }
  } catch {
    throw new UsageError(`${isFile ? text.slice(1) : '--api-resource'} is not JSON`)
  }
}

export function serviceAppCommand(): Command {
  const command = new Command('service-app').description('manage backend services and their keys')

  overNetwork(command.command('create'))
    .description('register a service and print its key, which is shown only once')
    .requiredOption('--name <name>', 'display name')
    .requiredOption('--service <service_name>', 'service name that the key is valid for')
    .option(...apiResourceOption)
    .action(async (options: CreateOptions, command) => {
      const request = {
        name: options.name,
        service_name: options.service,
        api_resources: await readApiResources(options.apiResource),
      }
      const app = await callAdminApi(command, 'createServiceApp', request)
      print(command, app, [
        `Created service app ${app.id} for the service ${app.service_name}.`,
        'Its key, which is not shown again:',
        app.key,
      ])
    })

  overNetwork(command.command('update'))
    .description('change the settings of an app that are given')
    .argument('<id>', 'ID of the app, as shown by `list`')
    .option('--name <name>', 'display name')
    .option(apiResourceOption[0], `${apiResourceOption[1]}; replaces all`)
    .option('--no-api-resources', 'remove the APIs of the service, and end their tokens')
    .action(async (id: string, options: UpdateOptions, command) => {
      const request = {
        service_app_id: id,
        name: options.name,
        api_resources: await readApiResources(options.apiResource),
        remove_api_resources: options.apiResources === false,
      }
      const app = await callAdminApi(command, 'updateServiceApp', request)
      print(command, app, [
        `Updated service app ${app.id}. APIs: ${app.api_resources.map(({ uri }) => uri).join(', ') || 'none'}`,
      ])
    })

  overNetwork(command.command('list'))
    .description('list all apps')
    .action(async (_options, command) => {
      const { service_apps: apps } = await callAdminApi(command, 'listServiceApps', {})
      const rows = apps.map(({ api_resources, ...app }) => ({
        ...app,
        apis: api_resources.map(({ uri }) => uri).join(' '),
      }))
      print(command, apps, formatTable(rows))
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
