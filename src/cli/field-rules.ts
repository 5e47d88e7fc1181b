import { readRegistry } from '../rpc/descriptors.ts'
import { readMethods } from '../rpc/method.ts'
import { createValidator } from '../rpc/validate.ts'

/** The message as the administrators' method takes it, with defaults; throws every problem at once. */
export function requireValid<Message extends object>(key: string, message: Message): Message {
  const registry = readRegistry()
  const method = readMethods(registry).find((one) => {
    return one.service === 'AdminService' && one.key === key
  })
  if (!method) throw new Error(`Administrators have no method ${key}`)
  createValidator(registry, method)(message)
  return message
}
