import { globSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/**
 * Files and folders that `npm test` leaves to `npm run test:all`, because they need more than
 * `npm ci` installs, start many processes, or take long. A new file belongs to `npm test` unless it
 * is in one of these folders.
 */
export const extendedTests: Record<string, string> = {
  'test/account/delegations.test.ts': 'Chromium',
  'test/account/page.test.ts': 'Chromium',
  'test/activity/events.test.ts': 'every event through both transports',
  'test/activity/export.test.ts': 'exports 100 MiB',
  'test/following/watch-changes.test.ts': 'many streams',
  'test/following/watch.test.ts': 'many streams, and limits of seconds',
  'test/csv-import/import-file.test.ts': 'large files',
  'test/csv-import/import-races.test.ts': 'concurrent imports',
  'test/admin/management-apps.test.ts': 'every admin method with every scope',
  'test/admin/user-data.test.ts': 'all data of a user',
  'test/api/admin.test.ts': 'every admin method with every kind of caller',
  'test/api/credentials.test.ts': 'every method with every kind of credential',
  'test/api/fair-admission.test.ts': 'thousands of calls',
  'test/api/field-validation.test.ts': 'every field of every method',
  'test/api/fuzz.test.ts': 'random requests to every method',
  'test/api/idor.test.ts': 'every method with objects of another workspace',
  'test/api/mass-assignment.test.ts': 'compares the whole database after each method',
  'test/api/outage.test.ts': 'outages, and limits of seconds',
  'test/api/service-keys.test.ts': 'every method with every kind of key',
  'test/api/spelled-ids.test.ts': 'every method three times',
  'test/api/subject-names.test.ts': 'every way to name a subject',
  'test/api/tokens.test.ts': 'every kind of token',
  'test/api/unstorable-values.test.ts': 'every text and time of every method',
  'test/applications/': 'Chromium, and applications that others wrote',
  'test/architecture/left-out.test.ts': 'the types of a copy of the repository for each feature',
  'test/cli/': 'a process for each command',
  'test/clients/': 'Go, Java, Python, Chromium and packages from npm',
  'test/console/': 'Chromium',
  'test/database/altered-tables.test.ts': 'every method, before and after a change of all tables',
  'test/database/embedded-postgres.test.ts': 'PostgreSQL servers of its own',
  'test/database/growth.test.ts': 'PostgreSQL servers of its own, with 40,000 resources',
  'test/deploy/': 'packages, Prometheus and Docker',
  'test/docs/commands.test.ts': 'runs every command of the documentation',
  'test/docs/contributing.test.ts': 'a clone of the repository',
  'test/docs/migrating.test.ts': 'a server process, and 10,000 resources and shares',
  'test/docs/site.test.ts': 'Chromium and packages from npm',
  'test/email-sign-in/browser.test.ts': 'Chromium',
  'test/email-sign-in/limits.test.ts': 'every limit, counted',
  'test/gateway/example.test.ts': 'nginx, Caddy and Envoy',
  'test/gateway/gateways.test.ts': 'nginx, Caddy and Envoy',
  'test/grpc/h2spec.test.ts': 'h2spec',
  'test/grpc/strangers.test.ts': 'limits of 20 seconds',
  'test/grpc/unfinished-messages.test.ts': 'gigabytes of messages, and limits of 20 seconds',
  'test/http/connections.test.ts': 'limits of seconds',
  'test/http/docs-browser.test.ts': 'Chromium',
  'test/http/schemathesis.test.ts': 'schemathesis',
  'test/http/unfinished-bodies.test.ts': 'gigabytes of bodies, and limits of 20 seconds',
  'test/identity/browser.test.ts': 'Chromium',
  'test/identity/join-browser.test.ts': 'Chromium',
  'test/identity/linking.test.ts': 'every provider and address',
  'test/identity/oauth/': 'every flow and response of OAuth, and libraries in Go, Java and Python',
  'test/identity/outage.test.ts': 'outages',
  'test/identity/outcomes.test.ts': 'every outcome of a sign-in',
  'test/identity/races.test.ts': 'thousands of concurrent calls',
  'test/identity/redirect-uri.test.ts': 'many redirect URIs with every flow',
  'test/identity/rejected-tokens.test.ts': 'every kind of token at every method',
  'test/identity/revocation-in-progress.test.ts': 'many concurrent calls',
  'test/identity/revocation.test.ts': 'every way to end a session',
  'test/identity/sign-in-capacity.test.ts': 'many concurrent sign-ins',
  'test/identity/signers.test.ts': 'a server of Vault',
  'test/identity/state.test.ts': 'every flow with every provider',
  'test/identity/token-types.test.ts': 'every kind of token at every method',
  'test/models/': 'every question of 32 models',
  'test/passkeys/browser.test.ts': 'Chromium',
  'test/passkeys/libraries.test.ts': 'oauth2-proxy',
  'test/permissions/access-agreement.test.ts': 'random questions',
  'test/permissions/accessible-snapshot.test.ts': 'many pages during changes',
  'test/permissions/caller-isolation.test.ts': 'concurrent calls of many callers',
  'test/permissions/conditions/properties.test.ts': 'random conditions',
  'test/permissions/conditions/worst-inputs.test.ts': 'measures processor time',
  'test/permissions/facts-cache.test.ts': 'PostgreSQL servers of its own',
  'test/permissions/freshness.test.ts': '1,328 revocations under load',
  'test/permissions/hierarchy-oracle.test.ts': 'random worlds',
  'test/permissions/hostile-conditions.test.ts': 'patterns and batches that cost most',
  'test/permissions/many-groups.test.ts': 'members of many groups',
  'test/permissions/parents-concurrency.test.ts': 'thousands of concurrent calls',
  'test/permissions/quotas.test.ts': 'every quota',
  'test/permissions/share-expiry.test.ts': 'every decision before and after a time',
  'test/rate-limit/': 'Redis, and hundreds of requests',
  'test/resilience/': 'standbys, faults and several nodes',
  'test/scim/': 'dialects of directories, and 500 people',
  'test/server/': 'server processes',
  'test/tools/generate.test.ts': 'generates all code twice',
  'test/tools/run-tests.test.ts': 'a PostgreSQL server of its own',
  'test/webhooks/': 'a queue, and endpoints that hang',
  'test/workspaces/custom-role-groups.test.ts': 'every right of a role',
  'test/workspaces/custom-role-members.test.ts': 'every right of a role',
  'test/workspaces/deletion.test.ts': 'large workspaces',
  'test/workspaces/member-expiry.test.ts': 'every decision before and after a time',
  'test/workspaces/nested-groups-invariant.test.ts': 'random changes',
  'test/workspaces/owners.test.ts': 'many concurrent changes',
  'test/workspaces/quotas.test.ts': 'every quota',
  'test/workspaces/search-plan.test.ts': 'large workspaces',
}

/** `npm run test:containers` runs these files; it builds the images that they need. */
const containerTests = 'test/containers/'

/** The files that take longest. They run first, the longest one at the start, so that no core is idle at the end. */
export const slowTests = [
  'test/docs/commands.test.ts',
  'test/docs/site.test.ts',
  'test/resilience/linearizability.test.ts',
  'test/console/dialogs.test.ts',
  'test/resilience/agreement.test.ts',
  'test/resilience/http-attacks.test.ts',
  'test/architecture/left-out.test.ts',
  'test/clients/package.test.ts',
  'test/clients/watch.test.ts',
  'test/clients/generated.test.ts',
  'test/http/schemathesis.test.ts',
  'test/api/mass-assignment.test.ts',
  'test/identity/oauth/libraries.test.ts',
  'test/gateway/gateways.test.ts',
  'test/permissions/facts-cache.test.ts',
  'test/console/screens.test.ts',
  'test/console/actions.test.ts',
  'test/api/fuzz.test.ts',
  'test/workspaces/nested-groups-invariant.test.ts',
  'test/console/connections.test.ts',
  'test/api/admin.test.ts',
  'test/cli/server.test.ts',
  'test/resilience/storage.test.ts',
  'test/resilience/facts-after-crash.test.ts',
  'test/resilience/clients.test.ts',
  'test/resilience/drains.test.ts',
  'test/resilience/abuse.test.ts',
  'test/clients/browser.test.ts',
  'test/clients/python.test.ts',
  'test/clients/java.test.ts',
  'test/clients/terraform.test.ts',
  'test/cli/migrate-from.test.ts',
  'test/activity/events.test.ts',
  'test/api/idor.test.ts',
  'test/resilience/grpc-strangers.test.ts',
  'test/scim/directories.test.ts',
  'test/identity/races.test.ts',
  'test/server/lifecycle.test.ts',
  'test/server/workers.test.ts',
  'test/grpc/unfinished-messages.test.ts',
  'test/http/unfinished-bodies.test.ts',
  'test/http/connections.test.ts',
  'test/console/workspace-console.test.ts',
  'test/console/day.test.ts',
  'test/console/behavior.test.ts',
  'test/console/recovery.test.ts',
  'test/following/watch.test.ts',
  'test/activity/export.test.ts',
  'test/api/outage.test.ts',
  'test/cli/why.test.ts',
  'test/cli/server-lists.test.ts',
  'test/resilience/replicas.test.ts',
  'test/database/growth.test.ts',
  'test/permissions/freshness.test.ts',
  'test/csv-import/import-file.test.ts',
  'test/permissions/parents-concurrency.test.ts',
  'test/workspaces/deletion.test.ts',
  'test/grpc/introspection.test.ts',
  'test/permissions/parents.test.ts',
  'test/permissions/explain.test.ts',
  'test/workspaces/nested-groups.test.ts',
  'test/links/links.test.ts',
  'test/activity/chain.test.ts',
  'test/permissions/decision-oracle.test.ts',
  'test/api/credentials.test.ts',
  'test/identity/logout.test.ts',
  'test/identity/sessions.test.ts',
]

/** Folders whose files can share a thread although `npm test` leaves them out. */
export const sharingFolders = [
  'test/account/',
  'test/activity/',
  'test/admin/',
  'test/api/',
  'test/cli/',
  'test/console/',
  'test/csv-import/',
  'test/email-sign-in/',
  'test/identity/',
  'test/passkeys/',
  'test/permissions/',
  'test/scim/',
  'test/workspaces/',
]

/** Files that share no thread with others. */
export const aloneTests: Record<string, string> = {
  'test/api/fair-admission.test.ts': 'measures latencies',
  'test/api/field-validation.test.ts': 'measures the processor time of its thread',
  'test/api/outage.test.ts': 'runs a hook before each test',
  'test/docs/nextjs.test.ts': 'changes environment variables',
  'test/http/unknown-fields.test.ts': 'measures the processor time of its thread',
  'test/identity/oauth/logout-notifications.test.ts': 'runs a hook before each test',
  'test/permissions/conditions/worst-inputs.test.ts': 'measures processor time',
  'test/permissions/hostile-conditions.test.ts': 'measures processor time',
}

/** Returns the files of `npm test`, of the rest, or of both. */
export function listTests(selection: 'core' | 'rest' | 'all'): string[] {
  const options = { cwd: root, exclude: ['**/node_modules'] }
  const files = globSync('test/**/*.test.ts', options).filter(
    (file) => !file.startsWith(containerTests),
  )
  if (selection === 'all') return files
  return files.filter((file) => isExtended(file) === (selection === 'rest'))
}

/** Compares files by the order in which they run. */
export function compareTests(left: string, right: string): number {
  return rank(left) - rank(right) || left.localeCompare(right)
}

/** Returns whether a file runs in a thread of its own: it takes long, or changes or measures the process. */
export function isAlone(file: string): boolean {
  const isShared = !isExtended(file) || sharingFolders.some((folder) => file.startsWith(folder))
  return !isShared || slowTests.includes(file) || Object.hasOwn(aloneTests, file)
}

function isExtended(file: string): boolean {
  return Object.keys(extendedTests).some((path) => file.startsWith(path))
}

function rank(file: string): number {
  const index = slowTests.findIndex((slow) => file.endsWith(slow))
  return index === -1 ? slowTests.length : index
}
