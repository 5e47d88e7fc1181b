import { type Model, may, mayNot, until, what, who } from './model.ts'

const organization = {
  title: 'folders of an organization, for its admins, nested groups and the public',
  admins: 'peter',
  viewers: 'anne bob martin',
  groups: { engineering: 'martin', everyone: 'engineering' },
  types: { document: { allow_public: true } },
  resources: {
    'folder:root': { owner: 'anne' },
    'document:welcome': { owner: 'bob', parent: 'folder:root' },
    'document:public-roadmap': { visibility: 'public' },
  },
  shares: [['everyone', 'edit', 'folder:root']],
} satisfies Omit<Model, 'store' | 'cases'>

const ownersCases = [
  ...may('anne', 'edit view', 'document:welcome'),
  ...mayNot('bob', 'edit view', 'folder:root'),
]
const adminCases = [
  ...ownersCases,
  ...may('peter', 'edit view', 'folder:root'),
  ...may('peter', 'edit view', 'document:welcome'),
]
const groupCases = [
  ...adminCases,
  ...may('martin', 'edit view', 'document:welcome'),
  ...may('martin', 'edit view', 'folder:root'),
]
const publicCases = [
  ...groupCases,
  ...mayNot('john', 'edit', 'document:public-roadmap'),
  ...may('john', 'view', 'document:public-roadmap'),
]
const draftCases = [...publicCases, ...mayNot('john', 'edit view', 'document:draft')]

/** A draft is private; publishing it makes it public. */
const withDraft = {
  ...organization,
  title: 'drafts for editors, and published documents for everybody',
  resources: { ...organization.resources, 'document:draft': { parent: 'folder:root' } },
}

/** Somebody stands above the organizations, so that they are resources. */
const system = {
  ...withDraft,
  title: 'administrators of all organizations',
  admins: '',
  viewers: 'anne bob martin peter sam',
  types: {
    ...withDraft.types,
    system: {
      conditions: {
        until,
      },
    },
  },
  resources: {
    'system:root': {},
    'organization:acme': { parent: 'system:root' },
    'folder:root': { owner: 'anne', parent: 'organization:acme' },
    'document:welcome': { owner: 'bob', parent: 'folder:root' },
    'document:public-roadmap': { visibility: 'public' },
    'document:draft': { parent: 'folder:root' },
  },
  shares: [
    ['everyone', 'edit', 'folder:root'],
    ['peter', 'edit', 'organization:acme'],
    ['sam', 'edit', 'system:root'],
  ],
} satisfies Omit<Model, 'store' | 'cases'>

const forAnHour = { name: 'until', params: { start: '2024-07-21T00:00:00Z', length: '3600s' } }
const temporary = {
  ...system,
  title: 'an administrator of all organizations for an hour',
  shares: [...system.shares.slice(0, 2), ['sam', 'edit', 'system:root', forAnHour]],
} satisfies Omit<Model, 'store' | 'cases'>
const temporaryCases = [
  ...draftCases,
  ...may('sam', 'edit view', 'document:welcome', {
    context: { current_time: '2024-07-21T00:00:09Z' },
  }),
  ...mayNot('sam', 'edit view', 'document:welcome', {
    context: { current_time: '2024-07-22T00:00:09Z' },
  }),
]

const withRoles = {
  ...temporary,
  title: 'roles in an organization',
  actions: 'add-admin create-document',
  viewers: `${temporary.viewers} omar edith`,
  groups: { ...temporary.groups, managers: 'omar', authors: 'edith' },
  types: {
    ...temporary.types,
    organization: {
      roles: {
        manager: 'add-admin',
        author: 'create-document',
        application: 'edit add-admin create-document',
        writer: 'edit create-document',
      },
    },
  },
  shares: [
    ...temporary.shares,
    ['managers', 'manager', 'organization:acme'],
    ['authors', 'author', 'organization:acme'],
  ],
} satisfies Omit<Model, 'store' | 'cases'>
const roleCases = [
  ...temporaryCases,
  ...may('omar', 'add-admin', 'organization:acme'),
  ...mayNot('omar', 'create-document', 'organization:acme'),
  ...mayNot('edith', 'add-admin', 'organization:acme'),
  ...may('edith', 'create-document', 'organization:acme'),
]

const statusCondition = {
  expression:
    "properties.subject.verified == true && (resource.attributes.status == 'published' || resource.owner_id == subject.id)",
}
const draftsOnly = {
  expression: "properties.subject.verified == true && resource.attributes.status == 'draft'",
}
const verified = { properties: { verified: true } }
const unverified = { properties: { verified: false } }

