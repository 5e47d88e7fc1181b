import { Fault } from '../rpc/fault.ts'

export function userMissing(): Fault {
  return new Fault('missing', 'USER_NOT_FOUND', 'User not found')
}

export function userInactive(): Fault {
  return new Fault('unauthenticated', 'USER_INACTIVE', 'The user is not active')
}

export function notAdmin(): Fault {
  return new Fault('forbidden', 'NOT_ADMIN', 'The user is no administrator')
}
