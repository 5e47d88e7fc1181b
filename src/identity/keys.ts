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
import { ConfigError } from '../config/config.ts'
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

/** The minimum length of an RSA key, in bits (RFC 7518, 3.3). */
export const minModulusLength = 2048

/**
 * Reads the key files.
 *
 * @throws {ConfigError} as parseKeys does
 */
export async function readKeys(paths: KeyPaths): Promise<Keys> {
  return parseKeys(readFileSync(paths.privatePath), readFileSync(paths.publicPath), paths)
}

/**
 * Parses the contents of the key files. `paths` are used in error messages only.
 *
 * @throws {ConfigError} if a key is not an RSA key of at least 2048 bits, or the public file does not
 * contain the public half of the private key
 */
export function parseKeys(privatePem: Buffer, publicPem: Buffer, paths: KeyPaths): Keys {
  const privateKey = parsePrivateKey(privatePem, paths.privatePath)
  const entries = parseVerifyingKeys(publicPem, paths.publicPath)
  const signer = createLocalSigner(privateKey)
  const own = entries.find((entry) => entry.kid === signer.kid)
  if (!own) {
    throw new ConfigError(
      `JWT_PUBLIC_KEY_PATH must contain the public key of JWT_PRIVATE_KEY_PATH: ${paths.publicPath} does not contain the key of ${paths.privatePath}`,
    )
  }
  return {
    signer,
    createdAt: own.published,
    verifying: new Map(entries.map((entry) => [entry.kid, entry.key])),
    jwks: entries.map(toJwk),
  }
}

function parsePrivateKey(pem: Buffer, path: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw new ConfigError(
      `JWT_PRIVATE_KEY_PATH must name a PEM file with an RSA private key without a passphrase: ${path}`,
    )
  }
  requireStrongRsa(key, `JWT_PRIVATE_KEY_PATH must name an RSA key`, path)
  return key
}

function parseVerifyingKeys(pem: Buffer, path: string): PublicKeyEntry[] {
  let entries: PublicKeyEntry[]
  try {
    entries = parsePublicKeys(pem.toString('utf8'))
  } catch {
    throw new ConfigError(`JWT_PUBLIC_KEY_PATH must name a PEM file with public keys: ${path}`)
  }
  for (const { key } of entries)
    requireStrongRsa(key, 'JWT_PUBLIC_KEY_PATH must contain RSA keys', path)
  return entries
}

function requireStrongRsa(key: KeyObject, rule: string, path: string): void {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  const length = details?.modulusLength ?? 0
  if (type === 'rsa' && length >= minModulusLength) return
  const found = type === 'rsa' ? `${length} bits` : type
  throw new ConfigError(`${rule} of at least ${minModulusLength} bits: ${path} (${found})`)
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
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: minModulusLength })
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
