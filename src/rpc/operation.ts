import type { FileRegistry } from '@bufbuild/protobuf'
import type { ServiceError } from '../core/errors.ts'
import {
  type BoundField,
  type NullSetter,
  readBoundFields,
  readNullSetters,
} from './bound-fields.ts'
import type { HandlerTable, MethodHandler } from './handler.ts'
import { type Method, type Policy, readMethods, readStreams, type Stream } from './method.ts'
import { hasMinItems } from './schema.ts'
import { createValidator, type Validator } from './validate.ts'

/** A method with everything the pipeline needs to run it. */
export type Operation = Pick<Method, 'name' | 'policy'> & {
  validate: Validator
  handler: MethodHandler<object, object>
  /** The level at which a successful call is logged. Errors are logged at `info`. */
  logLevel: 'debug' | 'info'
}

/** An operation with its declaration, for the transports to expose. */
export type DeclaredOperation = Method &
  Operation & {
    /** The fields that REST carries in headers and cookies. */
    bindings: { request: BoundField[]; response: BoundField[] }
    /** The lists of the response that JSON omits if they are empty. */
    neverEmpty: string[]
    nullSetters: NullSetter[]
  }

/** A stream, each of whose messages runs through the pipeline. */
export type StreamOperation = Stream & Operation

/**
 * Creates an operation that fails with `error`, so that requests for undeclared routes count
 * against the rate limits.
 */
export function failingOperation(error: ServiceError): Operation {
  return publicOperation('refusal', () => Promise.reject(error))
}

/**
 * Creates a public operation that is not declared in the proto, such as a page of the API docs.
 * Preflights are counted in a global window of their own, so that they do not use up the limit of
 * the requests that follow them.
 */
export function publicOperation(
  name: string,
  handler: () => Promise<object>,
  globalWindow: Policy['globalWindow'] = 'global',
): Operation {
  const policy = { ...publicPolicy, globalWindow }
  return { name, policy, validate: () => {}, handler, logLevel: 'info' }
}

const publicPolicy: Policy = {
  tier: 'public',
  leastRole: undefined,
  workspaceField: undefined,
  serviceField: undefined,
  limitPerMinute: undefined,
  optionalUser: false,
  safe: true,
  status: 200,
  responseField: undefined,
  upload: undefined,
  errors: [],
  capacity: 'shared_read',
  ignoresUnknownParameters: true,
  form: false,
  pageField: undefined,
  profile: 'default',
  cacheSeconds: undefined,
  globalWindow: 'global',
}

/** Returns every declared unary method with its handler. Throws if a method has none. */
export function createOperations(
  registry: FileRegistry,
  handlers: HandlerTable,
): DeclaredOperation[] {
  return readMethods(registry).map((method) => ({
    ...method,
    ...createOperation(registry, handlers, method),
    bindings: {
      request: readBoundFields(registry, method.input),
      response: readBoundFields(registry, method.output),
    },
    neverEmpty: method.output.fields
      .filter((field) => hasMinItems(registry, field))
      .map(({ name }) => name),
    nullSetters: readNullSetters(registry, method.input),
  }))
}

/** Returns every declared stream with the handler of its messages. */
export function createStreams(registry: FileRegistry, handlers: HandlerTable): StreamOperation[] {
  return readStreams(registry).map((stream) => ({
    ...stream,
    ...createOperation(registry, handlers, stream),
  }))
}

function createOperation(
  registry: FileRegistry,
  handlers: HandlerTable,
  method: Method | Stream,
): Operation {
  const { name, service, key, policy } = method
  const handler = handlers[service]?.[key] as MethodHandler<object, object> | undefined
  if (!handler) throw new Error(`${name} has no handler`)
  return {
    name,
    policy,
    validate: createValidator(registry, method),
    handler,
    logLevel: typeof handler === 'function' ? 'info' : handler.logLevel,
  }
}
