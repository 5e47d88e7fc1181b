import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  randomBytes,
} from 'node:crypto'
import { ServiceError } from './errors.ts'
import { reasons } from './reasons.ts'

/** The size of a key, in bytes. */
export const encryptionKeySize = 32

/**
 * Encrypts secrets that the server must be able to read again. Everything else that is secret is
 * stored as a hash.
 */
export type SecretBox = {
  /**
   * Encrypts a secret with the first key. `context` names its place, such as the ID of its row: it
   * can only be decrypted with the same context, so that nobody can swap secrets in the database.
   *
   * @throws ServiceError `failed_precondition` without a key
   */
  encrypt(secret: string, context: string): string
  /** @throws Error if the key is missing, or the text was changed or belongs to another context */
  decrypt(encrypted: string, context: string): string
  /** Whether the text is encrypted with the first key. */
  isCurrent(encrypted: string): boolean
  /** Decrypts a text and encrypts it with the first key. */
  reencrypt(encrypted: string, context: string): string
}

const cipher = 'aes-256-gcm'
const nonceSize = 12
const tagSize = 16

/** The version of the format `1.<key ID>.<nonce, tag and ciphertext in base64url>`. */
const version = '1'

/** Creates a box from keys of 32 bytes. The first encrypts, all decrypt (AES-256-GCM). */
export function createSecretBox(keys: Buffer[]): SecretBox {
  // Node.js takes five times as long with the bytes of a key.
  const byId = new Map(keys.map((key) => [keyId(key), createSecretKey(key)]))
  const [first] = [...byId]

  const box: SecretBox = {
    encrypt(secret, context) {
      if (!first) throw new ServiceError(reasons.ENCRYPTION_KEY_MISSING)
      const [id, key] = first
      const nonce = randomBytes(nonceSize)
      const encryption = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(context))
      const text = Buffer.concat([encryption.update(secret, 'utf8'), encryption.final()])
      const bytes = Buffer.concat([nonce, encryption.getAuthTag(), text])
      return `${version}.${id}.${bytes.toString('base64url')}`
    },
    decrypt(encrypted, context) {
      const [format, id = '', text = ''] = encrypted.split('.')
      const key = byId.get(id)
      if (format !== version || !key) {
        throw new Error(`A secret is encrypted with the key ${id}, which is not configured`)
      }
      const bytes = Buffer.from(text, 'base64url')
      const decryption = createDecipheriv(cipher, key, bytes.subarray(0, nonceSize), {
        authTagLength: tagSize,
      })
      decryption.setAAD(Buffer.from(context))
      decryption.setAuthTag(bytes.subarray(nonceSize, nonceSize + tagSize))
      const secret = decryption.update(bytes.subarray(nonceSize + tagSize))
      return Buffer.concat([secret, decryption.final()]).toString('utf8')
    },
    isCurrent: (encrypted) => first !== undefined && encrypted.split('.')[1] === first[0],
    reencrypt: (encrypted, context) => box.encrypt(box.decrypt(encrypted, context), context),
  }
  return box
}

/** Returns the beginning of the key's hash, which identifies the key without revealing it. */
export function keyId(key: Buffer): string {
  return createHash('sha256').update('daikon encryption key').update(key).digest('hex').slice(0, 8)
}
