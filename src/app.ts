import { setMaxListeners } from 'node:events'
import { createFileRegistry } from '@bufbuild/protobuf'
import { createKeyUses } from './admin/key-uses.ts'
import { addHealth } from './grpc/health.ts'
import { addReflection } from './grpc/reflection.ts'
import { createGrpcDoor, createGrpcServer, type GrpcTls, type Keepalive } from './grpc/server.ts'
import { createDocs } from './http/docs.ts'
import { createFacade } from './http/facade.ts'
import { securityHeaders } from './http/headers.ts'
import { allowedHosts } from './http/hosts.ts'
import { createOpenApi } from './http/openapi.ts'
import { createHttpDoor } from './http/server.ts'
import { createClientOrigins } from './identity/client-origins.ts'
import type { IdentityParts } from './identity/identity-parts.ts'
import type { Keys } from './identity/keys.ts'
import { createLoginStates } from './identity/login-states.ts'
import { createTokens, type Tokens } from './identity/tokens.ts'
import type { Windows } from './limits/windows.ts'
import { createFacts } from './permissions/facts.ts'
import type { Call } from './rpc/call.ts'
import type { Fault } from './rpc/fault.ts'
import { readDescriptors } from './rpc/method.ts'
import {
  createOperations,
  createStreams,
  type DeclaredOperation,
  type UseCaseTable,
} from './rpc/operation.ts'
import { createPipeline, type PipelineParts } from './rpc/pipeline.ts'
import { createRecognize } from './rpc/recognize.ts'
import type { Database } from './storage/database.ts'
import { definitions, useCases } from './use-cases.ts'

/** What the application is put together from. */
export type AppParts = {
  database: Database
  keys: Keys
  providers: IdentityParts['providers']
  windows: Windows
  now: () => Date
  /** Hears of every Fault that is ours rather than the caller's. */
  onFailure: (fault: Fault, call: Call) => void
  /** Tells the operator what stands badly. */
  warn: (text: string) => void
  /** Hears of calls and of shared statements, for the operator. */
  watch?: Pick<PipelineParts, 'onEnd' | 'trace'> & { onBatch?: (callers: number) => void }
  options: AppOptions
}

export type AppOptions = IdentityParts['options'] & {
  /** What seals the state of sign-ins. */
  sessionSecret: string
  /** Cookies travel over https alone. */
  secureCookies: boolean
  /** Requests a minute of one client over all REST routes; undefined lifts every limit. */
  globalLimit: number | undefined
  trustedProxies: number
  /** The hosts that requests may name, `*` for any; empty: those of our own addresses. */
  allowedHosts: string[]
  /** Pages that may call, beside those of client apps. */
  corsOrigins: string[]
  /** gRPC over TLS; plain text where there is none. */
  grpcTls?: GrpcTls | undefined
  /** When silent gRPC clients are noticed, where not as usual. */
  grpcKeepalive?: Keepalive
}

/** Both doors over one pipeline. */
export type App = {
  operations: DeclaredOperation[]
  tokens: Tokens
  /** Starts both doors; answers their ports. */
  listen(at: DoorAddresses): Promise<{ grpcPort: number; httpPort: number }>
  /** Writes when service keys were last used; wanted about once a minute. */
  writeKeyUses(): Promise<void>
  /** What `grpc.health.v1` says from now on. */
  setServing(serving: boolean): void
  /** Lets calls under way finish, then closes both doors; storage stays open. */
  drain(): Promise<void>
}

export type DoorAddresses = {
  grpcHost: string
  grpcPort: number
  httpHost: string
  httpPort: number
}

/** Milliseconds for calls under way to finish. */
const drainTime = 30_000

/** Puts the application together; this very thing is what the tests start. */
export function createApp(parts: AppParts): App {
  const { database, keys, providers, now, windows, onFailure, warn, watch, options } = parts
  const descriptors = readDescriptors()
  const table = useCases as unknown as UseCaseTable
  const operations = createOperations(descriptors, table)
  const streams = createStreams(descriptors, table)
  const tokens = createTokens({ keys, issuer: options.baseUrl, now })
  const loginStates = createLoginStates(options.sessionSecret, now)
  const keyUses = createKeyUses()
  const pipeline = createPipeline({
    ...{ database, windows, onFailure, warn, now, keyUses },
    ...{ onEnd: watch?.onEnd, trace: watch?.trace },
    identity: { keys, tokens, loginStates, providers, options },
    recognize: createRecognize(tokens),
    loadFacts: createFacts(database.statements, watch?.onBatch),
    globalLimit: options.globalLimit,
    adminOrigins: [options.adminUrl, options.baseUrl].map((url) => new URL(url).origin),
  })

  const draining = new AbortController()
  setMaxListeners(0, draining.signal)
  const server = createGrpcServer(
    [...operations, ...streams],
    definitions,
    pipeline,
    draining.signal,
    options.grpcKeepalive,
  )
  if (options.debug) addReflection(server, descriptors)
  const services = Object.keys(definitions).map((service) => `daikon.v1.${service}`)
  const health = addHealth(server, services)
  const onDrain = () => {
    draining.abort()
    health.endWatches()
  }
  const grpc = createGrpcDoor(server, { tls: options.grpcTls, onDrain })
  const http = createHttpDoor(
    createFacade(operations, pipeline, {
      ...options,
      allowedHosts: allowedHosts(options.allowedHosts, options.baseUrl, options.adminUrl),
      adminOrigin: new URL(options.adminUrl).origin,
      docs: options.debug
        ? createDocs(() =>
            createOpenApi(operations, createFileRegistry(descriptors), options.globalLimit),
          )
        : [],
      isClientOrigin: createClientOrigins(database.statements),
    }),
    securityHeaders(options.secureCookies),
  )

  return {
    ...{ operations, tokens },
    listen: async ({ grpcHost, grpcPort, httpHost, httpPort }) => ({
      grpcPort: await grpc.listen(grpcHost, grpcPort),
      httpPort: await http.listen(httpHost, httpPort),
    }),
    writeKeyUses: () => keyUses.write(database.statements),
    setServing: health.setServing,
    async drain() {
      health.setServing(false)
      await Promise.all([grpc.drain(drainTime), http.drain(drainTime)])
    },
  }
}
