import type { MethodDefinition, Server, UntypedHandleCall } from '@grpc/grpc-js'

/** A method of a library's service. */
type LateMethod = Pick<
  MethodDefinition<unknown, unknown>,
  'requestDeserialize' | 'responseSerialize'
> & { handle: UntypedHandleCall }

/** The methods of a library's service by path. */
export type LateMethods = Map<string, LateMethod>

/** Puts methods on the server whose library `load` reads at the first call: no start waits for it. */
export function addLate(
  server: Server,
  paths: Record<string, 'unary' | 'serverStream' | 'bidi'>,
  load: () => LateMethods,
): void {
  let methods: LateMethods | undefined
  for (const [path, type] of Object.entries(paths)) {
    const method = () => {
      methods ??= load()
      return methods.get(path) as LateMethod
    }
    server.register<unknown, unknown>(
      path,
      ((...given: [never, never]) => method().handle(...given)) as UntypedHandleCall,
      (response) => method().responseSerialize(response),
      (request) => method().requestDeserialize(request),
      type,
    )
  }
}

/** What a library would add to a server, method by method. */
export function collectMethods(addTo: (server: Server) => void): LateMethods {
  const methods: LateMethods = new Map()
  const addService: Server['addService'] = (service, implementation) => {
    for (const [name, method] of Object.entries(service)) {
      const { originalName = name } = method
      const handle = implementation[name] ?? implementation[originalName]
      if (handle) methods.set(method.path, { ...method, handle })
    }
  }
  addTo({ addService } as Server)
  return methods
}
