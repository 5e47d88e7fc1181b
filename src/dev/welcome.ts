import { styleText } from 'node:util'
import type { Config } from '../server/config.ts'
import { settings } from '../server/config.ts'
import type { RunningServer } from '../server/start.ts'
import { demo } from './demo-data.ts'

/**
 * Renders the text that `npm run dev` prints when everything runs: addresses, accounts and commands
 * to paste.
 */
export function renderWelcome({
  config,
  server,
  appUrl,
  docsUrl,
  providersUrl,
  mailboxUrl,
  mockProviders,
  isConsoleBeingBuilt,
  token,
  serviceKey,
}: {
  config: Config
  server: RunningServer
  appUrl: string
  /** The URL of the documentation site. If undefined, there is none. */
  docsUrl: string | undefined
  providersUrl: string
  mailboxUrl: string
  /** The titles of the providers that are mocked. */
  mockProviders: string[]
  isConsoleBeingBuilt: boolean
  /** An access token for Bob. */
  token: string
  serviceKey: string
}): string {
  const rest = `http://localhost:${server.httpPort}`
  const grpc = `localhost:${server.grpcPort}`
  const providers = new Intl.ListFormat('en-GB').format(mockProviders)
  const mockNote =
    mockProviders.length === 0
      ? ''
      : `
  ${providers} ${mockProviders.length === 1 ? 'is mocked' : 'are mocked'}: sign in as Alice, Bob or Carol, no password needed.
`
  return `
${heading('daikon is ready')}

${heading('Addresses')}
  REST API          ${rest}
  API reference     ${rest}/docs${docsUrl === undefined ? '' : `\n  Documentation     ${docsUrl} (built by npm run docs:build)`}
  gRPC              ${grpc}
  Metrics           http://localhost:${server.metricsPort}/metrics
  Mock providers    ${providersUrl}
  Mailbox           ${mailboxUrl}

${heading('Sign in')}
  Demo application  ${appUrl}
  Admin console     ${renderConsole(config, server, isConsoleBeingBuilt)}
  Your account      ${rest}/account
${mockNote}
${heading('Try it')}
  Bob can edit the roadmap, which is shared with his group. He cannot view the salaries.
  Paste these lines into another shell, then either command:

TOKEN=${token}
KEY=${serviceKey}
CHECKS='${JSON.stringify(exampleChecks("'$TOKEN'"))}'

curl -s ${rest}/access/v1/evaluations \\
  -H "x-service-key: $KEY" -H "content-type: application/json" -d "$CHECKS"

grpcurl -plaintext -emit-defaults -H "x-service-key: $KEY" \\
  -d "$CHECKS" ${grpc} daikon.v1.AccessService/EvaluateBatch

  The token expires after ${config.ACCESS_TOKEN_EXPIRE_MINUTES} minutes. To create another one:

${renderTokenCommand(config)}

Press Ctrl-C to stop.

`
}

function renderConsole(
  config: Config,
  { consolePort }: RunningServer,
  isBeingBuilt: boolean,
): string {
  if (consolePort === undefined) return 'disabled'
  const hint = isBeingBuilt ? 'ready in a few seconds; choose Alice' : 'choose Alice'
  return `${config.ADMIN_URL} (${hint})`
}

function heading(text: string): string {
  return styleText('bold', text)
}

function exampleChecks(token: string) {
  const evaluate = (action: string, id: keyof typeof demo.documents) => ({
    action: { name: action },
    resource: { type: demo.resource_type, id },
  })
  return {
    subject: { type: 'access_token', id: token },
    evaluations: [evaluate('edit', 'roadmap'), evaluate('view', 'salaries')],
  }
}

/**
 * In another shell, the command needs the settings that locate the database and make the token
 * valid.
 */
function renderTokenCommand(config: Config): string {
  const names = ['BASE_URL', 'DATA_DIR', 'JWT_PRIVATE_KEY_PATH', 'JWT_PUBLIC_KEY_PATH'] as const
  const variables = names
    .filter((name) => config[name] !== settings[name].fallback)
    .map((name) => `${name}=${quoteForShell(config[name])} `)
  // The published package contains JavaScript and provides the `daikon` command.
  const command = import.meta.filename.endsWith('.ts') ? 'npm run --silent daikon --' : 'daikon'
  return `${variables.join('')}${command} token --email bob@example.com`
}

function quoteForShell(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
