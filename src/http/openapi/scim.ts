import type { DeclaredOperation } from '../../rpc/operation.ts'
import type { JsonSchema } from '../../rpc/schema.ts'
import { scimType } from '../scim-error.ts'
import { rateLimitHeaderReferences } from './problems.ts'

/** The schemas are in the responses of `/scim/v2/{workspace_id}/Schemas`. */
const anyObject = { type: 'object', additionalProperties: true }

const exampleUser = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'bob@example.com',
  active: true,
}

const exampleGroup = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
  displayName: 'writers',
}

const examplePatch = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'externalId', value: '1042' }],
}

/** Describes the body of a method of SCIM. */
export function describeScimBody({ key, route }: DeclaredOperation): object {
  const example = route.verb === 'patch' ? examplePatch : exampleOf(key)
  return { required: true, content: { [scimType]: { schema: anyObject, example } } }
}

/** Describes the response of a method of SCIM. */
export function describeScimSuccess(
  { key }: Pick<DeclaredOperation, 'key'>,
  headers: object,
): object {
  const content = { [scimType]: { schema: anyObject, example: exampleOf(key) } }
  return { description: 'Success', headers, content }
}

function exampleOf(key: string): object {
  return key.includes('Group') ? exampleGroup : exampleUser
}

/** The schema of the error responses of SCIM (RFC 7644, section 3.12). */
export const scimErrorSchema: JsonSchema = {
  description: 'An error of SCIM (RFC 7644, section 3.12).',
  type: 'object',
  required: ['schemas', 'status', 'detail'],
  properties: {
    schemas: { type: 'array', items: { type: 'string' } },
    status: { type: 'string', description: 'The HTTP status.' },
    scimType: { type: 'string', description: 'Such as `invalidFilter`.' },
    detail: { type: 'string', description: 'An explanation for developers.' },
  },
}

/** Returns the error responses of a method of SCIM, by HTTP status. */
export function scimErrorResponses({ policy, route, bindings }: DeclaredOperation): object {
  const schema = { $ref: '#/components/schemas/ScimError' }
  const respond = (description: string, status: string) => ({
    description,
    headers: rateLimitHeaderReferences,
    content: {
      [scimType]: {
        schema,
        example: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
          status,
          detail: description,
        },
      },
    },
  })
  const takesTag = bindings.request.some(({ header }) => header === 'if-match')
  return {
    400: respond('The request is not valid', '400'),
    401: respond('The SCIM token is not valid', '401'),
    404: respond('The resource or the workspace does not exist', '404'),
    ...(policy.errors.includes('already_exists') && {
      409: respond('The change conflicts with another resource or needs a confirmation', '409'),
    }),
    ...(takesTag && { 412: respond('The resource has changed since it was read', '412') }),
    ...(route.body && { 413: respond('The body is too large', '413') }),
    429: respond('Too many requests', '429'),
    503: respond('The database is not available', '503'),
    default: respond('Any other error', '500'),
  }
}
