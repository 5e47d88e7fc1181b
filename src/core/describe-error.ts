/** The parts of an error that may be logged. */
export type ErrorDescription = {
  type: string
  message: string
  stack?: string
  /** A SQLSTATE, or a code of Node.js such as ECONNREFUSED. */
  code?: string
  table?: string
  constraint?: string
  cause?: ErrorDescription
  errors?: ErrorDescription[]
}

/**
 * The classes of SQLSTATE whose messages contain no values. Other messages may quote the input, and
 * the `detail` of an error may contain a row.
 */
const classesWithoutValues = ['08', '23', '25', '28', '3D', '40', '42', '53', '55', '57', '58']

const maxDepth = 5

/**
 * Describes an error for the log. Errors of PostgreSQL are reduced to their code, table, constraint
 * and, if it cannot contain a value, the first line of their message, because the log must not
 * contain personal data. Properties that are not listed here are never logged.
 */
export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) }
  const { code, table, constraint } = error as Error & Record<string, unknown>
  const message = messageOf(error, code)
  const frames = (error.stack ?? '').match(/^ {4}at .*$/gm) ?? []
  const isDeep = depth >= maxDepth
  return {
    type: error.constructor.name,
    message,
    stack: [`${error.constructor.name}: ${message}`, ...frames].join('\n'),
    ...(typeof code === 'string' && { code }),
    ...(typeof table === 'string' && { table }),
    ...(typeof constraint === 'string' && { constraint }),
    ...(error.cause !== undefined && !isDeep && { cause: describeError(error.cause, depth + 1) }),
    ...(error instanceof AggregateError &&
      !isDeep && { errors: error.errors.map((one) => describeError(one, depth + 1)) }),
  }
}

function messageOf({ message }: Error, code: unknown): string {
  // Node.js error codes, such as EPIPE, contain no digit.
  const isSqlState = typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code)
  if (!isSqlState) return message
  if (!classesWithoutValues.includes(code.slice(0, 2))) return `PostgreSQL error ${code}`
  // MikroORM appends the detail on a second line.
  return message.split('\n', 1)[0] ?? ''
}
