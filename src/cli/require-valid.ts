import { readRegistry } from '../rpc/descriptors.ts'
import { readMethods } from '../rpc/method.ts'
import { createValidator } from '../rpc/validate.ts'

/**
 * Applies the field rules of an AdminService method to its request: fills in defaults and returns the
 * request. `key` is the method's name in camelCase.
 *
 * @throws {ServiceError} invalid_argument with every violation.
 */
export function requireValid<Message extends object>(key: string, message: Message): Message {
  const registry = readRegistry()
  const method = readMethods(registry).find(
    (candidate) => candidate.service === 'AdminService' && candidate.key === key,
  )
  if (!method) throw new Error(`AdminService has no method ${key}`)
  createValidator(registry, method)(message)
  return message
}
