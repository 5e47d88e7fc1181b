import { type FieldViolation, invalidArgument } from '../core/errors.ts'

/** The members of a JSON Web Key that are private (RFC 7518, sections 6.2.2, 6.3.2 and 6.4). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

const maxKeys = 10

/**
 * Returns the JSON Web Key Set of a client app, or null if there is none. Throws if it contains
 * anything but public keys of RSA, EC or OKP.
 */
export function readKeySet(
  jwks: Record<string, unknown> | undefined,
): Record<string, unknown> | null {
  if (jwks === undefined) return null
  const { keys } = jwks
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > maxKeys)
    throw invalidArgument({ field: 'jwks.keys', message: `must be a list of 1 to ${maxKeys} keys` })
  const violations = keys.flatMap((key, index): FieldViolation[] => {
    const message = findKeyProblem(key)
    return message ? [{ field: `jwks.keys[${index}]`, message }] : []
  })
  if (violations.length > 0) throw invalidArgument(...violations)
  return { keys }
}

function findKeyProblem(key: unknown): string | undefined {
  if (typeof key !== 'object' || key === null) return 'must be a JSON Web Key'
  if (!['RSA', 'EC', 'OKP'].includes(String((key as { kty?: unknown }).kty)))
    return 'must be a public key of the type (kty) RSA, EC or OKP'
  return privateMembers.some((name) => name in key) ? 'must not contain a private key' : undefined
}
