import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { decodeAttestationObject, parseAuthenticatorData } from '@simplewebauthn/server/helpers'
import type { RelyingParty } from './relying-party.ts'
import {
  findResponseProblems,
  type readAssertion,
  readClientData,
  type readCreation,
  refuse,
} from './response.ts'

/** ES256, EdDSA and RS256 (RFC 9053, RFC 8812). */
export const algorithms = [-7, -8, -257]

/** A passkey as its authenticator has created it. */
export type CreatedPasskey = {
  credentialId: string
  publicKey: Uint8Array
  counter: number
  isBackupEligible: boolean
  isBackedUp: boolean
  transports: string[]
  aaguid: string
}

/** The key that a sign-in is verified with. */
export type StoredKey = {
  credentialId: string
  publicKey: Uint8Array
  isBackupEligible: boolean
}

/**
 * Verifies the creation of a passkey for `challenge`, whose use the caller checks.
 *
 * @throws {ServiceError} failed_precondition that names everything that is wrong
 */
export async function verifyCreation(
  response: ReturnType<typeof readCreation>,
  challenge: string,
  relyingParty: RelyingParty,
): Promise<CreatedPasskey> {
  const clientData = readClientData(response.response.clientDataJSON)
  const verified = await refuseErrors(async () => {
    const attestation = decodeAttestationObject(decode(response.response.attestationObject))
    const { flags } = parseAuthenticatorData(attestation.get('authData'))
    const expected = { type: 'webauthn.create', relyingParty } as const
    // Certificates are not wanted, and verifying them would send requests to hosts that they name.
    const isCertified =
      attestation.get('fmt') !== 'none' &&
      (attestation.get('fmt') !== 'packed' || attestation.get('attStmt').get('x5c') !== undefined)
    const problems = [
      ...findResponseProblems(clientData, flags, expected),
      ...(isCertified ? ['its attestation has a certificate, which was not asked for'] : []),
    ]
    if (problems.length > 0) throw refuse(problems)
    return verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      supportedAlgorithmIDs: algorithms,
    })
  })
  if (!verified.verified) throw refuse(['its signature is wrong'])
  const { credential, aaguid, credentialDeviceType, credentialBackedUp } = verified.registrationInfo
  if (credential.id !== response.id) throw refuse(['it is for another credential than its id'])
  return {
    credentialId: credential.id,
    publicKey: credential.publicKey,
    counter: credential.counter,
    isBackupEligible: credentialDeviceType === 'multiDevice',
    isBackedUp: credentialBackedUp,
    transports: response.response.transports ?? [],
    aaguid,
  }
}

/**
 * Verifies a sign-in by a passkey for `challenge`, whose use the caller checks. The caller compares the
 * counter, because what follows depends on the passkey.
 *
 * @throws {ServiceError} failed_precondition that names everything that is wrong
 */
export async function verifyAssertion(
  response: ReturnType<typeof readAssertion>,
  challenge: string,
  { credentialId, publicKey, isBackupEligible }: StoredKey,
  relyingParty: RelyingParty,
): Promise<{ counter: number; isBackedUp: boolean }> {
  const clientData = readClientData(response.response.clientDataJSON)
  const { verified, authenticationInfo } = await refuseErrors(async () => {
    const { flags } = parseAuthenticatorData(decode(response.response.authenticatorData))
    const expected = { type: 'webauthn.get', relyingParty } as const
    const problems = [
      ...findResponseProblems(clientData, flags, expected),
      ...(flags.be === isBackupEligible
        ? []
        : ['the passkey was created with another backup eligibility']),
    ]
    if (problems.length > 0) throw refuse(problems)
    return verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter: 0 },
    })
  })
  if (!verified) throw refuse(['its signature is wrong'])
  const { newCounter: counter, credentialBackedUp: isBackedUp } = authenticationInfo
  return { counter, isBackedUp }
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64url'))
}

/** Runs `work`, whose unexpected errors are about bytes that cannot be read, or about another RP ID. */
async function refuseErrors<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && error.name === 'ServiceError') throw error
    if (error instanceof Error && error.name === 'UnexpectedRPIDHash')
      throw refuse(['it is for another RP ID'])
    throw refuse(['its data cannot be verified'])
  }
}
