import { toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, type FileDescriptorSet } from '@bufbuild/protobuf/wkt'
import type { Server } from '@grpc/grpc-js'
import { ReflectionService } from '@grpc/reflection'
import { HealthImplementation } from 'grpc-health-check'

/** Lets grpcurl and its like discover the services: server reflection v1 and v1alpha. */
export function addReflection(server: Server, descriptors: FileDescriptorSet): void {
  const fileDescriptorProtos = descriptors.file.map((file) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, file)),
  )
  const services = descriptors.file.flatMap((file) =>
    file.service.map(({ name }) => `${file.package}.${name}`),
  )
  // Only the raw descriptors keep the options and comments right for clients.
  const definition = { daikon: { fileDescriptorProtos } }
  new ReflectionService(definition as never, { services }).addToServer(server)
}

/** Health of each service by `grpc.health.v1`; '' is the whole server. */
export function addHealth(server: Server, services: string[]): HealthImplementation {
  const health = new HealthImplementation(
    Object.fromEntries(services.map((service) => [service, 'SERVING'])),
  )
  health.addToServer(server)
  return health
}
