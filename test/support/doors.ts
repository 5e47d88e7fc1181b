import {
  Client,
  credentials,
  type Metadata,
  Metadata as MetadataClass,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import type { App } from '../../src/app.ts'
import { type FaultKind, type FieldProblem, faultKinds } from '../../src/rpc/fault.ts'
import { definitions } from '../../src/services.ts'
import { createRestDoor } from './rest-door.ts'
import { readStatusDetails } from './status-details.ts'

/** What a caller shows. */
export type Shown = {
  token?: string
  key?: string
  admin?: string
  headers?: Record<string, string>
}

/** How a call ended, alike through both doors. */
export type Ending =
  | { ok: true; message: Record<string, any>; status: number; headers: Record<string, string> }
  | {
      ok: false
      kind: FaultKind
      reason: string
      detail: string
      problems: FieldProblem[]
      retryAfter: number | undefined
      headers: Record<string, string>
    }

/**
 * One way in. `call('Check', …)` does the same through each; what stands at an administrator's door
 * as well is asked for there as `AdminService/ListMembers`.
 */
export type Door = {
  name: 'grpc' | 'rest'
  call(method: string, message: object, shown?: Shown): Promise<Ending>
  close(): void
}

const services = Object.values(definitions)

/** The two doors of an app that listens. */
export function createDoors(
  { operations }: Pick<App, 'operations'>,
  ports: { grpcPort: number; httpPort: number },
): Door[] {
  return [createGrpcDoor(ports.grpcPort), createRestDoor(operations, ports.httpPort)]
}

function createGrpcDoor(port: number): Door {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  const methods = services.flatMap((definition) => Object.values(definition))
  return {
    name: 'grpc',
    call(name, message, shown = {}) {
      const method = pickMethod(methods, name, ({ path }) => path)
      const serialize = method.requestSerialize as (value: object) => Buffer
      const deserialize = method.responseDeserialize as (bytes: Buffer) => object
      return new Promise((resolve) => {
        const done = (error: ServiceError | null, response?: object) =>
          resolve(
            error
              ? readStatus(error)
              : { ok: true, message: response as never, status: 0, headers: {} },
          )
        client.makeUnaryRequest(
          method.path,
          serialize,
          deserialize,
          withDefaults(message),
          metadata(shown),
          done,
        )
      })
    },
    close: () => client.close(),
  }
}

/** The method of a name; the administrator's twin has to be asked for by its service. */
export function pickMethod<Method>(
  methods: Method[],
  name: string,
  nameOf: (method: Method) => string,
): Method {
  const found = methods.filter((method) => new RegExp(`(^|[/.])${name}$`).test(nameOf(method)))
  const others = found.filter((method) => !nameOf(method).includes('AdminService/'))
  const method = others[0] ?? found[0]
  if (!method) throw new Error(`No method ${name}`)
  return method
}

/** ts-proto's encoder wants its lists; whoever tests a missing one sends an empty one. */
function withDefaults(message: object): object {
  return { checks: [], ...message }
}

/** What is shown, as metadata. */
export function metadata({ token, key, admin, headers = {} }: Shown): Metadata {
  const metadata = new MetadataClass()
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  if (key !== undefined) metadata.set('x-service-key', key)
  if (admin !== undefined) metadata.set('cookie', `admin_token=${admin}`)
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  return metadata
}

function readStatus(error: ServiceError): Ending {
  const { reason, problems, retryAfter } = readStatusDetails(error.metadata)
  // What gRPC itself answers where the façade says 503.
  const code = error.code === status.DEADLINE_EXCEEDED ? status.UNAVAILABLE : error.code
  const kind = kindOf(reason, ({ grpc }) => grpc === code)
  const headers = Object.fromEntries(
    Object.entries(error.metadata.getMap()).map(([name, value]) => [name, String(value)]),
  )
  return { ok: false, kind, reason, detail: error.details, problems, retryAfter, headers }
}

/** The kind of a fault by its reason's row in the table. */
export function kindOf(
  reason: string,
  fits: (row: { grpc: number; http: number }) => boolean,
): FaultKind {
  const kinds = Object.entries(faultKinds) as [FaultKind, { grpc: number; http: number }][]
  const found = kinds.find(([, row]) => fits(row))
  if (!found) throw new Error(`An answer outside the table of faults: ${reason}`)
  return found[0]
}
