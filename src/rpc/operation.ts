import { createFileRegistry } from '@bufbuild/protobuf'
import type { FileDescriptorSet } from '@bufbuild/protobuf/wkt'
import type { UseCase } from './call.ts'
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

/** Every declared method with its use case; throws when either lacks the other. */
export function createOperations(
  descriptors: FileDescriptorSet,
  table: UseCaseTable,
): DeclaredOperation[] {
  const registry = createFileRegistry(descriptors)
  return readMethods(descriptors).map((method) => ({
    ...method,
    validate: createValidator(registry, method),
    useCase: requireUseCase(table, method),
    travel: {
      request: readTravellers(registry, method.input),
      response: readTravellers(registry, method.output),
    },
  }))
}

/** Every declared stream with the use case that each of its messages takes. */
export function createStreams(
  descriptors: FileDescriptorSet,
  table: UseCaseTable,
): StreamOperation[] {
  const registry = createFileRegistry(descriptors)
  return readStreams(descriptors).map((stream) => ({
    ...stream,
    validate: createValidator(registry, stream),
    useCase: requireUseCase(table, stream),
  }))
}

function requireUseCase(
  table: UseCaseTable,
  { name, service, key }: Pick<Method, 'name' | 'service' | 'key'>,
): UseCase<object, object> {
  const useCase = table[service]?.[key]
  if (!useCase) throw new Error(`${name} has no use case`)
  return useCase as UseCase<object, object>
}
