import { type Model, may, mayNot, until, what, who } from './model.ts'

const inside = { context: { user_ip: '192.168.0.1' } }
const outside = { context: { user_ip: '192.168.1.1' } }
const transfer = (amount: number, approved: number) => ({ context: { amount, approved } })
const status = (name: string) => ({ context: { document_attributes: { status: name } } })
const allowed = (...statuses: string[]) => ({ name: 'status', params: { allowed: statuses } })
const at = (current_time: string) => ({ context: { current_time } })
const from2023 = (length: string) => ({
  name: 'until',
  params: { start: '2023-01-01T00:00:00Z', length },
})
const counts = (count: number) => ({
  context: { collaborators: count, rows: count, history_days: count },
})
const below = (name: string) => ({
  expression: `context.${name} <= double(params.limit)`,
  parameters: { limit: 'int' },
})
const limit = (name: string, value: number) => ({ name, params: { limit: value } })

export const limits: Model[] = [
  {
    title: 'features of plans, up to the limits of the plan',
    store: 'advanced-entitlements',
    viewers: 'anne beth',
    groups: { acme: 'anne', okta: 'beth', free: 'acme', pro: 'okta' },
    types: {
      feature: {
        conditions: {
          collaborators: below('collaborators'),
          rows: below('rows'),
          history: below('history_days'),
        },
      },
    },
    resources: {
      'plan:pro': {},
      'feature:page-history': {},
      'feature:invitations': {},
      'feature:synced-rows': {},
      'feature:basic-analytics': {},
      'feature:advanced-analytics': {},
      'feature:support': {},
    },
    shares: [
      ['pro', 'view', 'plan:pro'],
      ['free', 'view', 'feature:page-history', limit('history', 7)],
      ['free', 'view', 'feature:invitations', limit('collaborators', 10)],
      ['free', 'view', 'feature:synced-rows', limit('rows', 100)],
      ['free', 'view', 'feature:basic-analytics'],
      ['pro', 'view', 'feature:page-history', limit('history', 30)],
      ['pro', 'view', 'feature:invitations', limit('collaborators', 100)],
      ['pro', 'view', 'feature:synced-rows', limit('rows', 20_000)],
      ['pro', 'view', 'feature:advanced-analytics'],
      ['pro', 'view', 'feature:support'],
    ],
    cases: [
      ...may('beth', 'view', 'feature:page-history', { context: { history_days: 10 } }),
      ...may('beth', 'view', 'feature:invitations', { context: { collaborators: 20 } }),
      ...may('beth', 'view', 'feature:synced-rows', { context: { rows: 200 } }),
      ...may('beth', 'view', 'feature:advanced-analytics'),
      ...may('beth', 'view', 'feature:support'),
      ...may('beth', 'view', 'plan:pro'),
      ...what(
        ...(['beth', 'view', 'feature'] as const),
        'feature:page-history feature:invitations feature:synced-rows feature:advanced-analytics feature:support',
        counts(1),
      ),
      ...mayNot('anne', 'view', 'feature:page-history', { context: { history_days: 10 } }),
      ...mayNot('anne', 'view', 'feature:invitations', { context: { collaborators: 20 } }),
      ...mayNot('anne', 'view', 'feature:synced-rows', { context: { rows: 200 } }),
      ...mayNot('anne', 'view', 'feature:advanced-analytics'),
      ...mayNot('anne', 'view', 'feature:support'),
      ...mayNot('anne', 'view', 'plan:pro'),
      ...may('anne', 'view', 'feature:page-history', { context: { history_days: 1 } }),
      ...may('anne', 'view', 'feature:invitations', { context: { collaborators: 1 } }),
      ...may('anne', 'view', 'feature:synced-rows', { context: { rows: 1 } }),
      ...may('anne', 'view', 'feature:basic-analytics'),
      ...what(
        ...(['anne', 'view', 'feature'] as const),
        'feature:page-history feature:invitations feature:synced-rows feature:basic-analytics',
        counts(1),
      ),
      ...what('anne', 'view', 'feature', 'feature:basic-analytics', counts(1000)),
    ],
  },
  {
    title: 'features of the plans of organizations',
    store: 'entitlements',
    viewers: 'anne beth charles',
    groups: {
      alpha: 'anne',
      brayer: 'beth',
      cups: 'charles',
      free: 'alpha',
      team: 'brayer',
      enterprise: 'cups',
    },
    resources: { 'feature:issues': {}, 'feature:drafts': {}, 'feature:sso': {} },
    shares: [
      ['free', 'view', 'feature:issues'],
      ['team', 'view', 'feature:issues'],
      ['enterprise', 'view', 'feature:issues'],
      ['team', 'view', 'feature:drafts'],
      ['enterprise', 'view', 'feature:drafts'],
      ['enterprise', 'view', 'feature:sso'],
    ],
    cases: [
      ...may('anne', 'view', 'feature:issues'),
      ...mayNot('anne', 'view', 'feature:drafts'),
      ...mayNot('anne', 'view', 'feature:sso'),
      ...may('beth', 'view', 'feature:issues'),
      ...may('beth', 'view', 'feature:drafts'),
      ...mayNot('beth', 'view', 'feature:sso'),
      ...may('charles', 'view', 'feature:issues'),
      ...may('charles', 'view', 'feature:drafts'),
      ...may('charles', 'view', 'feature:sso'),
      ...who('view', 'feature:issues', 'anne beth charles'),
      ...what('charles', 'view', 'feature', 'feature:drafts feature:issues feature:sso'),
    ],
  },
  {
    title: 'transfers up to the limit of customers and of managers',
    store: 'banking',
    actions: 'transfer',
    viewers: 'anne peter',
    editors: 'bob',
    types: {
      account: {
        roles: { delegate: 'transfer' },
        conditions: {
          limit: {
            expression:
              "context.amount <= (subject.role == 'editor' ? 1000.0 : 100.0) || context.amount <= context.approved",
          },
        },
        requirements: { transfer: 'limit' },
      },
    },
    resources: { 'account:123': { owner: 'anne' } },
    shares: [
      ['bob', 'delegate', 'account:123'],
      ['peter', 'delegate', 'account:123'],
    ],
    cases: [
      ...may('anne', 'transfer', 'account:123', transfer(10, 0)),
      ...may('peter', 'transfer', 'account:123', transfer(10, 0)),
      ...may('anne', 'transfer', 'account:123', transfer(1000, 1000)),
      ...mayNot('anne', 'transfer', 'account:123', transfer(1000, 0)),
      ...may('bob', 'transfer', 'account:123', transfer(1000, 0)),
    ],
  },
  {
    title: 'documents for groups by status',
    store: 'groups-resource-attributes',
    viewers: 'anne bob',
    groups: { content: 'anne', marketing: 'bob' },
    types: {
      library: {
        conditions: {
          status: {
            expression: 'context.document_attributes.status in params.allowed',
            parameters: { allowed: 'list<string>' },
          },
        },
      },
    },
    resources: { 'library:acme': {}, 'document:1': { parent: 'library:acme' } },
    shares: [
      ['content', 'view', 'library:acme', allowed('draft', 'published')],
      ['marketing', 'view', 'library:acme', allowed('published')],
    ],
    cases: [
      ...may('anne', 'view', 'document:1', status('draft')),
      ...may('anne', 'view', 'document:1', status('published')),
      ...mayNot('bob', 'view', 'document:1', status('draft')),
      ...may('bob', 'view', 'document:1', status('published')),
    ],
  },
  {
    title: 'documents in the network of the organization only',
    store: 'ip-based-access',
    viewers: 'anne',
    types: {
      document: {
        conditions: {
          network: { expression: 'in_cidr(context.user_ip, resource.attributes.network)' },
        },
        requirements: { view: 'network' },
      },
    },
    resources: { 'document:1': { attributes: { network: '192.168.0.0/24' } } },
    shares: [['anne', 'view', 'document:1']],
    cases: [
      ...may('anne', 'view', 'document:1', inside),
      ...what('anne', 'view', 'document', 'document:1', inside),
      ...mayNot('anne', 'view', 'document:1', outside),
      ...what('anne', 'view', 'document', '', outside),
    ],
  },
  {
    title: 'documents for some time',
    store: 'temporal-access',
    viewers: 'anne bob',
    types: {
      document: {
        conditions: {
          until,
        },
      },
    },
    resources: { 'document:1': {}, 'document:2': {} },
    shares: [
      ['bob', 'view', 'document:1'],
      ['anne', 'view', 'document:1', from2023('3600s')],
      ['anne', 'view', 'document:2', from2023('5s')],
    ],
    cases: [
      ...may('anne', 'view', 'document:1', at('2023-01-01T00:10:00Z')),
      ...mayNot('anne', 'view', 'document:1', at('2023-01-01T02:00:00Z')),
      ...mayNot('anne', 'view', 'document:2', at('2023-01-01T00:00:09Z')),
      ...may('bob', 'view', 'document:1'),
      ...what('anne', 'view', 'document', 'document:1 document:2', at('2023-01-01T00:00:01Z')),
      ...who('view', 'document:1', 'anne bob', at('2023-01-01T00:00:01Z')),
      ...who('view', 'document:2', 'anne', at('2023-01-01T00:00:01Z')),
    ],
  },
]
