import { readFileSync } from 'node:fs'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  FileDescriptorProtoSchema,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt'
import type { Server, ServerWritableStream } from '@grpc/grpc-js'
import { ReflectionService } from '@grpc/reflection'
import { HealthImplementation } from 'grpc-health-check'

/** What @grpc/reflection holds for each version of the protocol. */
type Encoded = { fileEncodings: Map<{ name: string }, Uint8Array> }

/** The interface of `grpc.health.v1`, as `npm run generate` leaves it. */
const healthDescriptors = new URL('../../gen/health.binpb', import.meta.url)

/** Lets grpcurl and its like discover the services, health too: server reflection v1 and v1alpha. */
export function addReflection(server: Server, descriptors: FileDescriptorSet): void {
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
  reflection.addToServer(server)
}

/** What `grpc.health.v1` says. */
export type Health = {
  /** Of every service, and of the server as a whole, which is ''. */
  setServing(serving: boolean): void
  /** Ends the streams of those who watch: they would wait for ever. */
  endWatches(): void
}

/** Health of each service by `grpc.health.v1`, SERVING at first. */
export function addHealth(server: Server, services: string[]): Health {
  const names = ['', ...services]
  const health = new HealthImplementation(
    Object.fromEntries(names.map((service) => [service, 'SERVING'])),
  )
  const watches = new Set<Watch>()
  const add: Server['addService'] = (service, implementation) => {
    const watch = implementation.watch as unknown as (call: Watch) => void
    const remembered = (call: Watch) => {
      watches.add(call)
      call.on('cancelled', () => watches.delete(call))
      watch(call)
    }
    server.addService(service, { ...implementation, watch: remembered as never })
  }
  health.addToServer({ addService: add } as Server)
  return {
    setServing(serving) {
      for (const name of names) health.setStatus(name, serving ? 'SERVING' : 'NOT_SERVING')
    },
    endWatches() {
      for (const call of watches) call.end()
    },
  }
}

type Watch = ServerWritableStream<unknown, unknown>
