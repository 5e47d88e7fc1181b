import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { type Config, ConfigError } from '../config/config.ts'
import { createFileSource, type Source } from '../core/source.ts'
import type { GrpcTls } from '../grpc/server.ts'

const settingNames = ['GRPC_TLS_CERT_PATH', 'GRPC_TLS_KEY_PATH', 'GRPC_TLS_CLIENT_CA_PATH'] as const
type Paths = Pick<Config, (typeof settingNames)[number]>

/**
 * Returns the source of the configured certificates, or undefined if gRPC is served in plaintext.
 * `read` throws a ConfigError if a file cannot be read.
 */
export function openGrpcTls(paths: Paths): Source<GrpcTls> | undefined {
  if (!paths.GRPC_TLS_CERT_PATH) return undefined
  const names = settingNames.filter((name) => paths[name] !== '')
  const files = createFileSource(
    names.map((name) => paths[name]),
    parseGrpcTls,
  )
  return {
    async read() {
      try {
        return await files.read()
      } catch (error) {
        const name = names.find((name) => !existsSync(paths[name])) ?? names[0]
        throw new ConfigError(`${name} cannot be read: ${(error as Error).message}`)
      }
    },
  }
}

/** Returns when the certificates expire: the earliest date of each chain. */
export function readCertificateExpiry({ certificate, clientCa }: GrpcTls): Record<string, Date> {
  return {
    server: earliestExpiry(certificate),
    ...(clientCa && { client_ca: earliestExpiry(clientCa) }),
  }
}

function parseGrpcTls([certificate, key, clientCa]: Buffer[]): GrpcTls {
  const tls = { certificate, key, clientCa } as GrpcTls
  // Throws if the key does not match the certificate.
  createSecureContext({ cert: certificate, key, ca: clientCa })
  readCertificateExpiry(tls)
  return tls
}

function earliestExpiry(pem: Buffer): Date {
  const blocks = pem.toString().match(certificateBlock) ?? []
  const times = blocks.map((block) => new X509Certificate(block).validToDate.getTime())
  if (times.length === 0) throw new Error('the file contains no certificate')
  return new Date(Math.min(...times))
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
