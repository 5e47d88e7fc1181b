import { Ajv, type ErrorObject } from 'ajv'
import type { Role } from '../../core/roles.ts'
import { mappingSchema } from './mapping-schema.ts'
import type { Problem } from './tuple.ts'
import { parseYaml } from './yaml-text.ts'

/** What the IDs of users are: external IDs, e-mail addresses, or keys of the table `emails`. */
export type UserIds = 'external_id' | 'email' | 'emails'

/** The workspace of an object: a relation to an object that is a workspace, or the slug. */
type InWorkspace = { workspace?: string; workspace_slug?: string }

export type WorkspaceMapping = {
  roles: Map<string, Role>
  /** The relation that all members have. */
  everyone?: string
  /** By ID. Other IDs are slugs. */
  slugs: Map<string, string>
}

export type GroupMapping = InWorkspace & { members: string[] }

export type ResourceMapping = InWorkspace & {
  service: string
  type?: string
  owner?: string
  /** The owner of resources without one, in the form `type:id`. */
  default_owner?: string
  parent?: string
  /** The permission or role of each relation. */
  shares: Map<string, string>
  /** The names of conditions of the resource type, by those in the export. */
  conditions: Map<string, string>
  /** The visibility of resources that all users may view. */
  wildcard?: 'workspace' | 'public'
}

/** What the types and relations of an export become. All maps are by type or relation. */
export type Mapping = {
  users: Map<string, UserIds>
  emails: Map<string, string>
  workspaces: Map<string, WorkspaceMapping>
  groups: Map<string, GroupMapping>
  resources: Map<string, ResourceMapping>
}

/** The mapping file after the schema has filled in defaults. */
type MappingFile = {
  users: Record<string, UserIds>
  emails: Record<string, string>
  workspaces: Record<string, Convert<WorkspaceMapping>>
  groups: Record<string, GroupMapping>
  resources: Record<string, Convert<ResourceMapping>>
}

/** A type with objects in place of maps. */
type Convert<Type> = {
  [Name in keyof Type]: Type[Name] extends Map<string, infer Value>
    ? Record<string, Value>
    : Type[Name]
}

const isMappingFile = new Ajv({
  allErrors: true,
  useDefaults: true,
  allowUnionTypes: true,
}).compile<MappingFile>(mappingSchema)

/** Parses a mapping file, in YAML or JSON. Without problems, it has a mapping. */
export function parseMapping(text: string): { mapping?: Mapping; problems: Problem[] } {
  const { document, problems, placeOf } = parseYaml(text)
  if (problems.length > 0) return { problems }
  const file: unknown = document.toJS()
  if (!isMappingFile(file)) {
    const found = (isMappingFile.errors ?? []).map((error) => describe(error))
    return { problems: found.map(({ path, message }) => ({ place: placeOf(path), message })) }
  }
  const found = findContradictions(file)
  if (found.length > 0)
    return { problems: found.map(({ path, message }) => ({ place: placeOf(path), message })) }
  return { mapping: toMapping(file), problems: [] }
}

function toMapping({ users, emails, workspaces, groups, resources }: MappingFile): Mapping {
  return {
    users: toMap(users),
    emails: toMap(emails),
    workspaces: toMap(workspaces, (item) => ({
      ...item,
      roles: toMap(item.roles),
      slugs: toMap(item.slugs),
    })),
    groups: toMap(groups),
    resources: toMap(resources, (item) => ({
      ...item,
      shares: toMap(item.shares),
      conditions: toMap(item.conditions),
    })),
  }
}

function toMap<Value, Result = Value>(
  record: Record<string, Value>,
  convert = (value: Value) => value as unknown as Result,
): Map<string, Result> {
  return new Map(Object.entries(record).map(([key, value]) => [key, convert(value)]))
}

/** A problem at a path from the root of the mapping. */
type Finding = { path: string[]; message: string }

function describe({ instancePath, keyword, params, message = 'is invalid' }: ErrorObject): Finding {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
  const name = path.join('.')
  const about = (text: string) => `${name} ${text}`.trim()
  if (keyword === 'additionalProperties') {
    const unknown = String(params.additionalProperty)
    return { path: [...path, unknown], message: `unknown field ${[...path, unknown].join('.')}` }
  }
  if (keyword === 'required') return { path, message: about(`has no ${params.missingProperty}`) }
  if (keyword === 'enum')
    return { path, message: about(`must be one of ${params.allowedValues.join(', ')}`) }
  return { path, message: about(message) }
}

/** Returns what the schema cannot express. */
function findContradictions({ users, workspaces, groups, resources }: MappingFile): Finding[] {
  const found: Finding[] = []
  const sections = Object.entries({ users, workspaces, groups, resources })
  const seen = new Map<string, string>()
  for (const [section, types] of sections) {
    for (const type of Object.keys(types)) {
      const other = seen.get(type)
      if (other) found.push({ path: [section, type], message: `${type} is also in ${other}` })
      seen.set(type, section)
    }
  }
  for (const [type, { workspace, workspace_slug }] of Object.entries(groups)) {
    const message = `groups.${type} has neither workspace nor workspace_slug`
    if (!workspace && !workspace_slug) found.push({ path: ['groups', type], message })
  }
  for (const [type, { default_owner = '' }] of Object.entries(resources)) {
    const [owner = ''] = default_owner.split(':', 1)
    const message = `resources.${type}.default_owner must be of a type in users`
    if (default_owner && !Object.hasOwn(users, owner))
      found.push({ path: ['resources', type, 'default_owner'], message })
  }
  return found
}
