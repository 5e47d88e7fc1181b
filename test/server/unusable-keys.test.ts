import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { createCertificateAuthority, hasOpenssl } from '../support/certificates.ts'
import { runCliWith } from '../support/cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'daikon-unusable-keys-'))
test.after.always(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}
const formatPrivate = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const formatPublic = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()
const createPair = (name: string, pair: { privateKey: KeyObject; publicKey: KeyObject }) => ({
  privateKey: write(`${name}.pem`, formatPrivate(pair.privateKey)),
  publicKey: write(`${name}.pub.pem`, formatPublic(pair.publicKey)),
})

const good = createPair('good', generateKeyPairSync('rsa', { modulusLength: 2048 }))
const other = createPair('other', generateKeyPairSync('rsa', { modulusLength: 2048 }))
const weak = createPair('weak', generateKeyPairSync('rsa', { modulusLength: 1024 }))
const elliptic = createPair('elliptic', generateKeyPairSync('ec', { namedCurve: 'P-256' }))
const broken = write('broken.pem', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n')
const brokenPublic = write(
  'broken.pub.pem',
  '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n',
)
const missing = join(folder, 'missing.pem')

/** The output of a server that cannot start. It has no database, because keys are checked first. */
async function start(environment: Record<string, string>) {
  const ports = { HTTP_PORT: '0', GRPC_PORT: '0', METRICS_PORT: '0', CONSOLE_PORT: '0' }
  const settings = {
    ...ports,
    DATABASE_URL: 'postgresql://127.0.0.1:1/daikon',
    JWT_PRIVATE_KEY_PATH: good.privateKey,
    JWT_PUBLIC_KEY_PATH: good.publicKey,
    ...environment,
  }
  return runCliWith(settings, 'start')
}

const signingKeys: [title: string, privatePath: string, publicPath: string, message: string][] = [
  [
    'a missing file',
    missing,
    good.publicKey,
    `JWT_PRIVATE_KEY_PATH must name an existing file: ${missing}. Run \`daikon keys make\` to create the keys.`,
  ],
  [
    'a folder',
    good.privateKey,
    folder,
    `JWT_PUBLIC_KEY_PATH must name a file that this user can read: ${folder} (EISDIR)`,
  ],
  [
    'a broken private key',
    broken,
    good.publicKey,
    `JWT_PRIVATE_KEY_PATH must name a PEM file with an RSA private key without a passphrase: ${broken}`,
  ],
  [
    'a broken public key',
    good.privateKey,
    brokenPublic,
    `JWT_PUBLIC_KEY_PATH must name a PEM file with public keys: ${brokenPublic}`,
  ],
  [
    'a short key',
    weak.privateKey,
    weak.publicKey,
    `JWT_PRIVATE_KEY_PATH must name an RSA key of at least 2048 bits: ${weak.privateKey} (1024 bits)`,
  ],
  [
    'a key of another type',
    elliptic.privateKey,
    elliptic.publicKey,
    `JWT_PRIVATE_KEY_PATH must name an RSA key of at least 2048 bits: ${elliptic.privateKey} (ec)`,
  ],
  [
    'a short public key',
    good.privateKey,
    weak.publicKey,
    `JWT_PUBLIC_KEY_PATH must contain RSA keys of at least 2048 bits: ${weak.publicKey} (1024 bits)`,
  ],
  [
    'keys that do not match',
    good.privateKey,
    other.publicKey,
    `JWT_PUBLIC_KEY_PATH must contain the public key of JWT_PRIVATE_KEY_PATH: ${other.publicKey} does not contain the key of ${good.privateKey}`,
  ],
]

for (const [title, privatePath, publicPath, message] of signingKeys) {
  test(`start reports unusable signing keys with one line: ${title}`, async (t) => {
    const keys = { JWT_PRIVATE_KEY_PATH: privatePath, JWT_PUBLIC_KEY_PATH: publicPath }
    const { status, out, err } = await start({ ...keys, DEBUG: 'true' })
    t.deepEqual({ status, out, err }, { status: 2, out: '', err: `${message}\n` })
  })
}

const withOpenssl = hasOpenssl ? test : test.skip

withOpenssl('start reports unusable certificates with one line', async (t) => {
  const authority = createCertificateAuthority(folder, 'authority')
  const [server, unrelated] = [authority.issue('localhost'), authority.issue('unrelated')]
  const cases: [certificate: string, key: string, clientCa: string, message: string][] = [
    [missing, server.keyPath, '', `GRPC_TLS_CERT_PATH must name an existing file: ${missing}`],
    [
      broken,
      server.keyPath,
      '',
      `GRPC_TLS_CERT_PATH must name a PEM file with certificates: ${broken}`,
    ],
    [
      server.certPath,
      broken,
      '',
      `GRPC_TLS_KEY_PATH must name a PEM file with a private key without a passphrase: ${broken}`,
    ],
    [
      server.certPath,
      weak.privateKey,
      '',
      `GRPC_TLS_KEY_PATH must name an RSA key of at least 2048 bits: ${weak.privateKey} (1024 bits)`,
    ],
    [
      server.certPath,
      unrelated.keyPath,
      '',
      `GRPC_TLS_KEY_PATH must be the key of the first certificate in GRPC_TLS_CERT_PATH: ${unrelated.keyPath} does not match ${server.certPath}`,
    ],
    [
      server.certPath,
      server.keyPath,
      broken,
      `GRPC_TLS_CLIENT_CA_PATH must name a PEM file with certificates: ${broken}`,
    ],
  ]
  for (const [certificate, key, clientCa, message] of cases) {
    const { status, out, err } = await start({
      GRPC_TLS_CERT_PATH: certificate,
      GRPC_TLS_KEY_PATH: key,
      GRPC_TLS_CLIENT_CA_PATH: clientCa,
      WORKERS: '2',
    })
    t.deepEqual({ status, out, err }, { status: 2, out: '', err: `${message}\n` })
  }
})

// Root can read every file.
const asUser = userInfo().uid === 0 ? test.skip : test

asUser('start reports a key that the user may not read', async (t) => {
  const path = write('unreadable.pem', '')
  chmodSync(path, 0o000)
  t.like(await start({ JWT_PRIVATE_KEY_PATH: path }), {
    status: 2,
    err: `JWT_PRIVATE_KEY_PATH must name a file that this user can read: ${path} (EACCES)\n`,
  })
})
