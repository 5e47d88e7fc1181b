import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose'

/** Where the key files lie; the public one may hold several keys, the newest first. */
export type KeyPaths = { privatePath: string; publicPath: string }

/** The key that signs, and every key that verifies, by its RFC 7638 thumbprint. */
export type Keys = {
  kid: string
  signing: KeyObject
  verifying: Map<string, KeyObject>
  /** RFC 7517, for `/.well-known/jwks.json`. */
  jwks: JWK[]
}

/** Reads the key files; throws when the public one lacks the private one's partner. */
export async function readKeys({ privatePath, publicPath }: KeyPaths): Promise<Keys> {
  const signing = createPrivateKey(readFileSync(privatePath))
  const verifying = new Map<string, KeyObject>()
  const jwks: JWK[] = []
  for (const pem of readFileSync(publicPath, 'utf8').match(pemBlock) ?? []) {
    const key = createPublicKey(pem)
    const jwk = await exportJWK(key)
    const kid = await calculateJwkThumbprint(jwk)
    verifying.set(kid, key)
    jwks.push({ ...jwk, kid, alg: 'RS256', use: 'sig' })
  }
  const kid = await calculateJwkThumbprint(await exportJWK(createPublicKey(signing)))
  if (signing.asymmetricKeyType !== 'rsa' || !verifying.has(kid))
    throw new Error(`${publicPath} does not hold the RSA public key of ${privatePath}`)
  return { kid, signing, verifying, jwks }
}

/** Makes a 2048-bit RSA pair; refuses to overwrite either file. */
export function createKeyFiles({ privatePath, publicPath }: KeyPaths): void {
  for (const path of [privatePath, publicPath]) {
    if (existsSync(path)) throw new Error(`${path} is there already`)
    mkdirSync(dirname(path), { recursive: true })
  }
  const { privateKey, publicKey } = generatePair()
  writeFileSync(privatePath, privateKey, { mode: 0o600, flag: 'wx' })
  writeFileSync(publicPath, publicKey, { mode: 0o644, flag: 'wx' })
}

/**
 * Puts a new pair in place of the private key and before the public ones, which go on to verify;
 * answers how many those are. Each file is replaced as a whole, the public one first: no node ever
 * signs with a key that others do not know.
 */
export function rotateKeys({ privatePath, publicPath }: KeyPaths): number {
  const older = readFileSync(publicPath, 'utf8')
  const { privateKey, publicKey } = generatePair()
  replaceFile(publicPath, publicKey + older, 0o644)
  replaceFile(privatePath, privateKey, 0o600)
  return older.match(pemBlock)?.length ?? 0
}

function generatePair(): { privateKey: string; publicKey: string } {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
}

function replaceFile(path: string, text: string, mode: number): void {
  writeFileSync(`${path}.new`, text, { mode, flag: 'wx' })
  renameSync(`${path}.new`, path)
}

const pemBlock = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g
