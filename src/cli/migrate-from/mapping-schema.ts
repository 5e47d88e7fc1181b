import { roles } from '../../core/roles.ts'

const text = { type: 'string', minLength: 1 }

const byName = (value: object) => ({
  type: 'object',
  additionalProperties: value,
  default: {},
})

const object = (properties: object, required: string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
})

const inWorkspace = { workspace: text, workspace_slug: text }

/** The JSON Schema of a mapping file. */
export const mappingSchema = object({
  users: byName({ enum: ['external_id', 'email', 'emails'] }),
  emails: byName(text),
  workspaces: byName(
    object({ roles: byName({ enum: roles }), everyone: text, slugs: byName(text) }),
  ),
  groups: byName(object({ ...inWorkspace, members: { type: 'array', items: text } }, ['members'])),
  resources: byName(
    object(
      {
        ...inWorkspace,
        service: text,
        type: text,
        owner: text,
        default_owner: { type: 'string', pattern: '^[^:]+:.+$' },
        parent: text,
        shares: byName(text),
        conditions: byName(text),
        wildcard: { enum: ['workspace', 'public'] },
      },
      ['service'],
    ),
  ),
})
