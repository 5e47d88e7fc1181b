import type { ScimGetRequest, ScimRequest, ScimResource } from '../../gen/daikon/v1/scim.ts'
import {
  type Attribute,
  enterpriseSchema,
  externalId,
  groupSchema,
  type Schema,
  userSchema,
} from './attributes.ts'
import { type BaseUrl, listResponse, maxResults, scimUrl } from './response.ts'
import { scimNotFound } from './scim-errors.ts'

const schemas = [userSchema, groupSchema, enterpriseSchema]

/** Returns the features that this server supports (RFC 7643, section 5). */
export async function getScimConfiguration(
  { baseUrl }: BaseUrl,
  { workspace_id }: ScimRequest,
): Promise<ScimResource> {
  return {
    resource: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
      authenticationSchemes: [
        {
          type: 'oauthbearertoken',
          name: 'SCIM token',
          description: 'The SCIM token of the workspace, as a bearer token',
          specUri: 'https://www.rfc-editor.org/info/rfc6750',
          primary: true,
        },
      ],
      meta: metaOf(baseUrl, workspace_id, 'ServiceProviderConfig'),
    },
  }
}

/** Lists the resource types (RFC 7643, section 6). */
export async function listScimResourceTypes(
  { baseUrl }: BaseUrl,
  { workspace_id }: ScimRequest,
): Promise<ScimResource> {
  return listAll(resourceTypes(baseUrl, workspace_id))
}

/** Returns a resource type. */
export async function getScimResourceType(
  { baseUrl }: BaseUrl,
  { workspace_id, id }: ScimGetRequest,
): Promise<ScimResource> {
  return findById(resourceTypes(baseUrl, workspace_id), id, 'Resource type')
}

/** Lists the schemas (RFC 7643, section 7). */
export async function listScimSchemas(
  { baseUrl }: BaseUrl,
  { workspace_id }: ScimRequest,
): Promise<ScimResource> {
  return listAll(schemas.map((schema) => describeSchema(schema, baseUrl, workspace_id)))
}

/** Returns a schema. */
export async function getScimSchema(
  { baseUrl }: BaseUrl,
  { workspace_id, id }: ScimGetRequest,
): Promise<ScimResource> {
  const described = schemas.map((schema) => describeSchema(schema, baseUrl, workspace_id))
  return findById(described, id, 'Schema')
}

function listAll(items: object[]): ScimResource {
  return { resource: listResponse(items, items.length, 1) }
}

function findById(items: { id: string }[], id: string, type: string): ScimResource {
  const found = items.find((item) => item.id.toLowerCase() === id.toLowerCase())
  if (!found) throw scimNotFound(type)
  return { resource: found }
}

function resourceTypes(baseUrl: string, workspaceId: string) {
  const types = [
    { schema: userSchema, endpoint: '/Users', extensions: [enterpriseSchema] },
    { schema: groupSchema, endpoint: '/Groups', extensions: [] },
  ]
  return types.map(({ schema: { id: schema, name, description }, endpoint, extensions }) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    endpoint,
    description,
    schema,
    schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
    meta: metaOf(baseUrl, workspaceId, 'ResourceType', `ResourceTypes/${name}`),
  }))
}

function describeSchema({ attributes, ...schema }: Schema, baseUrl: string, workspaceId: string) {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...schema,
    attributes: [...commonOf(schema), ...attributes].map(describeAttribute),
    meta: metaOf(baseUrl, workspaceId, 'Schema', `Schemas/${schema.id}`),
  }
}

/** Only core schemas have the common attribute: extensions describe no resource of their own. */
function commonOf({ id }: Pick<Schema, 'id'>): Attribute[] {
  return id === enterpriseSchema.id ? [] : [externalId]
}

function describeAttribute(attribute: Attribute): object {
  const { name, type, description, subAttributes, referenceTypes, canonicalValues } = attribute
  const { required = false, caseExact = false, mutability = 'readWrite' } = attribute
  const { multiValued = false, returned = 'default', uniqueness = 'none' } = attribute
  const isText = type !== 'boolean' && type !== 'complex'
  return {
    name,
    type,
    multiValued,
    description,
    required,
    ...(isText && { caseExact: caseExact || type === 'reference' }),
    mutability,
    returned,
    ...(isText && { uniqueness }),
    ...(referenceTypes && { referenceTypes }),
    ...(canonicalValues && { canonicalValues }),
    ...(subAttributes && { subAttributes: subAttributes.map(describeAttribute) }),
  }
}

function metaOf(baseUrl: string, workspaceId: string, resourceType: string, path = resourceType) {
  return { resourceType, location: scimUrl(baseUrl, workspaceId, path) }
}
