import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Setting, settingGroups } from '../src/config/setting.ts'
import type { ErrorReason } from '../src/core/define-reasons.ts'
import { errorCodes } from '../src/core/error-codes.ts'
import { signInErrors } from '../src/identity/sign-in-result.ts'
import { createAdmissions } from '../src/rpc/admit.ts'
import { readRegistry } from '../src/rpc/descriptors.ts'
import { readMethods, readStreams, readWatches } from '../src/rpc/method.ts'
import { settings } from '../src/server/config.ts'
import { activityEvents } from '../src/server/features.ts'
import { createMetrics } from '../src/server/observability/metrics.ts'
import { addReplicaMetrics } from '../src/server/observability/replicas.ts'
import { addReplacements } from '../src/server/observability/worker-metrics.ts'
import { reasons } from '../src/server/reasons.ts'

/**
 * The generated tables of the documentation. A page contains `<!-- generated: settings -->`, and
 * the table replaces everything up to `<!-- end -->`.
 */
const sections: Record<string, () => string | Promise<string>> = {
  settings: renderSettings,
  'activity events': renderActivityEvents,
  'error codes': renderErrorCodes,
  'error reasons': renderErrorReasons,
  methods: renderMethods,
  metrics: renderMetrics,
  'sign-in errors': () => table(['`error`', 'Meaning'], Object.entries(signInErrors).map(codeRow)),
}

const root = join(import.meta.dirname, '..')

/** The paths of all documentation pages, relative to the repository. */
export const pages = [
  'README.md',
  ...['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
]

/** Returns the text of a page with current generated tables. */
export async function renderPage(path: string): Promise<string> {
  const parts = readFileSync(join(root, path), 'utf8').split(/(?<=<!-- generated: [a-z -]+ -->\n)/)
  const rendered = parts.map(async (part, index) => {
    if (index === 0) return part
    const [, name = ''] = /<!-- generated: ([a-z -]+) -->\n$/.exec(parts[index - 1] ?? '') ?? []
    const render = sections[name]
    const end = part.indexOf('<!-- end -->')
    if (!render || end === -1) throw new Error(`${path} has no complete section "${name}"`)
    return `\n${await render()}\n${part.slice(end)}`
  })
  return (await Promise.all(rendered)).join('')
}

function renderSettings(): string {
  const all = Object.entries<Setting>(settings)
  return settingGroups
    .map((title) => {
      const rows = all
        .filter(([, { group }]) => group === title)
        .map(([name, { fallback, description }]) => [
          `\`${name}\``,
          fallback && `\`${fallback}\``,
          description,
        ])
      return `### ${title}\n\n${table(['Variable', 'Default', 'Description'], rows)}`
    })
    .join('\n')
}

function renderActivityEvents(): string {
  const rows = Object.entries(activityEvents).map(([action, event]) => [
    `\`${action}\``,
    `\`${event.target}\``,
    event.description,
    [...event.detail, ...('otherDetail' in event ? event.otherDetail : [])]
      .map((name) => `\`${name}\``)
      .join(', '),
    [
      ...event.recordedBy.map((name) => capitalize(name)),
      ...('alsoRecordedBy' in event ? [event.alsoRecordedBy] : []),
    ].join(', '),
  ])
  return table(['Action', 'Target type', 'Meaning', 'Detail', 'Written by'], rows)
}

function renderErrorCodes(): string {
  const rows = Object.entries(errorCodes).map(([code, { grpc, http, title }]) => [
    `\`${code}\``,
    `\`${grpcStatusNames[grpc]}\` (${grpc})`,
    String(http),
    title,
  ])
  return table(['Code', 'gRPC status', 'HTTP status', 'Title'], rows)
}

/** The names of google.rpc.Code, by number. */
const grpcStatusNames = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
]

function renderErrorReasons(): string {
  const rows = Object.values<ErrorReason>(reasons)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, code, message }) => [
      `\`${name}\``,
      `\`${code}\``,
      message.replaceAll(/<\w+>/g, '`$&`'),
    ])
  return table(['Reason', 'Code', 'Meaning'], rows)
}

function renderMethods(): string {
  const registry = readRegistry()
  const rows = [...readMethods(registry), ...readStreams(registry), ...readWatches(registry)].map(
    (method) => {
      const { tier, optionalUser, optionalAdmin, optionalClient } = method.policy
      const { scope = '', leastRole, limitPerMinute, anyMethod, lenientUser } = method.policy
      const user = lenientUser ? 'user lenient' : 'user optional'
      const route =
        'routes' in method
          ? method.routes
              .map(({ verb, path }) => `\`${anyMethod ? 'ANY' : verb.toUpperCase()} ${path}\``)
              .join('<br>')
          : `gRPC only, ${method.kind.replace('_', ' ')}`
      const alternative = optionalAdmin ? 'admin' : optionalClient ? 'client' : undefined
      return [
        method.name.replace('daikon.v1.', ''),
        route,
        alternative ? `${tier} or ${alternative}` : optionalUser ? `${tier}, ${user}` : tier,
        leastRole ?? (scope === 'none' ? 'administrator' : scope),
        limitPerMinute ? `${limitPerMinute}/min` : '',
      ]
    },
  )
  return table(['Method', 'Route', 'Credentials', 'Least role or scope', 'Limit'], rows)
}

async function renderMetrics(): Promise<string> {
  const readReadiness = async () => {
    return {
      ready: true,
      database: 'ok',
      redis: 'ok',
      development_mode: false,
      draining: false,
      clock_offset_seconds: 0,
    } as const
  }
  const { registry } = createMetrics(() => ({}) as never, readReadiness, createAdmissions(), {
    reloads: [],
    signingKey: () => ({ kid: '', createdAt: undefined }),
    certificateExpiry: () => ({}),
  })
  addReplicaMetrics(registry, () => ({ replicas: [], fallbacks: new Map() }))
  addReplacements(registry)
  const metrics = await registry.getMetricsAsJSON()
  const rows = metrics
    .filter(({ name }) => name.startsWith('daikon_'))
    .map(({ name, type, help }) => [`\`${name}\``, String(type), help])
  return table(['Metric', 'Type', 'Meaning'], rows)
}

function codeRow([code, meaning]: [string, string]): string[] {
  return [`\`${code}\``, meaning]
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('')
}

function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

if (import.meta.main) {
  for (const path of pages) writeFileSync(join(root, path), await renderPage(path))
}
