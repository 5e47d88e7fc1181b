import type { ScimListRequest, ScimResource, ScimSearchRequest } from '../../gen/daikon/v1/scim.ts'
import { ServiceError } from '../core/errors.ts'
import type { RequestContext } from '../core/request-context.ts'
import { listScimGroups } from './groups.ts'
import { reasons } from './reasons.ts'
import { membersOf } from './resource.ts'
import { type BaseUrl, listResponse, readPage } from './response.ts'
import { invalidValue } from './scim-errors.ts'
import type { ScimGroupStore } from './store/scim-group-store.ts'
import type { ScimUserStore } from './store/scim-user-store.ts'
import { listScimUsers } from './users.ts'

type UserContext = RequestContext<{ scimUsers: ScimUserStore }> & BaseUrl
type GroupContext = RequestContext<{ scimGroups: ScimGroupStore }> & BaseUrl

/** A page of results. */
type Results = { totalResults: number; Resources: object[] }

/** Lists people as `listScimUsers` does. */
export async function searchScimUsers(
  context: UserContext,
  request: ScimSearchRequest,
): Promise<ScimResource> {
  return listScimUsers(context, readSearch(request))
}

/** Lists groups as `listScimGroups` does. */
export async function searchScimGroups(
  context: GroupContext,
  request: ScimSearchRequest,
): Promise<ScimResource> {
  return listScimGroups(context, readSearch(request))
}

/** Lists people, and after them groups. */
export async function searchScim(
  context: UserContext & GroupContext,
  request: ScimSearchRequest,
): Promise<ScimResource> {
  const search = readSearch(request)
  const { startIndex, offset, limit } = readPage(search)
  const users = await unlessInvalid(() => listScimUsers(context, { ...search, count: limit }))
  const { totalResults: userCount, Resources: people } = users
  // A page of people can end early, because of their groups.
  const hasMorePeople = people.length < limit && offset + people.length < userCount
  const groups = await unlessInvalid(() =>
    listScimGroups(context, {
      ...search,
      startIndex: Math.max(startIndex - userCount, 1),
      count: hasMorePeople ? 0 : limit - people.length,
    }),
  )
  // Neither people nor groups have the attributes.
  if (users.error && groups.error) throw users.error
  const resources = [...people, ...groups.Resources]
  const total = userCount + groups.totalResults
  return { resource: listResponse(resources, total, startIndex) }
}

/** Returns no results, and the error, if the filter is not valid for the type of the resources. */
async function unlessInvalid(
  list: () => Promise<ScimResource>,
): Promise<Results & { error?: ServiceError }> {
  try {
    return (await list()).resource as Results
  } catch (error) {
    if (error instanceof ServiceError && error.reason === reasons.INVALID_FILTER.name)
      return { totalResults: 0, Resources: [], error }
    throw error
  }
}

/** Reads the parameters of a list from the body of a request. */
function readSearch({ workspace_id, resource }: ScimSearchRequest): ScimListRequest {
  const members = membersOf(resource ?? {})
  const read = <Value>(name: string, isValid: (value: unknown) => boolean, problem: string) => {
    const value = members.get(name.toLowerCase()) ?? undefined
    if (value === undefined || isValid(value)) return value as Value | undefined
    throw invalidValue(name, problem)
  }
  const readNumber = (name: string) =>
    read<number>(name, Number.isSafeInteger, 'must be a whole number')
  const readNames = (name: string) => {
    const names = read<string[]>(name, isTextList, 'must be a list of at most 100 names')
    return names?.join(',')
  }
  const isText = (value: unknown) => typeof value === 'string'
  return {
    workspace_id,
    filter: read<string>('filter', isText, 'must be a string'),
    attributes: readNames('attributes'),
    excludedAttributes: readNames('excludedAttributes'),
    startIndex: readNumber('startIndex'),
    count: readNumber('count'),
  }
}

/** The maximum length of the names of attributes together, as in a list request. */
const maxNamesLength = 2000

function isTextList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > 100) return false
  return value.every((name) => typeof name === 'string') && value.join().length <= maxNamesLength
}
