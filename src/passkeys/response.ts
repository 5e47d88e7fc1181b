import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import { reasons } from './reasons.ts'
import type { RelyingParty } from './relying-party.ts'

type Json = Record<string, unknown>

/** The longest ID of a credential, 1,023 bytes, in base64url (WebAuthn Level 3, 6.1). */
const maxIdLength = 1364

const knownTransports = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal', 'cable'] as const

/** What a browser asserts about the page that asked for a response (WebAuthn Level 3, 5.8.1). */
export type ClientData = { type: string; challenge: string; origin: string; crossOrigin: boolean }

/** Reads the response to the creation of a passkey. Throws invalid_argument if it has another form. */
export function readCreation(credential: Json): RegistrationResponseJSON {
  const { id, response } = readCredential(credential, ['clientDataJSON', 'attestationObject'])
  const transports = Array.isArray(response.transports) ? response.transports : []
  return {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: response.clientDataJSON as string,
      attestationObject: response.attestationObject as string,
      transports: knownTransports.filter((one) =>
        transports.includes(one),
      ) as AuthenticatorTransport[],
    },
  }
}

/** Reads the response to a sign-in. Throws invalid_argument if it has another form. */
export function readAssertion(
  credential: Json,
): AuthenticationResponseJSON & { response: { userHandle: string } } {
  const names = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle']
  const { id, response } = readCredential(credential, names)
  return {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: response.clientDataJSON as string,
      authenticatorData: response.authenticatorData as string,
      signature: response.signature as string,
      userHandle: response.userHandle as string,
    },
  }
}

function readCredential(credential: Json, names: string[]): { id: string; response: Json } {
  const { id, rawId = id, type, response } = credential
  const problems = [
    ...(isBase64Url(id) && id.length <= maxIdLength ? [] : ['id must be the ID of a credential']),
    ...(rawId === id ? [] : ['rawId must be id']),
    ...(type === 'public-key' ? [] : ['type must be public-key']),
  ]
  const parts = (typeof response === 'object' ? response : null) as Json | null
  for (const name of names)
    if (!isBase64Url(parts?.[name])) problems.push(`response.${name} must be base64url`)
  if (problems.length === 0) return { id: id as string, response: parts as Json }
  throw invalidArgument(
    ...problems.map((problem) => {
      const [name, ...message] = problem.split(' ')
      return { field: `credential.${name}`, message: message.join(' ') }
    }),
  )
}

function isBase64Url(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]+$/.test(value)
}

/** Reads what the browser asserts. Throws failed_precondition if it is no JSON object. */
export function readClientData(clientDataJson: string): ClientData {
  try {
    const data = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()) as Json
    const { type, challenge, origin, crossOrigin = false, topOrigin } = data
    return {
      type: String(type),
      challenge: String(challenge),
      origin: String(origin),
      crossOrigin: crossOrigin !== false || topOrigin !== undefined,
    }
  } catch {
    throw refuse(['its client data is not valid'])
  }
}

/** What an authenticator asserts (WebAuthn Level 3, 6.1): user presence and verification, backups. */
export type Flags = { up: boolean; uv: boolean; be: boolean; bs: boolean }

/** Returns what is wrong with a response, whether or not its signature is right. */
export function findResponseProblems(
  { type, origin, crossOrigin }: ClientData,
  { up, uv, be, bs }: Flags,
  expected: { type: 'webauthn.create' | 'webauthn.get'; relyingParty: RelyingParty },
): string[] {
  const own = expected.relyingParty.origin
  return [
    ...(type === expected.type ? [] : [`its type is not ${expected.type}`]),
    ...(origin === own ? [] : [`it is for a page of another origin than ${own}`]),
    ...(crossOrigin ? ['it is for a page within one of another origin'] : []),
    ...(up ? [] : ['the user was not present']),
    ...(uv ? [] : ['the user was not verified']),
    ...(bs && !be ? ['the passkey has a backup, but cannot have one'] : []),
  ]
}

/** Returns the refusal of a response, with everything that is wrong with it. */
export function refuse(problems: string[]): ServiceError {
  const { message } = reasons.PASSKEY_REFUSED
  return new ServiceError(reasons.PASSKEY_REFUSED, `${message}: ${problems.join('; ')}`)
}
