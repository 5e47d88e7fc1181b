import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { ConfigError } from '../config/config.ts'
import { requireFile } from '../config/require-file.ts'
import { createFileSource, type Source } from '../core/source.ts'
import type { GrpcTls } from '../grpc/server.ts'
import { minModulusLength } from '../identity/keys.ts'
import type { Config } from './config.ts'

const settingNames = ['GRPC_TLS_CERT_PATH', 'GRPC_TLS_KEY_PATH', 'GRPC_TLS_CLIENT_CA_PATH'] as const
type Paths = Pick<Config, (typeof settingNames)[number]>

/**
 * Returns the source of the configured certificates, or undefined if gRPC is served in plaintext.
 * Both `read` and `parse` throw a ConfigError if a file cannot be used.
 */
export function openGrpcTls(paths: Paths): Source<GrpcTls> | undefined {
  if (!paths.GRPC_TLS_CERT_PATH) return undefined
  const names = settingNames.filter((name) => paths[name] !== '')
  const files = createFileSource(
    names.map((name) => paths[name]),
    (contents) => parseGrpcTls(paths, contents),
  )
  return {
    async read() {
      for (const name of names) requireFile(name, paths[name])
      return files.read()
    },
  }
}

/**
 * Reads the configured certificates once, if there are any.
 *
 * @throws {ConfigError} if a file cannot be used
 */
export async function checkGrpcTls(paths: Paths): Promise<void> {
  const source = openGrpcTls(paths)
  await (await source?.read())?.parse()
}

/** Returns when the certificates expire: the earliest date of each chain. */
export function readCertificateExpiry({ certificate, clientCa }: GrpcTls): Record<string, Date> {
  return {
    server: earliestExpiry(certificate),
    ...(clientCa && { client_ca: earliestExpiry(clientCa) }),
  }
}

function parseGrpcTls(paths: Paths, [certificate, key, clientCa]: Buffer[]): GrpcTls {
  const tls = { certificate, key, clientCa } as GrpcTls
  const read = <Value>(name: keyof Paths, content: string, parse: () => Value) => {
    try {
      return parse()
    } catch {
      throw new ConfigError(`${name} must name a PEM file with ${content}: ${paths[name]}`)
    }
  }
  const privateKey = read('GRPC_TLS_KEY_PATH', 'a private key without a passphrase', () =>
    createPrivateKey(tls.key),
  )
  read('GRPC_TLS_CERT_PATH', 'certificates', () => earliestExpiry(tls.certificate))
  if (clientCa) read('GRPC_TLS_CLIENT_CA_PATH', 'certificates', () => earliestExpiry(clientCa))
  const { modulusLength = minModulusLength } = privateKey.asymmetricKeyDetails ?? {}
  if (modulusLength < minModulusLength) {
    throw new ConfigError(
      `GRPC_TLS_KEY_PATH must name an RSA key of at least ${minModulusLength} bits: ${paths.GRPC_TLS_KEY_PATH} (${modulusLength} bits)`,
    )
  }
  if (!new X509Certificate(tls.certificate).checkPrivateKey(privateKey)) {
    throw new ConfigError(
      `GRPC_TLS_KEY_PATH must be the key of the first certificate in GRPC_TLS_CERT_PATH: ${paths.GRPC_TLS_KEY_PATH} does not match ${paths.GRPC_TLS_CERT_PATH}`,
    )
  }
  try {
    createSecureContext({ cert: certificate, key, ca: clientCa })
  } catch (error) {
    throw new ConfigError(`GRPC_TLS_CERT_PATH cannot be used: ${(error as Error).message}`)
  }
  return tls
}

function earliestExpiry(pem: Buffer): Date {
  const blocks = pem.toString().match(certificateBlock) ?? []
  const times = blocks.map((block) => new X509Certificate(block).validToDate.getTime())
  if (times.length === 0) throw new Error('the file contains no certificate')
  return new Date(Math.min(...times))
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
