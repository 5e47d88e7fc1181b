import type { FileRegistry } from '@bufbuild/protobuf'
import type { MethodDefinition, Server, ServerDuplexStream } from '@grpc/grpc-js'
import type { ReflectionMethod } from './reflection-methods.ts'

/**
 * Adds server reflection v1 and v1alpha for the registry and `grpc.health.v1`. The index of all descriptors
 * is built at the first call, because it would take a good part of the start.
 */
export function addReflection(server: Server, registry: FileRegistry): void {
  let methods: Promise<Map<string, ReflectionMethod>> | undefined
  const loadMethods = async () => {
    const { createReflectionMethods } = await import('./reflection-methods.ts')
    return createReflectionMethods(registry)
  }
  for (const version of ['v1', 'v1alpha']) {
    const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`
    let method: ReflectionMethod | undefined
    // grpc-js reads the first message when the handler listens for it, after the method has been loaded.
    const definition: MethodDefinition<unknown, unknown> = {
      path,
      requestStream: true,
      responseStream: true,
      requestDeserialize: (bytes) => method?.definition.requestDeserialize(bytes),
      responseSerialize: (message) => method?.definition.responseSerialize(message) as Buffer,
      requestSerialize: neverCalled,
      responseDeserialize: neverCalled,
    }
    server.addService(
      { ServerReflectionInfo: definition },
      {
        async ServerReflectionInfo(stream: ServerDuplexStream<unknown, unknown>) {
          try {
            methods ??= loadMethods()
            method = (await methods).get(path)
            method?.handle(stream)
          } catch (error) {
            stream.destroy(error as Error)
          }
        },
      },
    )
  }
}

/** For the half of a definition that only clients use. */
function neverCalled(): never {
  throw new Error('A server does not call methods')
}
