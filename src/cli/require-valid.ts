import { readRegistry } from '../rpc/descriptors.ts'
import { readMethods } from '../rpc/method.ts'
import { createValidator, type Validator } from '../rpc/validate.ts'

const validators = new Map<string, Validator>()

/**
 * Applies the field rules of an AdminService method to its request, fills in defaults and returns
 * the request. `key` is the method's name in camelCase.
 *
 * @throws {ServiceError} invalid_argument with every violation
 */
export function requireValid<Message extends object>(key: string, message: Message): Message {
  // Compiling a validator takes longer than most calls, and some commands make hundreds.
  const validator = validators.get(key) ?? createRequestValidator('AdminService', key)
  validators.set(key, validator)
  validator(message)
  return message
}

/** Creates the validator for a method's request. `key` is the method's name in camelCase. */
export function createRequestValidator(service: string, key: string): Validator {
  const registry = readRegistry()
  const method = readMethods(registry).find(
    (candidate) => candidate.service === service && candidate.key === key,
  )
  if (!method) throw new Error(`${service} has no method ${key}`)
  return createValidator(registry, method)
}
