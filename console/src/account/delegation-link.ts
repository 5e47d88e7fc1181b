/** The parameters of a link by which an agent asks to act for a person, as the API takes them. */
export type DelegationRequest = {
  agent_id: string
  service_name: string
  actions?: string[]
  resource_types?: string[]
  resources?: ResourceReference[]
  reason: string
  expires_in: number | string
  return_to?: string
}

export type ResourceReference = {
  resource_type: string
  resource_id?: string
  external_id?: string
}

/** The parameters of the link, by the names of the fields that they fill. */
const parameters: Record<keyof DelegationRequest, string> = {
  agent_id: 'agent',
  service_name: 'service',
  actions: 'actions',
  resource_types: 'resource_types',
  resources: 'resources',
  reason: 'reason',
  expires_in: 'expires_in',
  return_to: 'return_to',
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Reads a link. The server judges the values. */
export function readDelegationLink(query: URLSearchParams): DelegationRequest {
  const list = (name: string) => query.get(name)?.split(',').filter(Boolean)
  const actions = list('actions')
  const types = list('resource_types')
  const resources = list('resources')?.map(readResource)
  const returnTo = query.get('return_to')
  const seconds = query.get('expires_in') ?? ''
  return {
    agent_id: query.get('agent') ?? '',
    service_name: query.get('service') ?? '',
    ...(actions && { actions }),
    ...(types && { resource_types: types }),
    ...(resources && { resources }),
    reason: query.get('reason') ?? '',
    expires_in: /^\d{1,9}$/.test(seconds) ? Number(seconds) : seconds,
    ...(returnTo !== null && { return_to: returnTo }),
  }
}

/** Reads `type:id`, whose ID is the UUID of a resource or an external ID, which is never a UUID. */
function readResource(text: string): ResourceReference {
  const colon = text.indexOf(':')
  const type = colon < 0 ? text : text.slice(0, colon)
  const id = colon < 0 ? '' : text.slice(colon + 1)
  return { resource_type: type, ...(uuid.test(id) ? { resource_id: id } : { external_id: id }) }
}

/** Returns the parameters that a link contains twice. */
export function findRepeated(query: URLSearchParams): string[] {
  return Object.values(parameters).filter((name) => query.getAll(name).length > 1)
}

type Violation = { field: string; message: string }

/** Describes what is wrong with the fields of a request, by the parameters of the link. */
export function describeViolations(violations: Violation[]): string[] {
  const sentences = violations.map(({ field, message }) => {
    const [name = '', ...path] = field.split(/[.[]/)
    const parameter = (parameters as Record<string, string>)[name]
    const [, index] = /\[(\d+)\]/.exec(field) ?? []
    const place = index === undefined || path.length === 0 ? '' : ` (number ${Number(index) + 1})`
    if (name === 'resources' && path.length > 1 && message.startsWith('is required'))
      return `${parameter}${place} must be type:id`
    return parameter ? `${parameter}${place} ${message}` : `${field} ${message}`
  })
  return [...new Set(sentences)]
}

/** Returns where an answer leads: the address as it was registered, with a parameter. */
export function withAnswer(returnTo: string, name: string, value: string): string {
  const separator = returnTo.includes('?') ? (/[?&]$/.test(returnTo) ? '' : '&') : '?'
  return `${returnTo}${separator}${new URLSearchParams({ [name]: value })}`
}
