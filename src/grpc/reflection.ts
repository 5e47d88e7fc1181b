import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type FileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import type { Server } from '@grpc/grpc-js'
import { addLate, collectMethods, type LateMethods } from './late.ts'

/** What @grpc/reflection holds for each version of the protocol. */
type Encoded = { fileEncodings: Map<{ name: string }, Uint8Array> }

/** The interface of `grpc.health.v1`, as `npm run generate` leaves it. */
const healthDescriptors = new URL('../../gen/health.binpb', import.meta.url)

/**
 * Lets grpcurl and its like discover the services, health too: server reflection v1 and v1alpha.
 * Its library is loaded, and has read every file, at the first question: no start waits for it.
 */
export function addReflection(server: Server, registry: FileRegistry): void {
  const paths = ['v1', 'v1alpha'].map((version) => {
    return `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`
  })
  const types = Object.fromEntries(paths.map((path) => [path, 'bidi'] as const))
  addLate(server, types, () => createReflections(registry))
}

/** How @grpc/reflection answers, by path. */
function createReflections(registry: FileRegistry): LateMethods {
  const load = createRequire(import.meta.url)
  const { ReflectionService } = load('@grpc/reflection') as typeof import('@grpc/reflection')
  const health = fromBinary(FileDescriptorSetSchema, readFileSync(healthDescriptors))
  const own = [...registry.files].map(({ proto }) => proto)
  const files = [...own, ...health.file]
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

  return collectMethods((server) => reflection.addToServer(server))
}
