import { readFileSync } from 'node:fs'
import { type Config, ConfigError } from '../config/config.ts'
import type { GrpcTls } from '../grpc/server.ts'

type Paths = Pick<Config, 'GRPC_TLS_CERT_PATH' | 'GRPC_TLS_KEY_PATH' | 'GRPC_TLS_CLIENT_CA_PATH'>

/** Reads the configured certificate files; undefined when gRPC is served in plaintext. */
export function readGrpcTls(paths: Paths): GrpcTls | undefined {
  if (!paths.GRPC_TLS_CERT_PATH) return undefined
  return {
    certificate: read(paths, 'GRPC_TLS_CERT_PATH'),
    key: read(paths, 'GRPC_TLS_KEY_PATH'),
    clientCa: paths.GRPC_TLS_CLIENT_CA_PATH ? read(paths, 'GRPC_TLS_CLIENT_CA_PATH') : undefined,
  }
}

function read(paths: Paths, name: keyof Paths): Buffer {
  try {
    return readFileSync(paths[name])
  } catch (error) {
    throw new ConfigError(`${name} cannot be read: ${(error as Error).message}`)
  }
}
