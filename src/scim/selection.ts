import { ServiceError } from '../core/errors.ts'
import type { ResourceSchemas } from './attributes.ts'
import { parsePath } from './path.ts'
import { reasons } from './reasons.ts'
import type { Attributes } from './resource.ts'

/** Which attributes a client wants (RFC 7644, section 3.9). */
export type SelectionRequest = {
  attributes?: string | undefined
  excludedAttributes?: string | undefined
}

/** Paths of attributes: the names of the attribute and, if any, of the sub-attribute. */
type Selected = { schemaId: string; name: string | undefined; sub: string | undefined }[]

/** Always returned, whatever a client selects. */
const always = ['schemas', 'id']

/** The attributes of every resource that a client may leave out. */
const common = ['externalId', 'meta'].map((name) => ({
  name,
  type: 'string' as const,
  description: '',
}))

/** Removes the attributes that a client does not want from a resource. */
export function selectAttributes(
  resource: Attributes,
  { attributes, excludedAttributes }: SelectionRequest,
  schemas: ResourceSchemas,
): Attributes {
  if (attributes && excludedAttributes)
    throw new ServiceError(
      reasons.INVALID_VALUE,
      'attributes and excludedAttributes exclude each other',
    )
  if (attributes) return select(resource, parseNames(attributes, schemas), schemas, true)
  if (excludedAttributes)
    return select(resource, parseNames(excludedAttributes, schemas), schemas, false)
  return resource
}

/** Whether a response needs an attribute of the core schema. */
export function needs(
  name: string,
  { attributes, excludedAttributes }: SelectionRequest,
  schemas: ResourceSchemas,
): boolean {
  const isListed = (names: string, whole: boolean) =>
    parseNames(names, schemas).some((one) => one.name === name && !(whole && one.sub))
  if (attributes) return isListed(attributes, false)
  return !excludedAttributes || !isListed(excludedAttributes, true)
}

function parseNames(names: string, schemas: ResourceSchemas): Selected {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !always.includes(name.toLowerCase()))
    .flatMap((name) => {
      const target = parsePath(name, schemas, common)
      if (!target) return []
      const { schema, attribute, sub } = target
      return [{ schemaId: schema.id, name: attribute?.name, sub: sub?.name }]
    })
}

/** Keeps or removes what `selected` names. */
function select(
  resource: Attributes,
  selected: Selected,
  { core, extensions }: ResourceSchemas,
  keeps: boolean,
): Attributes {
  const result: Attributes = {}
  for (const [name, value] of Object.entries(resource)) {
    const extension = extensions.find(({ id }) => id === name)
    const own = selected.filter(({ schemaId }) => schemaId === (extension ?? core).id)
    const kept = always.includes(name)
      ? value
      : extension
        ? selectExtension(value as Attributes, own, keeps)
        : selectValue(name, value, own, keeps)
    if (kept !== undefined) result[name] = kept
  }
  return result
}

function selectExtension(values: Attributes, selected: Selected, keeps: boolean) {
  if (selected.some(({ name }) => name === undefined)) return keeps ? values : undefined
  const kept = Object.entries(values).flatMap(([name, value]) => {
    const selectedValue = selectValue(name, value, selected, keeps)
    return selectedValue === undefined ? [] : [[name, selectedValue] as const]
  })
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}

function selectValue(name: string, value: unknown, selected: Selected, keeps: boolean): unknown {
  const own = selected.filter((one) => one.name === name)
  if (own.length === 0) return keeps ? undefined : value
  if (own.some(({ sub }) => sub === undefined)) return keeps ? value : undefined
  const isKept = (sub: string) => own.some((one) => one.sub === sub) === keeps
  const selectSubs = (item: object) =>
    Object.fromEntries(Object.entries(item).filter(([sub]) => isKept(sub)))
  return Array.isArray(value) ? value.map(selectSubs) : selectSubs(Object(value))
}
