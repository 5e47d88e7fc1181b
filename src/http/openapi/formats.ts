import { type DescribedMethod, formatOf, type RestFormat } from '../../core/rest-format.ts'
import type { DeclaredOperation } from '../../rpc/operation.ts'
import { rateLimitHeaderReferences } from './problems.ts'

/** The standard of the format describes the schemas of its resources. */
const anyObject = { type: 'object', additionalProperties: true }

/** Describes the methods whose format a feature brings. */
export type DescribeFormat = ReturnType<typeof createDescribeFormat>

export function createDescribeFormat(formats: RestFormat[]) {
  const describe = ({ key, route, bindings, policy }: DeclaredOperation): DescribedMethod => ({
    key,
    verb: route.verb,
    hasBody: route.body,
    takesTag: bindings.request.some(({ header }) => header === 'if-match'),
    errors: policy.errors,
  })
  const require = ({ name, policy }: DeclaredOperation): RestFormat => {
    const format = formatOf(formats, policy.profile)
    if (!format) throw new Error(`No format describes the JSON objects of ${name}`)
    return format
  }

  return {
    securitySchemes: Object.fromEntries(
      formats.map(({ openApi: { securityScheme } }) => [
        securityScheme.name,
        securityScheme.scheme,
      ]),
    ),
    errorSchemas: Object.fromEntries(
      formats.map(({ openApi: { errorSchema } }) => [errorSchema.name, errorSchema.schema]),
    ),

    /** Returns the security requirements of a method; undefined if its format has none. */
    security({ profile }: { profile: string }): object[] | undefined {
      const format = formatOf(formats, profile)
      return format && [{ [format.openApi.securityScheme.name]: [] }]
    },

    body(operation: DeclaredOperation): object {
      const { mediaType, openApi } = require(operation)
      const example = openApi.requestExample(describe(operation))
      return { required: true, content: { [mediaType]: { schema: anyObject, example } } }
    },

    /** Returns the response of a method that consists of a JSON object; undefined if no format describes it. */
    success(operation: DeclaredOperation, headers: object): object | undefined {
      const format = formatOf(formats, operation.policy.profile)
      if (!format) return undefined
      const { mediaType, openApi } = format
      const example = openApi.responseExample(operation)
      const content = { [mediaType]: { schema: anyObject, example } }
      return { description: 'Success', headers, content }
    },

    /** Returns the error responses of a method, by HTTP status; undefined if they are problems. */
    errors(operation: DeclaredOperation): object | undefined {
      const format = formatOf(formats, operation.policy.profile)
      if (!format) return undefined
      const { mediaType, openApi } = format
      const schema = { $ref: `#/components/schemas/${openApi.errorSchema.name}` }
      const responses = Object.entries(openApi.errors(describe(operation)))
      return Object.fromEntries(
        responses.map(([status, description]) => {
          const example = openApi.errorExample(status === 'default' ? '500' : status, description)
          const content = { [mediaType]: { schema, example } }
          return [status, { description, headers: rateLimitHeaderReferences, content }]
        }),
      )
    },
  }
}
