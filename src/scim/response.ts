import type { ScimListRequest, ScimResource } from '../../gen/daikon/v1/scim.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'
import type { ResourceSchemas } from './attributes.ts'
import { type Filter, parseWholeFilter } from './filter.ts'
import type { Attributes } from './resource.ts'
import { type SelectionRequest, selectAttributes } from './selection.ts'

/** The URL under which clients reach the server, as part of a context. */
export type BaseUrl = { baseUrl: string }

/** The maximum and the default number of results of a list. */
export const maxResults = 200
const defaultResults = 100

/** Returns the URL of a resource, such as `Users/<ID>`. */
export function scimUrl(baseUrl: string, workspaceId: string, path: string): string {
  return `${baseUrl}/scim/v2/${workspaceId}/${path}`
}

/** Describes other resources that an attribute refers to. */
export function toReferences(
  type: 'Users' | 'Groups',
  targets: { id: string; name: string }[],
  { baseUrl, workspaceId }: BaseUrl & { workspaceId: string },
): object[] {
  return targets.map(({ id, name }) => ({
    value: id,
    $ref: scimUrl(baseUrl, workspaceId, `${type}/${id}`),
    display: name,
  }))
}

/** A resource with what its `meta` and the headers of its response need. */
export type Presented = {
  type: 'User' | 'Group'
  url: string
  version: string
  createdAt: Timestamp
  updatedAt: Timestamp
  attributes: Attributes & { id: string }
  schemas: string[]
}

/** Converts a resource to a response with its ETag and URL. */
export function toResponse(
  presented: Presented,
  schemas: ResourceSchemas,
  selection: SelectionRequest = {},
): ScimResource {
  const { version: etag, url: location } = presented
  return { resource: selectAttributes(toJson(presented), selection, schemas), etag, location }
}

export function toJson(presented: Presented): Attributes {
  const { type, url, version, createdAt, updatedAt, schemas, attributes } = presented
  return {
    schemas,
    ...attributes,
    meta: {
      resourceType: type,
      created: isoTime(createdAt),
      lastModified: isoTime(updatedAt),
      location: url,
      version,
    },
  }
}

/** Returns a page of results (RFC 7644, section 3.4.2). */
export function listResponse(items: object[], total: number, startIndex: number): Attributes {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: total,
    startIndex,
    itemsPerPage: items.length,
    Resources: items,
  }
}

/** Reads the page of a list request: values below the minimum count as the minimum. */
export function readPage({ startIndex = 1, count = defaultResults }: ScimListRequest) {
  const start = Math.max(startIndex, 1)
  return { startIndex: start, offset: start - 1, limit: Math.min(Math.max(count, 0), maxResults) }
}

/** @throws a ServiceError INVALID_FILTER */
export function readFilter({ filter }: ScimListRequest): Filter | undefined {
  return filter ? parseWholeFilter(filter) : undefined
}
