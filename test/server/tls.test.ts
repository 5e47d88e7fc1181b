import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Client, credentials } from '@grpc/grpc-js'
import test from 'ava'
import { readConfig } from '../../src/config/config.ts'
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

type Shown = ReturnType<CertificateAuthority['issue']>

/** Asks for health; answers the code, 0 when answered. */
function ask(port: number, trusted?: Buffer, shown?: Shown): Promise<number> {
  const channel = trusted
    ? credentials.createSsl(trusted, shown?.key ?? null, shown?.certificate ?? null)
    : credentials.createInsecure()
  const client = new Client(`localhost:${port}`, channel, { 'grpc.use_local_subchannel_pool': 1 })
  const same = (bytes: Buffer) => bytes
  const deadline = { deadline: Date.now() + 5000 }
  return new Promise<number>((resolve) => {
    const path = '/grpc.health.v1.Health/Check'
    client.makeUnaryRequest(path, same, same, Buffer.alloc(0), deadline, (error) =>
      resolve(error?.code ?? 0),
    )
  }).finally(() => client.close())
}

withOpenssl('with a certificate gRPC goes over TLS alone', async (t) => {
  const folder = createKeyFolder(t)
  const ours = createCertificateAuthority(folder, 'ours')
  const { certPath, keyPath } = ours.issue('localhost')
  const server = await startServer(t, folder, {
    DATABASE_URL: database.url,
    ...{ GRPC_TLS_CERT_PATH: certPath, GRPC_TLS_KEY_PATH: keyPath },
  })
  t.is(await ask(server.grpcPort, ours.certificate), 0)
  t.is(await ask(server.grpcPort), 14, 'plain text is refused')
  const other = createCertificateAuthority(folder, 'other')
  t.is(await ask(server.grpcPort, other.certificate), 14, 'the client knows another authority')
})

withOpenssl('with a client CA nobody calls without a certificate that it has signed', async (t) => {
  const folder = createKeyFolder(t)
  const [ours, other] = [
    createCertificateAuthority(folder, 'ours'),
    createCertificateAuthority(folder, 'other'),
  ]
  const { certPath, keyPath } = ours.issue('localhost')
  const server = await startServer(t, folder, {
    DATABASE_URL: database.url,
    ...{ GRPC_TLS_CERT_PATH: certPath, GRPC_TLS_KEY_PATH: keyPath },
    GRPC_TLS_CLIENT_CA_PATH: ours.path,
  })
  t.is(await ask(server.grpcPort, ours.certificate, ours.issue('backend')), 0)
  t.is(await ask(server.grpcPort, ours.certificate), 14, 'none is shown')
  t.is(await ask(server.grpcPort, ours.certificate, other.issue('backend')), 14, 'a stranger')
  t.is(await ask(server.grpcPort, ours.certificate, ours.issue('backend')), 0)
})

test('a half of the settings is a mistake, and so is a file that is not there', (t) => {
  const mistake = (environment: Record<string, string>) =>
    t.throws(() => readConfig(environment)).message
  t.regex(mistake({ GRPC_TLS_CERT_PATH: 'a' }), /GRPC_TLS_KEY_PATH/)
  t.regex(mistake({ GRPC_TLS_KEY_PATH: 'a' }), /GRPC_TLS_CERT_PATH/)
  t.regex(mistake({ GRPC_TLS_CLIENT_CA_PATH: 'a' }), /GRPC_TLS_CERT_PATH/)

  const missing = join(createKeyFolder(t), 'missing.pem')
  const env = {
    ...{ PATH: process.env.PATH, DATABASE_URL: database.url, METRICS_PORT: '0' },
    ...{ GRPC_TLS_CERT_PATH: missing, GRPC_TLS_KEY_PATH: missing, LOG_LEVEL: 'error' },
    ...{ JWT_PRIVATE_KEY_PATH: `${missing}.a`, JWT_PUBLIC_KEY_PATH: `${missing}.b` },
  }
  const { status, stderr } = spawnSync(process.execPath, ['src/main.ts'], {
    ...{ env, encoding: 'utf8', timeout: 20_000 },
  })
  t.is(status, 2, stderr)
  t.regex(stderr, /^GRPC_TLS_CERT_PATH cannot be read: /)
})
