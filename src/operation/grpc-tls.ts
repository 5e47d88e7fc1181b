import { readFileSync } from 'node:fs'
import type { Config } from '../config.ts'
import type { GrpcTls } from '../grpc/server.ts'
import { ConfigError } from '../setting.ts'

type Paths = Pick<Config, 'GRPC_TLS_CERT_PATH' | 'GRPC_TLS_KEY_PATH' | 'GRPC_TLS_CLIENT_CA_PATH'>

/** The files that the settings of TLS name; undefined where gRPC goes in plain text. */
export function readGrpcTls(paths: Paths): GrpcTls | undefined {
  if (!paths.GRPC_TLS_CERT_PATH) return undefined
  return {
    certificate: read(paths, 'GRPC_TLS_CERT_PATH'),
    key: read(paths, 'GRPC_TLS_KEY_PATH'),
    clientCa: paths.GRPC_TLS_CLIENT_CA_PATH ? read(paths, 'GRPC_TLS_CLIENT_CA_PATH') : undefined,
  }
}

/** What is wrong with the settings taken together. */
export function findTlsMistakes(paths: Paths): string[] {
  const { GRPC_TLS_CERT_PATH: certificate, GRPC_TLS_KEY_PATH: key } = paths
  if (certificate && !key) return ['GRPC_TLS_KEY_PATH must be set with GRPC_TLS_CERT_PATH']
  if (key && !certificate) return ['GRPC_TLS_CERT_PATH must be set with GRPC_TLS_KEY_PATH']
  if (paths.GRPC_TLS_CLIENT_CA_PATH && !certificate)
    return ['GRPC_TLS_CLIENT_CA_PATH needs GRPC_TLS_CERT_PATH']
  return []
}

function read(paths: Paths, name: keyof Paths): Buffer {
  try {
    return readFileSync(paths[name])
  } catch (error) {
    throw new ConfigError(`${name} can't be read: ${(error as Error).message}`)
  }
}
