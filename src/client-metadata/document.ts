import { createHash } from 'node:crypto'
import type { JSONWebKeySet } from 'jose'
import { canonicalJson } from '../core/canonical-json.ts'
import { blankCharacters, controlCharacters } from '../core/control-characters.ts'
import { ServiceError } from '../core/errors.ts'
import { isDeeper } from '../core/json-violation.ts'
import { readKeySet } from '../identity/client-keys.ts'
import { findDocumentedUriProblem } from '../identity/redirect-uris.ts'

/** What the document of a client says, as far as it is read. */
export type ClientDocument = {
  /** The name that the client gives itself, or an empty text. */
  name: string
  redirectUris: string[]
  /** Present if the client authenticates by its private key. */
  keys?: KeySource
  /** A hash of the redirect URIs, the authentication method and the keys. */
  hash: string
}

/** The public keys of a client, or the URL of them. */
export type KeySource = { jwks: JSONWebKeySet } | { jwksUri: string }

const maxDepth = 64
const maxRedirectUris = 20
const maxNameLength = 100

/** A text that is not a valid document. The message describes what is wrong. */
export class DocumentError extends Error {}

/**
 * Reads the document of a client (OAuth Client ID Metadata Document, 4; RFC 7591, 2). Unknown members are
 * ignored.
 *
 * @throws DocumentError with every problem
 */
export function readClientDocument(body: Buffer, clientUrl: string): ClientDocument {
  const document = readJsonObject(body)
  const { client_id, redirect_uris, client_name } = document
  const method = document.token_endpoint_auth_method ?? 'none'
  const problems = [
    ...(client_id === clientUrl ? [] : ['client_id must be the URL of the document']),
    ...findRedirectProblems(redirect_uris),
    ...(client_name === undefined || typeof client_name === 'string'
      ? []
      : ['client_name must be a text']),
    ...findMethodProblems(document, method, clientUrl),
  ]
  if (problems.length > 0) throw new DocumentError(problems.slice(0, 10).join('; '))
  const redirectUris = redirect_uris as string[]
  const keys = method === 'none' ? undefined : readKeySource(document)
  const consented = { redirect_uris: [...redirectUris].sort(), method, keys }
  return {
    name: cleanName((client_name as string | undefined) ?? ''),
    redirectUris,
    ...(keys && { keys }),
    hash: createHash('sha256').update(canonicalJson(consented)).digest('base64url'),
  }
}

/**
 * Reads the keys of a client.
 *
 * @throws DocumentError with every problem
 */
export function readClientKeys(body: Buffer): JSONWebKeySet {
  return toKeySet(readJsonObject(body))
}

function readJsonObject(body: Buffer): Record<string, unknown> {
  const value = parseJson(body)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DocumentError('must be a JSON object')
  if (isDeeper(value, maxDepth))
    throw new DocumentError(`must be nested at most ${maxDepth} levels deep`)
  return value as Record<string, unknown>
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new DocumentError('must be JSON in UTF-8')
  }
}

function findRedirectProblems(uris: unknown): string[] {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > maxRedirectUris)
    return [`redirect_uris must be a list of 1 to ${maxRedirectUris} URIs`]
  return uris.flatMap((uri, index) => {
    const problem = typeof uri === 'string' ? findDocumentedUriProblem(uri) : 'must be a text'
    return problem ? [`redirect_uris[${index}] ${problem}`] : []
  })
}

function findMethodProblems(
  document: Record<string, unknown>,
  method: unknown,
  clientUrl: string,
): string[] {
  // A secret in a public document is none.
  if (method !== 'none' && method !== 'private_key_jwt')
    return ['token_endpoint_auth_method must be none or private_key_jwt']
  if (method === 'none') return []
  const { jwks, jwks_uri } = document
  if ((jwks === undefined) === (jwks_uri === undefined))
    return ['private_key_jwt requires either jwks or jwks_uri']
  if (jwks_uri !== undefined) return findKeysUrlProblems(jwks_uri, clientUrl)
  try {
    toKeySet(jwks)
    return []
  } catch (error) {
    return [(error as DocumentError).message]
  }
}

function findKeysUrlProblems(url: unknown, clientUrl: string): string[] {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  const isOfHost =
    parsed?.href === url &&
    parsed?.origin === new URL(clientUrl).origin &&
    `${parsed.username}${parsed.password}${parsed.hash}` === ''
  return isOfHost ? [] : ['jwks_uri must be an https URL on the host of the document']
}

function readKeySource({ jwks, jwks_uri }: Record<string, unknown>): KeySource {
  return jwks_uri === undefined ? { jwks: toKeySet(jwks) } : { jwksUri: jwks_uri as string }
}

function toKeySet(jwks: unknown): JSONWebKeySet {
  if (typeof jwks !== 'object' || jwks === null) throw new DocumentError('jwks must be a JWK Set')
  try {
    return readKeySet(jwks as Record<string, unknown>) as unknown as JSONWebKeySet
  } catch (error) {
    if (error instanceof ServiceError) throw new DocumentError(error.message)
    throw error
  }
}

const hidden = new RegExp(`[${controlCharacters}\\p{Cs}]`, 'gu')
const spaces = new RegExp(`[${blankCharacters}]+`, 'gu')

/** Returns a name as it is shown: on one line, without characters that hide or turn others, and short. */
function cleanName(name: string): string {
  const clean = name.replace(spaces, ' ').replace(hidden, '').trim()
  return [...clean].slice(0, maxNameLength).join('')
}
