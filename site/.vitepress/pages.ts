import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** The paths of the pages in the repository. */
export const pages = globSync(
  [
    'site/index.md',
    'site/reference/*.md',
    '{README,CHANGELOG,CONTRIBUTING,SECURITY}.md',
    'docs/**/*.md',
    'clients/README.md',
    'clients/*/README.md',
  ],
  { cwd: root },
)

/** Matches every file outside `pages`. */
export const otherFiles = [
  '!(site|docs|clients)/**/*',
  '!(README|CHANGELOG|CONTRIBUTING|SECURITY).md',
  'site/!(index).md',
  'clients/*/!(README.md)',
  'clients/*/*/**',
]

/** Returns the path of a page in the site. */
export function toSite(path: string): string {
  return path
    .replace(/^README\.md$/, 'start.md')
    .replace(/^site\//, '')
    .replace(/README\.md$/, 'index.md')
}

/** The pages of a folder, without its index. */
function pagesOf(folder: string): string[] {
  return pages.filter((path) => path.startsWith(`${folder}/`) && !path.endsWith('README.md')).sort()
}

const references = pages.filter((path) => path.startsWith('site/reference/')).sort()

/** The groups of the sidebar. Pages of `docs` that no group names are in the last one. */
const groups: Record<string, string[]> = {
  'Getting started': ['README.md', 'docs/comparison.md', 'docs/migrating.md', 'CHANGELOG.md'],
  Permissions: named('permission-model', 'guests', 'conditions', 'authzen', 'a-decision-is-wrong'),
  'Sign-in': named(
    'openid-connect',
    'browser-sign-in',
    'own-sign-in',
    'passkeys',
    'step-up',
    'api-resources',
    'third-party-clients',
    'mcp',
    'agents',
    'invitations',
    'connections',
    'applications',
    'service-accounts',
    'management-apps',
    'scim',
  ),
  'Protect a service': named(
    'integrate-node',
    'integrate-nextjs',
    'integrate-python',
    'integrate-go',
    'other-languages',
    'testing-your-service',
    'listing-with-your-own-database',
    'writing-to-two-places',
    'following-changes',
    'following-changes-cookbook',
  ),
  'Client libraries': [
    'clients/README.md',
    'clients/typescript/README.md',
    'clients/python/README.md',
    'clients/go/README.md',
    'clients/java/README.md',
    'clients/browser/README.md',
    'clients/terraform-provider-daikon/README.md',
  ],
  API: ['docs/api.md', ...references.filter((path) => !path.includes('AdminService'))],
  Operation: named(
    'configuration',
    'operations',
    'kubernetes',
    'sizing',
    'scaling',
    'resilience',
    'activity-log',
    'admin-console',
    'workspace-console',
  ),
  'Design and contributing': [
    ...named('architecture', 'decisions/README'),
    'SECURITY.md',
    'CONTRIBUTING.md',
    ...pagesOf('docs/contributing'),
  ],
  Decisions: pagesOf('docs/decisions'),
}

/** Returns the sidebars: of the reference, and of all other pages. */
export function createSidebars() {
  const listed = new Set(Object.values(groups).flat())
  const others = pages.filter((path) => path.startsWith('docs/') && !listed.has(path))
  return {
    '/reference/': [createGroup('API reference', ['docs/api.md', ...references])],
    '/': Object.entries({ ...groups, ...(others.length > 0 && { 'More pages': others }) }).map(
      ([text, paths]) => createGroup(text, paths),
    ),
  }
}

function createGroup(text: string, paths: string[]) {
  return { text, items: paths.map((path) => ({ text: titleOf(path), link: `/${toSite(path)}` })) }
}

function named(...names: string[]): string[] {
  return names.map((name) => `docs/${name}.md`)
}

/** Returns the first heading of a page. */
function titleOf(path: string): string {
  if (path === 'README.md') return 'Quick start'
  const [, title = path] = /^# (.*)$/m.exec(readFileSync(join(root, path), 'utf8')) ?? []
  return title
}
