/** The REST route of a method. */
export type Route = {
  verb: string
  /** The path with its variables, such as `/permissions/types/{resource_type}`. */
  path: string
  /** How the body is written; without a body, fields are parameters of the query. */
  body?: 'json' | 'form'
  /** The fields that are parameters of the query although there is a body. */
  query?: string[]
  /** The field of the response that the body consists of. */
  responseField?: string
  /** Whether the name of an event is the field of the message that its data belongs to. */
  namedEvents?: boolean
}