export const documents: Model[] = [
  { ...organization, store: 'modeling-guide 1', cases: ownersCases },
  { ...organization, store: 'modeling-guide 2', cases: adminCases },
  { ...organization, store: 'modeling-guide 3', cases: groupCases },
  { ...organization, store: 'modeling-guide 4', cases: publicCases },
  {
    ...withDraft,
    store: 'modeling-guide 5',
    cases: [...draftCases, ...may('peter', 'edit view', 'document:draft')],
  },
  {
    ...system,
    store: 'modeling-guide 6',
    cases: [...draftCases, ...may('sam', 'edit view', 'document:draft')],
  },
  { ...temporary, store: 'modeling-guide 7', cases: temporaryCases },
  { ...withRoles, store: 'modeling-guide 8', cases: roleCases },
  {
    ...withRoles,
    title: 'an application that manages an organization',
    store: 'modeling-guide 9',
    serviceAccounts: 'app-1',
    shares: [...withRoles.shares, ['app-1', 'application', 'organization:acme']],
    cases: [
      ...roleCases,
      ...may('app-1', 'add-admin create-document', 'organization:acme'),
      ...may('app-1', 'edit view', 'document:welcome'),
    ],
  },
  {
    ...withRoles,
    title: 'applications with different rights in an organization',
    store: 'modeling-guide 10',
    serviceAccounts: 'app-1 app-2',
    shares: [...withRoles.shares, ['app-1', 'writer', 'organization:acme']],
    cases: [
      ...roleCases,
      ...mayNot('app-1', 'add-admin', 'organization:acme'),
      ...may('app-1', 'create-document', 'organization:acme'),
      ...may('app-1', 'edit view', 'document:welcome'),
      ...mayNot('app-2', 'add-admin create-document', 'organization:acme'),
    ],
  },
  {
    title: 'drafts and published documents, for people with a verified address',
    store: 'abac-with-rebac',
    viewers: 'anne bob jeremy',
    types: {
      document: {
        conditions: { readable: statusCondition, writable: draftsOnly },
        requirements: { view: 'readable', edit: 'writable' },
      },
    },
    resources: {
      'document:draft': { owner: 'bob', attributes: { status: 'draft' } },
      'document:published': { owner: 'bob', attributes: { status: 'published' } },
    },
    shares: ['draft', 'published'].flatMap((id): Model['shares'] & object =>
      ['anne', 'jeremy'].map((person) => [person, 'view', `document:${id}`]),
    ),
    cases: [
      ...mayNot('anne', 'edit view', 'document:draft', verified),
      ...may('bob', 'edit view', 'document:draft', verified),
      ...mayNot('jeremy', 'edit view', 'document:draft', unverified),
      ...mayNot('anne', 'edit', 'document:published', verified),
      ...may('anne', 'view', 'document:published', verified),
      ...mayNot('bob', 'edit', 'document:published', verified),
      ...may('bob', 'view', 'document:published', verified),
      ...mayNot('jeremy', 'edit view', 'document:published', unverified),
    ],
  },
  {
    title: 'folders and documents that people, groups and everybody may read',
    store: 'gdrive',
    actions: 'change-owner',
    viewers: 'anne beth charles',
    groups: { contoso: 'anne beth', fabrikam: 'charles' },
    types: {
      doc: {
        allow_public: true,
        conditions: { own: { expression: 'resource.owner_id == subject.id' } },
        requirements: { 'change-owner': 'own' },
      },
    },
    resources: {
      'folder:product-2021': { owner: 'anne' },
      'doc:public-roadmap': { parent: 'folder:product-2021', visibility: 'public' },
      'doc:2021-roadmap': { parent: 'folder:product-2021' },
    },
    shares: [
      ['fabrikam', 'view', 'folder:product-2021'],
      ['beth', 'view', 'doc:2021-roadmap'],
    ],
    cases: [
      ...may('anne', 'edit', 'doc:2021-roadmap'),
      ...mayNot('beth', 'change-owner', 'doc:2021-roadmap'),
      ...may('charles', 'view', 'doc:2021-roadmap'),
      ...what('anne', 'view', 'doc', 'doc:2021-roadmap doc:public-roadmap'),
      ...who('view', 'doc:2021-roadmap', 'anne beth charles'),
      ...who('view', 'folder:product-2021', 'fabrikam', { type: 'group' }),
      ...who('view', 'folder:product-2021', 'anne charles'),
    ],
  },
]
