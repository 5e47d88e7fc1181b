import type { FileRegistry } from '@bufbuild/protobuf'
import type { MethodDefinition, Server, ServerDuplexStream } from '@grpc/grpc-js'
import type { ReflectionMethod } from './reflection-methods.ts'

export const reflectionPrefix = '/grpc.reflection.'

/**
 * Adds server reflection v1 and v1alpha for a registry and `grpc.health.v1`. It lists the services
 * that are served. The index of all descriptors is built on the first call, because it would take a
 * large part of the startup time.
 */
export function addReflection(
  server: Server,
  readRegistry: () => FileRegistry,
  isServed: (service: string) => boolean,
  draining: AbortSignal,
): void {
  let methods: Promise<Map<string, ReflectionMethod>> | undefined
  const loadMethods = async () => {
    const { createReflectionMethods } = await import('./reflection-methods.ts')
    return createReflectionMethods(readRegistry(), isServed)
  }
  for (const version of ['v1', 'v1alpha']) {
    const path = `${reflectionPrefix}${version}.ServerReflection/ServerReflectionInfo`
    let method: ReflectionMethod | undefined
    // grpc-js decodes the first message only after the method has been loaded, when the handler
    // listens for it.
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
            limitStream(stream, draining)
          } catch (error) {
            stream.destroy(error as Error)
          }
        },
      },
    )
  }
}

/** Reads no further requests while responses wait, and ends the stream during a drain. */
function limitStream(stream: ServerDuplexStream<unknown, unknown>, draining: AbortSignal): void {
  const end = () => stream.end()
  stream.on('data', () => {
    if (stream.writableNeedDrain) stream.pause()
  })
  stream.on('drain', () => stream.resume())
  stream.on('close', () => draining.removeEventListener('abort', end))
  draining.addEventListener('abort', end)
  if (draining.aborted) end()
}

/** Fills the half of a method definition that only clients use. */
function neverCalled(): never {
  throw new Error('A server does not call methods')
}
