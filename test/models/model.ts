/** A model of another project, said in daikon's words, and the questions that it answers. */
export type Model = {
  title: string
  /** The store of openfga/sample-stores that asks these questions. */
  store: string
  /** The service's actions. Lists of names are separated by spaces here and below. */
  actions?: string
  /** What the service declares about resource types. */
  types?: Record<string, Declaration>
  /** Members of the workspace by role. */
  viewers?: string
  admins?: string
  editors?: string
  serviceAccounts?: string
  /** People and groups in each group; a group comes before the groups that contain it. */
  groups?: Record<string, string>
  /** The actions of each custom role, and the people and groups who have it. */
  customRoles?: Record<string, { actions: string; of: string }>
  /** Resources as `type:id`; a parent comes before its children. */
  resources?: Record<string, ResourceFacts>
  shares?: Share[]
  cases: Case[]
}

export type Declaration = {
  allow_public?: boolean
  /** The actions of each role. */
  roles?: Record<string, string>
  conditions?: Record<string, { expression: string; parameters?: Record<string, string> }>
  /** The condition that each action requires. */
  requirements?: Record<string, string>
}

export type ResourceFacts = {
  /** Without one, the owner of the workspace, whom no question names. */
  owner?: string
  parent?: string
  visibility?: 'workspace' | 'public'
  /** A value that names a person or group of the model stands for their ID. */
  attributes?: Record<string, string>
}

/** The permission is `view`, `edit` or a role of the type. */
export type Share = [grantee: string, permission: string, resource: string, condition?: Condition]

type Condition = { name: string; params: object }

/** What the caller sends about its request and about the subject. */
type Circumstances = { context?: object; properties?: object }

export type Case = Circumstances &
  (
    | { kind: 'decision'; subject: string; action: string; resource: string; allowed: boolean }
    | { kind: 'subjects'; type: string; action: string; resource: string; found: string[] }
    | { kind: 'resources'; type: string; action: string; subject: string; found: string[] }
  )

/** A condition of shares that are for some time. */
export const until = {
  expression: 'timestamp(context.current_time) < params.start + params.length',
  parameters: { start: 'timestamp', length: 'duration' },
}

/** Splits a list of names. */
export const namesIn = (list = ''): string[] => list.split(' ').filter((name) => name !== '')

const decisions =
  (allowed: boolean) =>
  (subject: string, actions: string, resource: string, more: Circumstances = {}): Case[] =>
    namesIn(actions).map((action) => ({
      ...{ kind: 'decision', subject, action, resource, allowed },
      ...more,
    }))

/** A subject may perform each of the actions. */
export const may = decisions(true)

/** A subject may perform none of the actions. */
export const mayNot = decisions(false)

/** These users or groups, and no others, may perform an action on a resource. */
export const who = (
  action: string,
  resource: string,
  found: string,
  { type = 'user', ...more }: Circumstances & { type?: 'user' | 'group' } = {},
): Case[] => [{ kind: 'subjects', type, action, resource, found: namesIn(found), ...more }]

/** A subject may perform an action on these resources of a type, and on no others. */
export const what = (
  subject: string,
  action: string,
  type: string,
  found: string,
  more: Circumstances = {},
): Case[] => [{ kind: 'resources', type, action, subject, found: namesIn(found), ...more }]
