import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  FileDescriptorProtoSchema,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt'
import type { MethodDefinition, Server, ServerDuplexStream } from '@grpc/grpc-js'

/** What @grpc/reflection holds for each version of the protocol. */
type Encoded = { fileEncodings: Map<{ name: string }, Uint8Array> }

/** A version of the protocol as the library would add it to the server. */
type Reflection = Pick<
  MethodDefinition<unknown, unknown>,
  'requestDeserialize' | 'responseSerialize'
> & { handle(call: ServerDuplexStream<unknown, unknown>): void }

/** The interface of `grpc.health.v1`, as `npm run generate` leaves it. */
const healthDescriptors = new URL('../../gen/health.binpb', import.meta.url)

/**
 * Lets grpcurl and its like discover the services, health too: server reflection v1 and v1alpha.
 * Its library is loaded, and has read every file, at the first question: no start waits for it.
 */
export function addReflection(server: Server, descriptors: FileDescriptorSet): void {
  let found: Map<string, Reflection> | undefined
  for (const version of ['v1', 'v1alpha']) {
    const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`
    const reflection = () => {
      found ??= createReflections(descriptors)
      return found.get(path) as Reflection
    }
    server.register<unknown, unknown>(
      path,
      (call: ServerDuplexStream<unknown, unknown>) => reflection().handle(call),
      (response) => reflection().responseSerialize(response),
      (request) => reflection().requestDeserialize(request),
      'bidi',
    )
  }
}

/** How @grpc/reflection answers, by path. */
function createReflections(descriptors: FileDescriptorSet): Map<string, Reflection> {
  const load = createRequire(import.meta.url)
  const { ReflectionService } = load('@grpc/reflection') as typeof import('@grpc/reflection')
  const health = fromBinary(FileDescriptorSetSchema, readFileSync(healthDescriptors))
  const files = [...descriptors.file, ...health.file]
  const fileDescriptorProtos = files.map((file) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, file)),
  )
  const services = files.flatMap((file) =>
    file.service.map(({ name }) => `${file.package}.${name}`),
  )
  const definition = { daikon: { fileDescriptorProtos } }
  const reflection = new ReflectionService(definition as never, { services })
  // It writes the files anew and loses the options it does not know; the raw ones have them all.
  const raw = new Map(files.map(({ name }, at) => [name, fileDescriptorProtos[at]]))
  for (const { fileEncodings } of Object.values(reflection) as Encoded[])
    for (const file of fileEncodings.keys()) fileEncodings.set(file, raw.get(file.name) as Buffer)

  const found = new Map<string, Reflection>()
  const addService: Server['addService'] = (service, implementation) => {
    for (const [name, method] of Object.entries(service)) {
      const handle = implementation[name] as Reflection['handle']
      found.set(method.path, { ...method, handle })
    }
  }
  reflection.addToServer({ addService } as Server)
  return found
}
