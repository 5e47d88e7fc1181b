import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose'

/** The paths of the PEM key files. The public file may contain several keys, newest first. */
export type KeyPaths = { privatePath: string; publicPath: string }

/** The key that signs tokens, and all keys that verify them, by thumbprint (RFC 7638). */
export type Keys = {
  kid: string
  signing: KeyObject
  verifying: Map<string, KeyObject>
  /** The public keys for `/.well-known/jwks.json` (RFC 7517). */
  jwks: JWK[]
}

/** Reads the key files. Throws unless the public file contains the public half of the private key. */
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
    throw new Error(`${publicPath} does not contain the RSA public key of ${privatePath}`)
  return { kid, signing, verifying, jwks }
}

/** Creates the files with a 2048-bit RSA key pair. Throws if either file exists. */
export function createKeyFiles({ privatePath, publicPath }: KeyPaths): void {
  for (const path of [privatePath, publicPath]) {
    if (existsSync(path)) throw new Error(`${path} already exists`)
    mkdirSync(dirname(path), { recursive: true })
  }
  const { privateKey, publicKey } = generatePair()
  writeFileSync(privatePath, privateKey, { mode: 0o600, flag: 'wx' })
  writeFileSync(publicPath, publicKey, { mode: 0o644, flag: 'wx' })
}

/**
 * Replaces the private key and adds the new public key in front of the old ones, which continue to
 * verify tokens. Returns the number of old keys.
 *
 * Each file is replaced atomically, the public one first, so that no node signs with a key that others
 * cannot verify.
 */
export function rotateKeys({ privatePath, publicPath }: KeyPaths): number {
  const olderKeys = readFileSync(publicPath, 'utf8')
  const { privateKey, publicKey } = generatePair()
  replaceFile(publicPath, publicKey + olderKeys, 0o644)
  replaceFile(privatePath, privateKey, 0o600)
  return olderKeys.match(pemBlock)?.length ?? 0
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
