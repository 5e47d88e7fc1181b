import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js'
import {
  type PermissionServiceServer,
  PermissionServiceService,
} from '../gen/daikon/v1/permissions.ts'
import { addHealth, addReflection } from './grpc/introspection.ts'
import { createGrpcServer, listen } from './grpc/server.ts'
import { createFacade } from './http/facade.ts'
import type { Keys } from './identity/keys.ts'
import { createTokens, type Tokens } from './identity/tokens.ts'
import type { Windows } from './limits/windows.ts'
import { accessible } from './permissions/accessible.ts'
import { check } from './permissions/check.ts'
import { createFacts } from './permissions/facts.ts'
import { getResource, register, unregister } from './permissions/register.ts'
import { revokeShare, share } from './permissions/share.ts'
import { updateVisibility } from './permissions/visibility.ts'
import type { Call, UseCases } from './rpc/call.ts'
import type { Fault } from './rpc/fault.ts'
import { readDescriptors } from './rpc/method.ts'
import { createOperations, type DeclaredOperation, type UseCaseTable } from './rpc/operation.ts'
import { createPipeline } from './rpc/pipeline.ts'
import type { Database } from './storage/database.ts'

/** What the application is put together from. */
export type AppParts = {
  database: Database
  keys: Keys
  windows: Windows
  now: () => Date
  /** Hears of every Fault that is ours rather than the caller's. */
  onFailure: (fault: Fault, call: Call) => void
  options: {
    /** The public address, issuer of the tokens. */
    baseUrl: string
    debug: boolean
    keysRequired: boolean
    /** Requests a minute of one client over all REST routes; undefined lifts every limit. */
    globalLimit: number | undefined
    trustedProxies: number
  }
}

/** Both doors over one pipeline, not listening yet. */
export type App = {
  operations: DeclaredOperation[]
  tokens: Tokens
  grpc: GrpcServer
  http: HttpServer
  /** Starts both doors; answers their ports. */
  listen(at: DoorAddresses): Promise<{ grpcPort: number; httpPort: number }>
  /** Lets calls under way finish, then closes both doors; storage stays open. */
  drain(): Promise<void>
}

export type DoorAddresses = {
  grpcHost: string
  grpcPort: number
  httpHost: string
  httpPort: number
}

/** The service definitions of gen/, for the inside door. */
const definitions = { PermissionService: PermissionServiceService }

const useCases = {
  PermissionService: {
    check,
    accessible,
    share,
    register,
    updateVisibility,
    revokeShare,
    getResource,
    unregister,
  } satisfies UseCases<PermissionServiceServer>,
}

/** Puts the application together; this very thing is what the tests start. */
export function createApp(parts: AppParts): App {
  const { database, keys, now, windows, onFailure, options } = parts
  const descriptors = readDescriptors()
  const operations = createOperations(descriptors, useCases as unknown as UseCaseTable)
  const tokens = createTokens({ keys, issuer: options.baseUrl, now })
  const pipeline = createPipeline({
    ...{ database, tokens, windows, onFailure },
    loadFacts: createFacts(database.statements),
    globalLimit: options.globalLimit,
    keysRequired: options.keysRequired,
  })
  const grpc = createGrpcServer(operations, definitions, pipeline)
  if (options.debug) addReflection(grpc, descriptors)
  const names = Object.keys(definitions).map((service) => `daikon.v1.${service}`)
  const health = addHealth(grpc, names)
  const http = createServer(createFacade(operations, pipeline, options))

  return {
    ...{ operations, tokens, grpc, http },
    async listen({ grpcHost, grpcPort, httpHost, httpPort }) {
      const credentials = ServerCredentials.createInsecure()
      return {
        grpcPort: await listen(grpc, `${grpcHost}:${grpcPort}`, credentials),
        httpPort: await listenHttp(http, httpHost, httpPort),
      }
    },
    async drain() {
      for (const service of ['', ...names]) health.setStatus(service, 'NOT_SERVING')
      await Promise.all([drainGrpc(grpc), drainHttp(http)])
    },
  }
}

/** Milliseconds for calls under way to finish. */
const drainTime = 30_000

function listenHttp(server: HttpServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

function drainGrpc(server: GrpcServer): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.forceShutdown(), drainTime)
    server.tryShutdown(() => {
      clearTimeout(force)
      resolve()
    })
  })
}

function drainHttp(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), drainTime)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}
