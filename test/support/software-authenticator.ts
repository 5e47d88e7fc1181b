import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** A passkey that the tests keep, and may misuse. */
export type SoftPasskey = {
  id: string
  userHandle: string
  privateKey: KeyObject
  counter: number
  isBackupEligible: boolean
}

/** How a response differs from the one of a correct authenticator and browser. */
export type Deviation = {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  crossOrigin?: boolean
  topOrigin?: string
  isPresent?: boolean
  isVerified?: boolean
  isBackupEligible?: boolean
  isBackedUp?: boolean
  counter?: number
  userHandle?: string
  signature?: Buffer
  attestation?: { fmt: string; attStmt: Map<string, unknown> }
  /** The COSE algorithm that the key claims to have. */
  algorithm?: number
}

type Options = {
  challenge: string
  rp?: { id: string }
  rpId?: string
  user?: { id: string }
}

const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest()

/** Creates a passkey as a browser and a software authenticator would (ES256, attestation `none`). */
export function createSoftPasskey(
  options: Options,
  origin: string,
  deviation: Deviation & { id?: string } = {},
): { passkey: SoftPasskey; credential: Record<string, unknown> } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = deviation.id ? Buffer.from(deviation.id, 'base64url') : randomBytes(32)
  const { x, y } = publicKey.export({ format: 'jwk' })
  const key = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, deviation.algorithm ?? -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(String(x), 'base64url'))],
    [-3, new Uint8Array(Buffer.from(String(y), 'base64url'))],
  ])
  const length = Buffer.alloc(2)
  length.writeUInt16BE(id.length)
  const attested = Buffer.concat([Buffer.alloc(16), length, id, isoCBOR.encode(key)])
  const rpId = deviation.rpId ?? options.rp?.id ?? ''
  const authData = authenticatorData(rpId, 0, deviation, attested)
  const { fmt = 'none', attStmt = new Map() } = deviation.attestation ?? {}
  const attestation = new Map<string, unknown>([
    ['fmt', fmt],
    ['attStmt', attStmt],
    ['authData', new Uint8Array(authData)],
  ])
  const clientDataJSON = clientData('webauthn.create', options, origin, deviation)
  return {
    passkey: {
      id: encode(id),
      userHandle: options.user?.id ?? '',
      privateKey,
      counter: 0,
      isBackupEligible: deviation.isBackupEligible ?? false,
    },
    credential: {
      id: encode(id),
      rawId: encode(id),
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: encode(clientDataJSON),
        attestationObject: encode(isoCBOR.encode(attestation as never)),
        transports: ['internal'],
      },
    },
  }
}

/** Signs in with a passkey as a browser and a software authenticator would. */
export function assertSoftPasskey(
  passkey: SoftPasskey,
  options: Options,
  origin: string,
  deviation: Deviation = {},
): Record<string, unknown> {
  const counter = deviation.counter ?? passkey.counter
  const flags = { isBackupEligible: passkey.isBackupEligible, ...deviation }
  const data = authenticatorData(deviation.rpId ?? options.rpId ?? '', counter, flags)
  const clientDataJSON = clientData('webauthn.get', options, origin, deviation)
  const signed = Buffer.concat([data, sha256(clientDataJSON)])
  return {
    id: passkey.id,
    rawId: passkey.id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: encode(clientDataJSON),
      authenticatorData: encode(data),
      signature: encode(deviation.signature ?? sign('sha256', signed, passkey.privateKey)),
      userHandle: deviation.userHandle ?? passkey.userHandle,
    },
  }
}

function clientData(type: string, options: Options, origin: string, deviation: Deviation): Buffer {
  const { challenge = options.challenge, crossOrigin = false, topOrigin } = deviation
  return Buffer.from(
    JSON.stringify({
      type: deviation.type ?? type,
      challenge,
      origin: deviation.origin ?? origin,
      crossOrigin,
      ...(topOrigin !== undefined && { topOrigin }),
    }),
  )
}

function authenticatorData(
  rpId: string,
  counter: number,
  { isPresent = true, isVerified = true, isBackupEligible = false, isBackedUp = false }: Deviation,
  attested: Buffer = Buffer.alloc(0),
): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  const flags =
    (isPresent ? 1 : 0) |
    (isVerified ? 4 : 0) |
    (isBackupEligible ? 8 : 0) |
    (isBackedUp ? 16 : 0) |
    (attested.length > 0 ? 64 : 0)
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, attested])
}
