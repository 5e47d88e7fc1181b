import { type Model, may, mayNot, until, what, who } from './model.ts'

const assetRoles = {
  viewer: 'view',
  creator: 'create-asset',
  'content-manager': 'edit create-asset',
}

const forAnHour = { name: 'until', params: { start: '2024-01-01T00:00:00Z', length: '3600s' } }
const atTenPast = { context: { current_time: '2024-01-01T00:10:00Z' } }

/** Reads an attribute instead of the owner, who may transfer what is about them and then decide about it. */
const managed = { expression: 'subject.id != resource.attributes.person' }

const about = (person: string) => ({ attributes: { person } })

export const organizations: Model[] = [
  {
    title: 'roles of teams on categories of assets',
    store: 'custom-roles',
    actions: 'create-asset create-role',
    viewers: 'anne beth daniel edith',
    admins: 'carlos',
    groups: {
      marketing: 'beth',
      qa: 'daniel',
      design: 'anne',
      contractors: 'edith',
      'content-managers': 'marketing',
      'content-testers': 'qa',
      'media-creators': 'contractors',
      'media-managers': 'design',
    },
    types: { category: { roles: assetRoles } },
    resources: {
      'library:contoso': {},
      'category:website-content': { parent: 'library:contoso' },
      'category:website-media': { parent: 'library:contoso' },
      'asset:homepage': { parent: 'category:website-content' },
      'asset:hero': { parent: 'category:website-media' },
    },
    shares: [
      ['content-testers', 'view', 'library:contoso'],
      ['content-managers', 'content-manager', 'category:website-content'],
      ['media-managers', 'viewer', 'category:website-content'],
      ['media-creators', 'creator', 'category:website-media'],
      ['media-managers', 'content-manager', 'category:website-media'],
      ['content-managers', 'viewer', 'category:website-media'],
    ],
    cases: [
      ...may('carlos', 'create-role', 'workspace:'),
      ...may('anne', 'view', 'asset:hero'),
      ...mayNot('beth', 'edit', 'asset:hero'),
      ...may('beth', 'edit', 'asset:homepage'),
      ...may('carlos', 'edit', 'asset:homepage'),
      ...may('daniel', 'view', 'asset:homepage'),
      ...mayNot('daniel', 'edit', 'asset:homepage'),
      ...mayNot('edith', 'view', 'asset:homepage'),
      ...may('edith', 'create-asset', 'category:website-media'),
      ...what('beth', 'view', 'asset', 'asset:homepage asset:hero'),
      ...who('view', 'asset:homepage', 'anne beth carlos daniel'),
    ],
  },
  {
    title: 'roles that an organization defines, for groups in groups',
    store: 'multitenant-rbac',
    actions: 'edit-billing invite-people create-document',
    viewers: 'emily francis ian',
    admins: 'anne',
    groups: {
      finance: 'francis',
      'it-admins': 'ian',
      'data-engineering': 'emily',
      engineering: 'data-engineering',
    },
    customRoles: {
      Administrators: { actions: 'edit-billing invite-people create-document', of: 'it-admins' },
      'Billing managers': { actions: 'edit-billing', of: 'finance' },
      'Document managers': { actions: 'create-document', of: 'engineering' },
    },
    resources: { 'library:acme': {}, 'document:readme': { parent: 'library:acme' } },
    shares: [
      ['it-admins', 'edit', 'library:acme'],
      ['engineering', 'edit', 'library:acme'],
    ],
    cases: [
      ...may('emily', 'edit view', 'document:readme'),
      ...may('anne', 'edit view', 'document:readme'),
      ...may('ian', 'edit view', 'document:readme'),
      ...mayNot('francis', 'edit view', 'document:readme'),
      ...may('francis', 'edit-billing', 'workspace:'),
      ...may('ian', 'edit-billing', 'workspace:'),
      ...may('anne', 'edit-billing', 'workspace:'),
      ...mayNot('emily', 'edit-billing', 'workspace:'),
      ...who('view', 'document:readme', 'anne emily ian'),
    ],
  },
  {
    title: 'one role with different people on each project',
    store: 'role-assignments',
    viewers: 'anne bob',
    types: { project: { roles: { 'project-admin': 'view edit' } } },
    resources: { 'project:openfga': {}, 'project:java-sdk': {} },
    shares: [
      ['anne', 'project-admin', 'project:openfga'],
      ['bob', 'project-admin', 'project:java-sdk'],
    ],
    cases: [
      ...may('anne', 'view edit', 'project:openfga'),
      ...mayNot('bob', 'view edit', 'project:openfga'),
      ...may('bob', 'view edit', 'project:java-sdk'),
      ...mayNot('anne', 'view edit', 'project:java-sdk'),
    ],
  },
  {
    title: 'administrators and support of a vendor, above its customers',
    store: 'superadmin',
    viewers: 'anne john peter',
    serviceAccounts: 'maintenance',
    types: { organization: { conditions: { until } } },
    resources: {
      'system:global': {},
      'organization:acme': { parent: 'system:global' },
      'project:openfga': { parent: 'organization:acme' },
      'task:example': { parent: 'project:openfga' },
    },
    shares: [
      ['anne', 'edit', 'system:global'],
      ['maintenance', 'edit', 'system:global'],
      ['peter', 'edit', 'organization:acme'],
      ['john', 'view', 'organization:acme', forAnHour],
    ],
    cases: [
      ...may('anne', 'view edit', 'task:example'),
      ...may('peter', 'view edit', 'task:example'),
      ...may('maintenance', 'view edit', 'task:example'),
      ...may('john', 'view', 'task:example', atTenPast),
      ...mayNot('john', 'edit', 'task:example', atTenPast),
      ...what('john', 'view', 'task', 'task:example', atTenPast),
      ...what('peter', 'view', 'task', 'task:example'),
      ...what('anne', 'view', 'task', 'task:example'),
    ],
  },
  {
    title: 'reports that all managers of their author approve, and nobody else',
    store: 'expenses',
    actions: 'approve manage-person',
    viewers: 'daniel emily matt sam',
    types: {
      person: {
        roles: { manager: 'approve manage-person' },
        conditions: { managed },
        requirements: { 'manage-person': 'managed' },
      },
      report: { conditions: { managed }, requirements: { approve: 'managed' } },
    },
    resources: {
      'person:emily': { owner: 'emily', ...about('emily') },
      'person:sam': { owner: 'sam', parent: 'person:emily', ...about('sam') },
      'person:matt': { owner: 'matt', parent: 'person:sam', ...about('matt') },
      'person:daniel': { owner: 'daniel', parent: 'person:matt', ...about('daniel') },
      'report:daniel-chair': { owner: 'daniel', parent: 'person:daniel', ...about('daniel') },
      'report:sam-chair': { owner: 'sam', parent: 'person:sam', ...about('sam') },
    },
    shares: ['emily', 'sam', 'matt', 'daniel'].map((name) => [name, 'manager', `person:${name}`]),
    cases: [
      ...may('matt', 'manage-person', 'person:daniel'),
      ...may('emily', 'approve', 'report:daniel-chair'),
      ...mayNot('daniel', 'approve', 'report:daniel-chair'),
      ...what('emily', 'approve', 'report', 'report:daniel-chair report:sam-chair'),
      ...who('approve', 'report:daniel-chair', 'emily matt sam'),
    ],
  },
  {
    title: 'admins are members',
    store: 'modular core',
    admins: 'anne',
    cases: may('anne', 'manage view', 'workspace:'),
  },
  {
    title: 'projects that members view and admins create',
    store: 'modular issue-tracker',
    actions: 'create-project',
    admins: 'anne',
    resources: { 'project:openfga': { visibility: 'workspace' } },
    cases: [
      ...may('anne', 'create-project', 'workspace:'),
      ...may('anne', 'view', 'project:openfga'),
    ],
  },
  {
    title: 'spaces that members view and admins create',
    store: 'modular wiki',
    actions: 'create-space',
    admins: 'anne',
    resources: { 'space:openfga': { visibility: 'workspace' } },
    cases: [...may('anne', 'create-space', 'workspace:'), ...may('anne', 'view', 'space:openfga')],
  },
  {
    title: 'spaces and projects together',
    store: 'modular store',
    actions: 'create-space',
    admins: 'anne',
    resources: {
      'space:openfga': { visibility: 'workspace' },
      'project:openfga': { visibility: 'workspace' },
    },
    cases: [
      ...may('anne', 'manage view create-space', 'workspace:'),
      ...may('anne', 'view', 'space:openfga'),
      ...may('anne', 'view', 'project:openfga'),
    ],
  },
]
