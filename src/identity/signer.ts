import { createPublicKey, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { thumbprint } from './public-key-file.ts'

/**
 * Signs tokens with RS256 (RFC 7518, 3.3). The private key may be in this process or in a key
 * management service.
 */
export type Signer = {
  /** The thumbprint of the public key (RFC 7638), which is the `kid` of the tokens. */
  kid: string
  publicKey: KeyObject
  /**
   * Signs a JWS signing input, `<header>.<payload>`, and returns the signature.
   *
   * @throws {ServiceError} unavailable if the key cannot be used at the moment
   */
  sign(input: string): Promise<Buffer>
}

const signAsync = promisify(sign)

/** Creates a signer with a private key in memory. */
export function createLocalSigner(privateKey: KeyObject): Signer {
  const publicKey = createPublicKey(privateKey)
  return {
    kid: thumbprint(publicKey),
    publicKey,
    sign: (input) => signAsync('sha256', Buffer.from(input), privateKey),
  }
}
