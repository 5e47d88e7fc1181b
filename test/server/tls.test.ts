import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Client, credentials } from '@grpc/grpc-js'
import test from 'ava'
import { readConfig } from '../../src/server/config.ts'
import {
  type CertificateAuthority,
  createCertificateAuthority,
  hasOpenssl,
} from '../support/certificates.ts'
import { cloneDatabase } from '../support/database.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())
const withOpenssl = hasOpenssl ? test : test.skip

type ClientCertificate = ReturnType<CertificateAuthority['issue']>

/** Calls the health check; returns the gRPC code. */
function checkHealth(
  port: number,
  trustedCa?: Buffer,
  clientCertificate?: ClientCertificate,
): Promise<number> {
  const channel = trustedCa
    ? credentials.createSsl(
        trustedCa,
        clientCertificate?.key ?? null,
        clientCertificate?.certificate ?? null,
      )
    : credentials.createInsecure()
  const client = new Client(`localhost:${port}`, channel, { 'grpc.use_local_subchannel_pool': 1 })
  const same = (bytes: Buffer) => bytes
  const deadline = { deadline: Date.now() + 60_000 }
  return new Promise<number>((resolve) => {
    const path = '/grpc.health.v1.Health/Check'
    client.makeUnaryRequest(path, same, same, Buffer.alloc(0), deadline, (error) =>
      resolve(error?.code ?? 0),
    )
  }).finally(() => client.close())
}

withOpenssl('with a server certificate gRPC accepts only TLS', async (t) => {
  const folder = createKeyFolder(t)
  const authority = createCertificateAuthority(folder, 'ours')
  const { certPath, keyPath } = authority.issue('localhost')
  const server = await startServer(t, folder, {
    DATABASE_URL: database.url,
    GRPC_TLS_CERT_PATH: certPath,
    GRPC_TLS_KEY_PATH: keyPath,
  })
  t.is(await checkHealth(server.grpcPort, authority.certificate), 0)
  t.is(await checkHealth(server.grpcPort), 14, 'plain text is rejected')
  const other = createCertificateAuthority(folder, 'other')
  t.is(
    await checkHealth(server.grpcPort, other.certificate),
    14,
    'the client trusts another authority',
  )
})

withOpenssl('with a client CA gRPC requires a client certificate signed by it', async (t) => {
  const folder = createKeyFolder(t)
  const [authority, other] = [
    createCertificateAuthority(folder, 'ours'),
    createCertificateAuthority(folder, 'other'),
  ]
  const { certPath, keyPath } = authority.issue('localhost')
  const server = await startServer(t, folder, {
    DATABASE_URL: database.url,
    GRPC_TLS_CERT_PATH: certPath,
    GRPC_TLS_KEY_PATH: keyPath,
    GRPC_TLS_CLIENT_CA_PATH: authority.path,
  })
  t.is(await checkHealth(server.grpcPort, authority.certificate, authority.issue('backend')), 0)
  t.is(await checkHealth(server.grpcPort, authority.certificate), 14, 'no client certificate')
  t.is(
    await checkHealth(server.grpcPort, authority.certificate, other.issue('backend')),
    14,
    'the client certificate is signed by another authority',
  )
  t.is(await checkHealth(server.grpcPort, authority.certificate, authority.issue('backend')), 0)
})

test('incomplete TLS settings and missing files are configuration errors', (t) => {
  const findConfigError = (environment: Record<string, string>) =>
    t.throws(() => readConfig(environment)).message
  t.regex(findConfigError({ GRPC_TLS_CERT_PATH: 'a' }), /GRPC_TLS_KEY_PATH/)
  t.regex(findConfigError({ GRPC_TLS_KEY_PATH: 'a' }), /GRPC_TLS_CERT_PATH/)
  t.regex(findConfigError({ GRPC_TLS_CLIENT_CA_PATH: 'a' }), /GRPC_TLS_CERT_PATH/)

  const missing = join(createKeyFolder(t), 'missing.pem')
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: database.url,
    METRICS_PORT: '0',
    CONSOLE_ENABLED: 'false',
    GRPC_TLS_CERT_PATH: missing,
    GRPC_TLS_KEY_PATH: missing,
    LOG_LEVEL: 'error',
    JWT_PRIVATE_KEY_PATH: `${missing}.a`,
    JWT_PUBLIC_KEY_PATH: `${missing}.b`,
  }
  const { status, stderr } = spawnSync(process.execPath, ['src/main.ts'], {
    env,
    encoding: 'utf8',
  })
  t.is(status, 2, stderr)
  t.regex(stderr, /^GRPC_TLS_CERT_PATH must name an existing file: /)
})
