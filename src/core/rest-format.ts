import type { ServiceError } from './errors.ts'

/** A method as its format describes it in the documentation. */
export type DescribedMethod = {
  /** The key of the handler, such as `updateVisibility`. */
  key: string
  verb: string
  hasBody: boolean
  /** Whether it takes `If-Match`. */
  takesTag: boolean
  /** The error codes of its policy. */
  errors: string[]
}

/** The format of requests, responses and errors over REST that a feature has because of a standard. */
export type RestFormat = {
  /** The profile in the policies of its methods. */
  profile: string
  mediaType: string
  /** The paths of its routes. Errors of paths that do not exist have its format, too. */
  paths: RegExp
  writeError(error: ServiceError, status: number): object
  openApi: {
    securityScheme: { name: string; scheme: object }
    errorSchema: { name: string; schema: object }
    requestExample(method: DescribedMethod): object
    responseExample(method: Pick<DescribedMethod, 'key'>): object
    /** Returns the descriptions of the error responses by HTTP status, `default` for all others. */
    errors(method: DescribedMethod): Record<string, string>
    errorExample(status: string, description: string): object
  }
}

/** Returns the format of a profile; undefined if it is none of a feature. */
export function formatOf(formats: RestFormat[], profile: string): RestFormat | undefined {
  return formats.find((format) => format.profile === profile)
}
