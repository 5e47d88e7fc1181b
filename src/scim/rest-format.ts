import type { ServiceError } from '../core/errors.ts'
import type { DescribedMethod, RestFormat } from '../core/rest-format.ts'

const errorSchemas = ['urn:ietf:params:scim:api:messages:2.0:Error']

/** The detail code of each reason that has one (RFC 7644, section 3.12). */
const scimTypes: Record<string, string> = {
  ADDRESS_USED_ELSEWHERE: 'uniqueness',
  ALREADY_PROVISIONED: 'uniqueness',
  GROUP_NAME_TAKEN: 'uniqueness',
  INVALID_FILTER: 'invalidFilter',
  INVALID_PATH: 'invalidPath',
  INVALID_SYNTAX: 'invalidSyntax',
  INVALID_VALUE: 'invalidValue',
  INVALID_REQUEST: 'invalidSyntax',
  NO_TARGET: 'noTarget',
  READ_ONLY_ATTRIBUTE: 'mutability',
  TOO_MANY_GROUPS: 'tooMany',
  TOO_MANY_MEMBERS: 'tooMany',
}

/** The parameters of requests that are numbers or lists of names. */
const parameters = ['startIndex', 'count', 'attributes', 'excludedAttributes']

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

/** The format of SCIM (RFC 7644, sections 3.12 and 8.1). */
export const scimFormat: RestFormat = {
  profile: 'scim',
  mediaType: 'application/scim+json',
  paths: /^\/scim\/v2\//i,

  writeError({ reason, message, violations }: ServiceError, status) {
    const isParameter = violations.some(({ field }) => parameters.includes(field))
    const type = isParameter ? 'invalidValue' : scimTypes[reason]
    return {
      schemas: errorSchemas,
      status: String(status),
      ...(type && { scimType: type }),
      detail: message,
    }
  },

  openApi: {
    securityScheme: {
      name: 'scimToken',
      scheme: {
        type: 'http',
        scheme: 'bearer',
        description:
          'The SCIM token of a workspace, from `POST /workspaces/{workspace_id}/scim-token`.',
      },
    },
    errorSchema: {
      name: 'ScimError',
      schema: {
        description: 'An error of SCIM (RFC 7644, section 3.12).',
        type: 'object',
        required: ['schemas', 'status', 'detail'],
        properties: {
          schemas: { type: 'array', items: { type: 'string' } },
          status: { type: 'string', description: 'The HTTP status.' },
          scimType: { type: 'string', description: 'Such as `invalidFilter`.' },
          detail: { type: 'string', description: 'An explanation for developers.' },
        },
      },
    },
    requestExample: ({ key, verb }) => (verb === 'patch' ? examplePatch : exampleOf(key)),
    responseExample: ({ key }) => exampleOf(key),
    errors: ({ errors, takesTag, hasBody }: DescribedMethod) => ({
      400: 'The request is not valid',
      401: 'The SCIM token is not valid',
      404: 'The resource or the workspace does not exist',
      ...(errors.includes('already_exists') && {
        409: 'The change conflicts with another resource or needs a confirmation',
      }),
      ...(takesTag && { 412: 'The resource has changed since it was read' }),
      ...(hasBody && { 413: 'The body is too large' }),
      429: 'Too many requests',
      503: 'The database is not available',
      default: 'Any other error',
    }),
    errorExample: (status, detail) => ({ schemas: errorSchemas, status, detail }),
  },
}

function exampleOf(key: string): object {
  return key.includes('Group') ? exampleGroup : exampleUser
}
