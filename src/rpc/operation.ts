import type { DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf'
import type { ServiceError } from '../core/errors.ts'
import type { DecisionHandler } from '../permissions/decision-handler.ts'
import {
  type BoundField,
  type NullSetter,
  readBinding,
  readBoundFields,
  readNullSetters,
} from './bound-fields.ts'
import type { HandlerTable, MethodHandler } from './handler.ts'
import { type ListField, listFieldOf } from './list-messages.ts'
import {
  type Declaration,
  type Method,
  type Policy,
  positionField,
  readForeignMethods,
  readMethods,
  readStreams,
  readWatches,
  type Stream,
} from './method.ts'
import { hasMinItems, isEmptyAbsent } from './schema.ts'
import { createValidator, type Validator } from './validate.ts'

/** A method with everything the pipeline needs to run it. */
export type Operation = Pick<Method, 'name' | 'policy'> & {
  validate: Validator
  handler: DecisionHandler<object, object>
}

/** An operation with its declaration, for the transports to expose. */
export type DeclaredOperation = Method &
  Operation & {
    /** The fields that REST carries in headers and cookies. */
    bindings: {
      request: BoundField[]
      response: BoundField[]
      /** The fields of the request that are read from the query although it has a body. */
      query: DescField[]
      /** Whether a field of any message is bound, and therefore never part of a body. */
      isBound: (field: DescField) => boolean
    }
    /** The lists of the response that JSON omits if they are empty. */
    neverEmpty: string[]
    /** Whether JSON contains null if the field is an empty string. */
    isEmptyAbsent: (field: DescField) => boolean
    nullSetters: NullSetter[]
    /** Returns the field that is the whole JSON of a message, if it is a list. */
    listFieldOf: (message: DescMessage | undefined) => ListField | undefined
  }

/** A stream, each of whose messages runs through the pipeline. */
export type StreamOperation = Stream & Operation

/**
 * Creates an operation that fails with `error`, so that requests for undeclared routes count
 * against the rate limits. `profile` is the format of its response.
 */
export function failingOperation(error: ServiceError, profile: Policy['profile']): Operation {
  return publicOperation('refusal', () => Promise.reject(error), { profile })
}

/**
 * Creates a public operation that is not declared in the proto, such as a page of the API docs.
 * `changes` replace parts of its policy: preflights are counted in a separate global window, so that
 * they do not use up the limit of the requests that follow them.
 */
export function publicOperation(
  name: string,
  handler: () => Promise<object>,
  changes: Partial<Pick<Policy, 'globalWindow' | 'profile'>> = {},
): Operation {
  const policy = { ...publicPolicy, ...changes }
  return { name, policy, validate: () => {}, handler: { handle: handler } }
}

const publicPolicy: Policy = {
  tier: 'public',
  credentials: [[]],
  variants: [],
  takesBearerKeys: false,
  leastRole: undefined,
  workspaceField: undefined,
  serviceField: undefined,
  limitPerMinute: undefined,
  optionalUser: false,
  lenientUser: false,
  optionalAdmin: false,
  scope: undefined,
  optionalClient: false,
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
  bulk: false,
  anyMethod: false,
  serviceLimitOverGrpc: false,
  position: false,
}

/** Returns every declared unary method with its handler. Throws if a method has none. */
export function createOperations(
  registry: FileRegistry,
  handlers: HandlerTable,
): DeclaredOperation[] {
  return readMethods(registry).map((method) => declare(registry, handlers, method))
}

/** A stream with a route, whose handler returns a Watch. */
export type WatchOperation = DeclaredOperation & { kind: 'server_streaming' }

/** Returns every stream with a route. */
export function createWatches(registry: FileRegistry, handlers: HandlerTable): WatchOperation[] {
  return readWatches(registry).map((method) => ({
    ...declare(registry, handlers, method),
    kind: method.kind,
  }))
}

function declare(
  registry: FileRegistry,
  handlers: HandlerTable,
  method: Method,
): DeclaredOperation {
  return {
    ...method,
    ...createOperation(registry, handlers, method),
    bindings: {
      request: readBoundFields(registry, method.input),
      response: readBoundFields(registry, method.output).filter(
        // Methods that change no access share messages with those that do.
        ({ field }) => field !== positionField || method.policy.position,
      ),
      query: method.input.fields.filter((field) => readBinding(registry, field)?.query),
      isBound: (field) => readBinding(registry, field) !== undefined,
    },
    neverEmpty: method.output.fields
      .filter((field) => hasMinItems(registry, field))
      .map(({ name }) => name),
    isEmptyAbsent: (field) => isEmptyAbsent(registry, field),
    nullSetters: readNullSetters(registry, method.input),
    listFieldOf: (message) => listFieldOf(registry, message),
  }
}

/** Returns every declared stream with the handler of its messages. */
export function createStreams(registry: FileRegistry, handlers: HandlerTable): StreamOperation[] {
  return readStreams(registry).map((stream) => ({
    ...stream,
    ...createOperation(registry, handlers, stream),
  }))
}

/** A method of another API, whose handler validates its requests. */
export type ForeignOperation = Declaration & Operation

/** Returns the methods of other APIs with their handlers. */
export function createForeignOperations(
  registry: FileRegistry,
  handlers: HandlerTable,
): ForeignOperation[] {
  return readForeignMethods(registry).map((method) => ({
    ...method,
    validate: () => {},
    handler: requireHandler(handlers, method),
  }))
}

function createOperation(
  registry: FileRegistry,
  handlers: HandlerTable,
  method: Method | Stream,
): Operation {
  const { name, policy } = method
  const handler = requireHandler(handlers, method)
  return { name, policy, validate: createValidator(registry, method), handler }
}

function requireHandler(
  handlers: HandlerTable,
  { name, service, key }: Pick<Declaration, 'name' | 'service' | 'key'>,
): Operation['handler'] {
  const handler = handlers[service]?.[key] as MethodHandler<object, object> | undefined
  if (!handler) throw new Error(`${name} has no handler`)
  return typeof handler === 'function' ? { handle: handler } : handler
}
