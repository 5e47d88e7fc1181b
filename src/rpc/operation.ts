import type { FileRegistry } from '@bufbuild/protobuf'
import type { Context, UseCase } from './call.ts'
import type { Fault } from './fault.ts'
import { type Method, type Policy, readMethods, readStreams, type Stream } from './method.ts'
import { readTravellers, type Traveller } from './travel.ts'
import { createValidator, type Validator } from './validate.ts'

/** A method with all that it takes to run it. */
export type Operation = Pick<Method, 'name' | 'policy'> & {
  validate: Validator
  useCase: UseCase<object, object>
}

/** An operation with its declaration, for the doors to stand it at. */
export type DeclaredOperation = Method &
  Operation & {
    /** The fields that travel in headers and cookies. */
    travel: { request: Traveller[]; response: Traveller[] }
  }

/** A stream with all that it takes to run it, message by message. */
export type StreamOperation = Stream & Operation

/** The use cases by service and key, `{PermissionService: {check, …}}`. */
export type UseCaseTable = Record<string, Record<string, UseCase<never, object>>>

/** What nobody declared, so that it takes the pipeline, and counts, like everything else. */
export function refusal(fault: Fault): Operation {
  return undeclared('refusal', () => Promise.reject(fault))
}

/** Something public beside the declared methods, such as a page of the docs. */
export function undeclared(name: string, useCase: () => Promise<object>): Operation {
  return { name, policy: publicPolicy, validate: () => {}, useCase }
}

const publicPolicy: Policy = {
  tier: 'public',
  leastRole: undefined,
  workspaceField: undefined,
  serviceField: undefined,
  limitPerMinute: undefined,
  safe: true,
  status: 200,
  responseField: undefined,
  upload: undefined,
  faults: [],
}

/** Reads use cases for which no start waits. */
type LoadUseCases = () => Promise<UseCaseTable>

/**
 * Every declared method with its use case; throws when it has none. What is not in the table is
 * looked for at its first call by `load`, if there is one.
 */
export function createOperations(
  registry: FileRegistry,
  table: UseCaseTable,
  load?: LoadUseCases,
): DeclaredOperation[] {
  return readMethods(registry).map((method) => ({
    ...method,
    validate: createValidator(registry, method),
    useCase: load
      ? (findUseCase(table, method) ?? lateUseCase(method, load))
      : requireUseCase(table, method),
    travel: {
      request: readTravellers(registry, method.input),
      response: readTravellers(registry, method.output),
    },
  }))
}

/** Every declared stream with the use case that each of its messages takes. */
export function createStreams(registry: FileRegistry, table: UseCaseTable): StreamOperation[] {
  return readStreams(registry).map((stream) => ({
    ...stream,
    validate: createValidator(registry, stream),
    useCase: requireUseCase(table, stream),
  }))
}

type Named = Pick<Method, 'name' | 'service' | 'key'>

function findUseCase(table: UseCaseTable, { service, key }: Named) {
  return table[service]?.[key] as UseCase<object, object> | undefined
}

function requireUseCase(table: UseCaseTable, named: Named): UseCase<object, object> {
  const useCase = findUseCase(table, named)
  if (!useCase) throw new Error(`${named.name} has no use case`)
  return useCase
}

/** Its asks would not be heard: a decision has to be in the table. */
function lateUseCase(method: Named, load: LoadUseCases): UseCase<object, object> {
  let found: UseCase<object, object> | undefined
  async function find() {
    const useCase = requireUseCase(await load(), method)
    if (useCase.asks) throw new Error(`${method.name} is a decision and was not there at first`)
    return useCase
  }
  return async (context: Context, request: object) => {
    found ??= await find()
    return found(context, request)
  }
}
