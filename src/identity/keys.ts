import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { JWK } from 'jose'
import {
  formatPublicKeys,
  type PublicKeyEntry,
  parsePublicKeys,
  thumbprint,
  toJwk,
} from './public-key-file.ts'
import { createLocalSigner, type Signer } from './signer.ts'

/** The paths of the PEM key files. The public file may contain several keys, newest first. */
export type KeyPaths = { privatePath: string; publicPath: string }

/** The key that signs tokens, and all keys that verify them, by thumbprint (RFC 7638). */
export type Keys = {
  /** Signs new tokens. */
  signer: Signer
  /** When the signing key was created, if the file of public keys contains the date. */
  createdAt: Date | undefined
  verifying: Map<string, KeyObject>
  /** The public keys for `/.well-known/jwks.json` (RFC 7517). */
  jwks: JWK[]
}

/**
 * Reads the key files. Throws unless the public file contains the public half of the private key.
 */
export async function readKeys(paths: KeyPaths): Promise<Keys> {
  return parseKeys(readFileSync(paths.privatePath), readFileSync(paths.publicPath), paths)
}

/**
 * Parses the contents of the key files. Throws unless the public file contains the public half of
 * the private key. `paths` are used in the error message only.
 */
export function parseKeys(privatePem: Buffer, publicPem: Buffer, paths: KeyPaths): Keys {
  const privateKey = createPrivateKey(privatePem)
  const entries = parsePublicKeys(publicPem.toString('utf8'))
  const signer = createLocalSigner(privateKey)
  const own = entries.find((entry) => entry.kid === signer.kid)
  if (!own || privateKey.asymmetricKeyType !== 'rsa') {
    throw new Error(
      `${paths.publicPath} does not contain the RSA public key of ${paths.privatePath}`,
    )
  }
  return {
    signer,
    createdAt: own.published,
    verifying: new Map(entries.map((entry) => [entry.kid, entry.key])),
    jwks: entries.map(toJwk),
  }
}

/** Creates the files with a 2048-bit RSA key pair. Throws if either file exists. */
export function createKeyFiles({ privatePath, publicPath }: KeyPaths, now = new Date()): void {
  for (const path of [privatePath, publicPath]) {
    if (existsSync(path)) throw new Error(`${path} already exists`)
    mkdirSync(dirname(path), { recursive: true })
  }
  const { privateKey, entry } = createKeyPair(now)
  writeFileSync(privatePath, privateKey, { mode: 0o600, flag: 'wx' })
  const publicKey = formatPublicKeys([{ ...entry, signing: now }])
  writeFileSync(publicPath, publicKey, { mode: 0o644, flag: 'wx' })
}

/**
 * Creates a 2048-bit RSA key pair. Returns the private key in PEM and the entry of the public key.
 */
export function createKeyPair(now: Date): { privateKey: string; entry: PublicKeyEntry } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    entry: { kid: thumbprint(publicKey), key: publicKey, published: now },
  }
}

/**
 * Replaces a file atomically. The new file has the mode and owner of `model`, by default the file
 * itself, because the server may run as a different user than this process.
 */
export function replaceFile(path: string, text: string, model = path): void {
  const { mode, uid, gid } = statSync(model)
  const temporary = `${path}.new`
  rmSync(temporary, { force: true })
  writeFileSync(temporary, text, { mode: mode & 0o777, flag: 'wx' })
  const created = statSync(temporary)
  if (created.uid !== uid || created.gid !== gid) chownSync(temporary, uid, gid)
  renameSync(temporary, path)
}
