import { readFileSync } from 'node:fs'
import { type FileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import type { MethodDefinition, Server, ServerDuplexStream } from '@grpc/grpc-js'
import { ReflectionService } from '@grpc/reflection'
import protobuf from 'protobufjs'
import descriptor from 'protobufjs/ext/descriptor/index.js'

/** The descriptors of `grpc.health.v1`, written by `npm run generate`. */
const healthDescriptors = new URL('../../gen/health.binpb', import.meta.url)

/** A method of server reflection. */
export type ReflectionMethod = {
  definition: MethodDefinition<unknown, unknown>
  handle: (stream: ServerDuplexStream<unknown, unknown>) => void
}

/** Creates the methods of server reflection for the registry and `grpc.health.v1`, by path. */
export function createReflectionMethods(
  registry: FileRegistry,
  isServed: (service: string) => boolean,
): Map<string, ReflectionMethod> {
  preserveExtensionOptions(registry)
  const health = fromBinary(FileDescriptorSetSchema, readFileSync(healthDescriptors))
  const files = [...[...registry.files].map(({ proto }) => proto), ...health.file]
  const services = files
    .flatMap((file) => file.service.map(({ name }) => `${file.package}.${name}`))
    .filter(isServed)
  const fileDescriptorProtos = files.map((file) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, file)),
  )
  // The declared type is the output of proto-loader, but only its raw descriptors are read.
  const definition = { daikon: { fileDescriptorProtos } } as never
  const methods = new Map<string, ReflectionMethod>()
  const collector: Pick<Server, 'addService'> = {
    addService(service, handlers) {
      for (const [name, definition] of Object.entries(service)) {
        const handle = handlers[name] as ReflectionMethod['handle']
        methods.set(definition.path, { definition, handle })
      }
    },
  }
  new ReflectionService(definition, { services }).addToServer(collector as Server)
  return methods
}

/**
 * Preserves the options that extensions define. `@grpc/reflection` decodes and re-encodes the files
 * with protobufjs, which drops unknown fields, but keeps fields that are declared as bytes
 * unchanged.
 */
function preserveExtensionOptions(registry: FileRegistry): void {
  for (const extension of registry) {
    if (extension.kind !== 'extension') continue
    const options = descriptorTypes[extension.extendee.name]
    if (!options || options.fieldsById[extension.number]) continue
    options.add(new protobuf.Field(extension.name, extension.number, 'bytes'))
  }
}

/** The types that `@grpc/reflection` decodes with, such as `MethodOptions`. */
const descriptorTypes = descriptor as unknown as Record<string, protobuf.Type | undefined>
