import {
  Client,
  credentials,
  type Metadata,
  Metadata as MetadataClass,
  type ServiceError,
} from '@grpc/grpc-js'
import type { App } from '../../src/app.ts'
import { type FaultKind, type FieldProblem, faultKinds } from '../../src/rpc/fault.ts'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { definitions } from '../../src/use-cases.ts'
import { readStatusDetails } from './status-details.ts'

/** What a caller shows. */
export type Shown = { token?: string; key?: string; headers?: Record<string, string> }

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

/** One way in. `call('Check', …)` does the same through each. */
export type Door = {
  name: 'grpc' | 'rest'
  call(method: string, message: object, shown?: Shown): Promise<Ending>
  close(): void
}

const services = Object.values(definitions)

/** The two doors of an app that listens. */
export function createDoors(app: App, ports: { grpcPort: number; httpPort: number }): Door[] {
  return [createGrpcDoor(ports.grpcPort), createRestDoor(app.operations, ports.httpPort)]
}

function createGrpcDoor(port: number): Door {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  const methods = services.flatMap((definition) => Object.values(definition))
  return {
    name: 'grpc',
    call(name, message, shown = {}) {
      const method = methods.find(({ path }) => path.endsWith(`/${name}`))
      if (!method) throw new Error(`No method ${name}`)
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

/** ts-proto's encoder wants its lists; whoever tests a missing one sends an empty one. */
function withDefaults(message: object): object {
  return { checks: [], ...message }
}

function metadata({ token, key, headers = {} }: Shown): Metadata {
  const metadata = new MetadataClass()
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  if (key !== undefined) metadata.set('x-service-key', key)
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  return metadata
}

function readStatus(error: ServiceError): Ending {
  const { reason, problems, retryAfter } = readStatusDetails(error.metadata)
  const kind = kindOf(reason, ({ grpc }) => grpc === error.code)
  const headers = Object.fromEntries(
    Object.entries(error.metadata.getMap()).map(([name, value]) => [name, String(value)]),
  )
  return { ok: false, kind, reason, detail: error.details, problems, retryAfter, headers }
}

function createRestDoor(operations: DeclaredOperation[], port: number): Door {
  return {
    name: 'rest',
    async call(name, message, shown = {}) {
      const operation = operations.find((known) => known.name.endsWith(`/${name}`))
      if (!operation) throw new Error(`No method ${name}`)
      const { route } = operation
      const rest: Record<string, unknown> = { ...message }
      const path = route.path.replace(/\{(\w+)\}/g, (_, field) => {
        const value = rest[field]
        delete rest[field]
        return encodeURIComponent(String(value))
      })
      const query = route.body ? '' : `?${new URLSearchParams(rest as Record<string, string>)}`
      const response = await fetch(`http://127.0.0.1:${port}${path}${query}`, {
        method: route.verb.toUpperCase(),
        redirect: 'manual',
        headers: {
          ...(route.body && { 'content-type': 'application/json' }),
          ...(shown.token !== undefined && { authorization: `Bearer ${shown.token}` }),
          ...(shown.key !== undefined && { 'x-service-key': shown.key }),
          ...shown.headers,
        },
        ...(route.body && { body: JSON.stringify(rest) }),
      })
      return readResponse(response)
    },
    close: () => {},
  }
}

/** A fetch response as an ending. */
export async function readResponse(response: Response): Promise<Ending> {
  const headers = Object.fromEntries(response.headers)
  const text = await response.text()
  const json = text ? JSON.parse(text) : {}
  if (response.ok) return { ok: true, message: json, status: response.status, headers }
  const retry = response.headers.get('retry-after')
  return {
    ok: false,
    kind: kindOf(json.reason, ({ http }) => http === response.status),
    reason: json.reason,
    detail: json.detail,
    problems: json.errors ?? [],
    retryAfter: retry ? Number(retry) : undefined,
    headers,
  }
}

function kindOf(reason: string, fits: (row: { grpc: number; http: number }) => boolean): FaultKind {
  const kinds = Object.entries(faultKinds) as [FaultKind, { grpc: number; http: number }][]
  const found = kinds.find(([, row]) => fits(row))
  if (!found) throw new Error(`An answer outside the table of faults: ${reason}`)
  return found[0]
}
