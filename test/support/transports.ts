import {
  Client,
  credentials,
  type Metadata,
  Metadata as MetadataClass,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import { type ErrorCode, errorCodes } from '../../src/core/error-codes.ts'
import type { FieldViolation } from '../../src/core/errors.ts'
import { grpcServices } from '../../src/server/grpc-services.ts'
import { readStatusDetails } from './status-details.ts'

/** The credentials of a call: access token, service key, admin token, and further headers. */
export type PresentedCredentials = {
  token?: string
  key?: string
  admin?: string
  headers?: Record<string, string>
}

/** The result of a call, in the same format for both transports. */
export type Outcome =
  | {
      ok: true
      message: Record<string, any>
      /** The position of a change (`movePosition`). */
      position?: string
      status: number
      headers: Record<string, string>
    }
  | {
      ok: false
      code: ErrorCode
      reason: string
      detail: string
      violations: FieldViolation[]
      retryAfter: number | undefined
      headers: Record<string, string>
    }

/**
 * Calls methods over gRPC or REST. `call('Check', …)` behaves the same on both. If AdminService has
 * a method with the same name, `AdminService/ListMembers` selects it.
 */
export type Transport = {
  name: 'grpc' | 'rest'
  /** The name for test titles: `over ${label}`. */
  label: 'gRPC' | 'REST'
  call(method: string, message: object, credentials?: PresentedCredentials): Promise<Outcome>
  close(): void
}

/**
 * Returns a transport that repeats calls that time out waiting for a lock, as clients do. On a busy machine, calls that
 * change the same rows at the same time can wait for longer than the server lets them.
 */
export function repeatLockTimeouts(transport: Transport): Transport {
  return {
    ...transport,
    async call(...args) {
      for (;;) {
        const outcome = await transport.call(...args)
        if (outcome.ok || outcome.reason !== 'LOCK_TIMEOUT') return outcome
      }
    },
  }
}

const services = Object.values(grpcServices)

export function createGrpcTransport(port: number): Transport {
  // Each transport has a connection of its own.
  const options = { 'grpc.use_local_subchannel_pool': 1 }
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), options)
  const methods = services.flatMap((definition) => Object.values(definition))
  return {
    name: 'grpc',
    label: 'gRPC',
    call(name, message, credentials = {}) {
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
          createMetadata(credentials),
          done,
        )
      })
    },
    close: () => client.close(),
  }
}

/** Finds a method by name. Prefers other services to AdminService. */
export function pickMethod<Method>(
  methods: Method[],
  name: string,
  nameOf: (method: Method) => string,
): Method {
  const pattern = new RegExp(`(^|[/.])${name}$`)
  const found = methods.filter((method) => pattern.test(nameOf(method)))
  const others = found.filter((method) => !nameOf(method).includes('AdminService/'))
  const method = others[0] ?? found[0]
  if (!method) throw new Error(`No method ${name}`)
  return method
}

/** Adds empty lists and texts, which the encoder of ts-proto requires. */
function withDefaults(message: object): object {
  const lists = {
    checks: [],
    evaluations: [],
    repeated_parameters: [],
    scopes: [],
    api_resources: [],
  }
  const declared = { conditions: [], requirements: [] }
  return { ...lists, ...declared, post_logout_redirect_uris: [], permission: '', ...message }
}

export function createMetadata({
  token,
  key,
  admin,
  headers = {},
}: PresentedCredentials): Metadata {
  const metadata = new MetadataClass()
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  if (key !== undefined) metadata.set('x-service-key', key)
  if (admin !== undefined) metadata.set('cookie', `admin_token=${admin}`)
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  return metadata
}

function readStatus(error: ServiceError): Outcome {
  const { reason, violations, retryAfter } = readStatusDetails(error.metadata)
  // grpc-js reports exceeded deadlines by itself, whereas REST returns 503.
  const grpcCode = error.code === status.DEADLINE_EXCEEDED ? status.UNAVAILABLE : error.code
  const detail = `${error.code} ${error.details}`
  const code = codeOf({ reason, detail }, ({ grpc }) => grpc === grpcCode)
  const headers = Object.fromEntries(
    Object.entries(error.metadata.getMap()).map(([name, value]) => [name, String(value)]),
  )
  return { ok: false, code, reason, detail: error.details, violations, retryAfter, headers }
}

/** Finds the error code with a matching row in the error table. */
export function codeOf(
  { reason, detail }: { reason: string; detail: string },
  fits: (row: { grpc: number; http: number }) => boolean,
): ErrorCode {
  const kinds = Object.entries(errorCodes) as [ErrorCode, { grpc: number; http: number }][]
  // Over gRPC, only the reason distinguishes `gone` from `payload_too_large`.
  const isGone = reason === 'CURSOR_GONE'
  const found = kinds.find(([code, row]) => fits(row) && (code === 'gone') === isGone)
  if (!found) throw new Error(`No error code fits the response: ${detail} (${reason})`)
  return found[0]
}
