import type {
  CredentialKind,
  CredentialPolicy,
  Credentials,
  PresentingCall,
} from '../../core/credential-kind.ts'
import { otherService, ServiceError } from '../../core/errors.ts'
import { reasons } from '../reasons.ts'
import { hashServiceKey, serviceKeyMissing } from '../service-keys.ts'

export type ServiceKeyDependencies = {
  /** Whether a service key is required even if no service app is active (no development mode). */
  keysRequired: boolean
  onServiceKeyUsed: (keyHash: string, now: Date) => void
  /** Called if a key is required and the presented one is not valid. */
  onServiceKeyRejected: (keyHash: string, call: PresentingCall) => void
}

/**
 * The key of a backend service: `x-service-key: <key>`. Its claims are its hash, empty if it is missing,
 * because development mode requires none.
 */
export function createServiceKeyKind({
  keysRequired,
  onServiceKeyUsed,
  onServiceKeyRejected,
}: ServiceKeyDependencies): CredentialKind<string> {
  return {
    name: 'service',
    provesCaller: false,
    isPresented: (credentials, policy) => findServiceKey(credentials, policy) !== undefined,

    verify(credentials, policy) {
      const key = findServiceKey(credentials, policy)
      if (key) credentials.keyHash ??= hashServiceKey(key)
      return credentials.keyHash ?? ''
    },

    identify(keyHash, caller) {
      caller.keyHash = keyHash
    },

    authenticate(principal, keyHash, status, call, now) {
      const required = keysRequired || status.keysRequired
      const { service: name } = status
      if (required && name === undefined) {
        if (keyHash) onServiceKeyRejected(keyHash, call)
        throw keyHash ? new ServiceError(reasons.SERVICE_KEY_INVALID) : serviceKeyMissing()
      }
      principal.service = { name: required ? name : undefined }
      if (required && keyHash) onServiceKeyUsed(keyHash, now)
    },

    authorize({ service }, { serviceField }, request) {
      if (service?.name === undefined || !serviceField) return
      if (!namesOnly(service.name, request, serviceField)) throw otherService(service.name)
    },

    tenants(keyHash, principal) {
      const name = principal ? principal.service?.name : keyHash
      return name ? [{ key: `service ${name}`, of: 'service' }] : []
    },
  }
}

/**
 * The credentials of a client app instead of a service key. The handler verifies them, because the
 * message contains them. In development mode, it is called as by a service.
 */
export function createClientKind({
  keysRequired,
}: Pick<ServiceKeyDependencies, 'keysRequired'>): CredentialKind<true> {
  return {
    name: 'client',
    provesCaller: false,
    isPresented: (credentials, policy) => !findServiceKey(credentials, policy),
    verify: () => true,
    identify(_claims, caller) {
      caller.keyHash = ''
    },
    authenticate(principal, _claims, status) {
      if (!keysRequired && !status.keysRequired) principal.service = { name: undefined }
    },
  }
}

/**
 * Returns the service key of a call. API gateways that call a policy decision point send it as a bearer
 * token. In forward authentication, `Authorization` comes from the gateway's client, who must not
 * choose the service.
 */
function findServiceKey(
  { serviceKey, authorization }: Credentials,
  { takesBearerKeys }: CredentialPolicy,
): string | undefined {
  if (serviceKey !== undefined || !takesBearerKeys) return serviceKey
  const [, key] = /^Bearer +(dk_.*)$/i.exec(authorization ?? '') ?? []
  return key
}

/**
 * Whether every value at the path, which may lead into a repeated field, equals `name` or is
 * absent. A required value cannot be absent here, because the request has been validated.
 */
function namesOnly(name: string, value: unknown, path: string[], depth = 0): boolean {
  const step = path[depth]
  if (step === undefined || value === undefined) return value === undefined || value === name
  const next = (value as Record<string, unknown>)[step]
  if (!Array.isArray(next)) return namesOnly(name, next, path, depth + 1)
  return next.every((item) => namesOnly(name, item, path, depth + 1))
}
