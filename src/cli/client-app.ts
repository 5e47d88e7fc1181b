import { Command, Option } from 'commander'
import type { ClientAppResponse } from '../../gen/daikon/v1/admin_apps.ts'
import { callAdminApi, overNetwork, requireWorkspaceId, withAdminApi } from './admin-api.ts'
import type { AdminApi } from './admin-handlers.ts'
import { UsageError } from './failure.ts'
import { formatTable, print } from './output.ts'
import { parseHours } from './parse-hours.ts'

export function clientAppCommand(): Command {
  const command = new Command('client-app').description(
    'manage the web applications that sign users in',
  )

  overNetwork(command.command('create'))
    .description('register an app with its redirect URIs')
    .requiredOption('--name <name>', 'display name')
    .option('--redirect-uri <uri...>', redirectUriDescription)
    .addOption(typeOption().default('public'))
    .option(...postLogoutOption)
    .option(...backchannelOption)
    .option(
      '--no-pkce-required',
      'allow a confidential app to sign users in without PKCE, with state or nonce',
    )
    .option('--popup-sign-in', 'let the app sign users in from a popup')
    .option('--consent-required', 'require the consent of users')
    .option(...workspaceOption)
    .option(...noWorkspaceOption)
    .option(...serviceAccountOption)
    .option(...jwksOption)
    .action(async (options: CreateOptions, command) => {
      const request = {
        name: options.name,
        redirect_uris: options.redirectUri ?? [],
        type: options.type,
        post_logout_redirect_uris: options.postLogoutRedirectUri ?? [],
        backchannel_logout_uri: options.backchannelLogoutUri,
        pkce_required: options.pkceRequired,
        popup_sign_in: options.popupSignIn,
        consent_required: options.consentRequired,
        service_account_id: options.serviceAccount,
        jwks: await readJwks(options.jwks),
      }
      const { requireValid } = await import('./require-valid.ts')
      requireValid('createClientApp', request)
      const app = await withAdminApi(command, async (api) => {
        const workspace_id = await findWorkspaceId(api, options.workspace)
        return api('createClientApp', { ...request, workspace_id })
      })
      print(command, app, [
        `Created client app ${app.id}. Redirect URIs: ${app.redirect_uris.join(', ')}`,
        ...describeSecret(app),
        ...(options.workspace === undefined && options.redirectUri ? [unboundWarning] : []),
      ])
    })

  overNetwork(command.command('update'))
    .description('change the settings of an app that are given')
    .argument('<id>', 'ID of the app, as shown by `list`')
    .option('--name <name>', 'display name')
    .option('--redirect-uri <uri...>', `${redirectUriDescription}; replaces all`)
    .addOption(typeOption())
    .option(...postLogoutOption)
    .option('--no-post-logout-redirect-uri', 'remove the URLs to return to after sign-out')
    .option(...backchannelOption)
    .option('--no-backchannel-logout-uri', 'send no logout tokens')
    .option('--pkce-required', 'require PKCE')
    .option('--no-pkce-required', 'allow a confidential app to omit PKCE')
    .option('--popup-sign-in', 'let the app sign users in from a popup')
    .option('--no-popup-sign-in', 'separate popups from the page that opened them')
    .option('--consent-required', 'require the consent of users')
    .option('--no-consent-required', 'give access without the consent of users')
    .option(...workspaceOption)
    .option(...noWorkspaceOption)
    .option(...serviceAccountOption)
    .option('--no-service-account', 'end the tokens that the app obtained, and issue none')
    .option(...jwksOption)
    .option('--no-jwks', 'accept no assertions of the app')
    .action(async (id: string, options: UpdateOptions, command) => {
      const { postLogoutRedirectUri: postLogoutUris, backchannelLogoutUri } = options
      const request = {
        client_app_id: id,
        name: options.name,
        redirect_uris: options.redirectUri ?? [],
        type: options.type,
        post_logout_redirect_uris: postLogoutUris || [],
        remove_post_logout_redirect_uris: postLogoutUris === false,
        backchannel_logout_uri: backchannelLogoutUri === false ? '' : backchannelLogoutUri,
        pkce_required: options.pkceRequired,
        popup_sign_in: options.popupSignIn,
        consent_required: options.consentRequired,
        remove_workspace: options.workspace === false,
        service_account_id: options.serviceAccount || undefined,
        remove_service_account: options.serviceAccount === false,
        jwks: await readJwks(options.jwks),
        remove_jwks: options.jwks === false,
      }
      const { requireValid } = await import('./require-valid.ts')
      requireValid('updateClientApp', request)
      const app = await withAdminApi(command, async (api) => {
        const workspace_id = await findWorkspaceId(api, options.workspace)
        return api('updateClientApp', { ...request, workspace_id })
      })
      print(command, app, [`Updated client app ${app.id}.`, ...describeSecret(app)])
    })

  overNetwork(command.command('list'))
    .description('list all apps')
    .action(async (_options, command) => {
      const { client_apps: apps } = await callAdminApi(command, 'listClientApps', {})
      print(command, apps, formatTable(apps))
    })

  overNetwork(command.command('deactivate'))
    .description('stop signing users in to an app')
    .argument('<id>', 'ID of the app, as shown by `list`')
    .action(async (id: string, _options, command) => {
      const request = {
        client_app_id: id,
        redirect_uris: [],
        post_logout_redirect_uris: [],
        is_active: false,
      }
      const app = await callAdminApi(command, 'updateClientApp', request)
      print(command, app, [`Deactivated client app ${app.id}.`])
    })

  overNetwork(command.command('rotate'))
    .description('create a new secret for a confidential app; the old one stays valid for a while')
    .argument('<id>', 'ID of the app, as shown by `list`')
    .option(
      '--overlap <hours>',
      'hours until the old secret expires, at most 720 (default: 24)',
      parseHours,
    )
    .action(async (id: string, options: { overlap?: number }, command) => {
      const request = { client_app_id: id, overlap_seconds: options.overlap }
      const { requireValid } = await import('./require-valid.ts')
      const { overlap_seconds = 0 } = requireValid('rotateClientApp', request)
      const app = await callAdminApi(command, 'rotateClientApp', request)
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

const redirectUriDescription = 'redirect URI, compared exactly; repeatable'

const postLogoutOption = [
  '--post-logout-redirect-uri <uri...>',
  'URL to return to after sign-out; repeatable',
] as const

const backchannelOption = [
  '--backchannel-logout-uri <uri>',
  'URL that receives a logout token at sign-out',
] as const

const workspaceOption = [
  '--workspace <slug>',
  'the only workspace whose members can sign in, required if the app maps roles',
] as const

const noWorkspaceOption = [
  '--no-workspace',
  'let users sign in with any workspace, including one of their own',
] as const

const serviceAccountOption = [
  '--service-account <id>',
  'service account that a confidential app obtains tokens for with its own credentials',
] as const

const jwksOption = [
  '--jwks <file>',
  'file with the public keys of a confidential app, as a JSON Web Key Set',
] as const

/** Reads a JSON Web Key Set. */
async function readJwks(path: string | false | undefined): Promise<object | undefined> {
  if (!path) return undefined
  const { readFile } = await import('node:fs/promises')
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${path} is not JSON`)
    throw error
  }
}

const unboundWarning =
  'Users can sign in with any workspace, and they are owner of their own. If the app maps roles, use --workspace.'

function typeOption(): Option {
  return new Option(
    '--type <type>',
    'public, or confidential for an app with a backend, which receives a secret',
  ).choices(['public', 'confidential'])
}

async function findWorkspaceId(
  api: AdminApi,
  slug: string | false | undefined,
): Promise<string | undefined> {
  return slug ? requireWorkspaceId(api, slug) : undefined
}

function describeSecret({ client_secret }: ClientAppResponse): string[] {
  return client_secret ? ['Its secret, which is not shown again:', client_secret] : []
}

type CreateOptions = {
  name: string
  redirectUri?: string[]
  type: string
  postLogoutRedirectUri?: string[]
  backchannelLogoutUri?: string
  pkceRequired: boolean
  popupSignIn?: boolean
  consentRequired?: boolean
  workspace?: string | false
  serviceAccount?: string
  jwks?: string
}

type UpdateOptions = {
  name?: string
  redirectUri?: string[]
  type?: string
  postLogoutRedirectUri?: string[] | false
  backchannelLogoutUri?: string | false
  pkceRequired?: boolean
  popupSignIn?: boolean
  consentRequired?: boolean
  workspace?: string | false
  serviceAccount?: string | false
  jwks?: string | false
}
