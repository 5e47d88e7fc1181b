import { toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, type FileDescriptorSet } from '@bufbuild/protobuf/wkt'
import type { Server } from '@grpc/grpc-js'
import { ReflectionService } from '@grpc/reflection'
import { HealthImplementation } from 'grpc-health-check'

/** What @grpc/reflection holds for each version of the protocol. */
type Encoded = { fileEncodings: Map<{ name: string }, Uint8Array> }

/** Lets grpcurl and its like discover the services: server reflection v1 and v1alpha. */
export function addReflection(server: Server, descriptors: FileDescriptorSet): void {
  const fileDescriptorProtos = descriptors.file.map((file) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, file)),
  )
  const services = descriptors.file.flatMap((file) =>
    file.service.map(({ name }) => `${file.package}.${name}`),
  )
  const definition = { daikon: { fileDescriptorProtos } }
  const reflection = new ReflectionService(definition as never, { services })
  // It writes the files anew and loses the options it does not know; the raw ones have them all.
  const raw = new Map(descriptors.file.map(({ name }, at) => [name, fileDescriptorProtos[at]]))
  for (const { fileEncodings } of Object.values(reflection) as Encoded[])
    for (const file of fileEncodings.keys()) fileEncodings.set(file, raw.get(file.name) as Buffer)
  reflection.addToServer(server)
}

/** Health of each service by `grpc.health.v1`; '' is the whole server. */
export function addHealth(server: Server, services: string[]): HealthImplementation {
  const health = new HealthImplementation(
    Object.fromEntries(services.map((service) => [service, 'SERVING'])),
  )
  health.addToServer(server)
  return health
}
