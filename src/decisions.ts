import { accessible } from './permissions/accessible.ts'
import { check, checkOne } from './permissions/check.ts'

/**
 * What `PermissionService` decides from facts alone. It is there from the first moment: neither
 * entities nor the REST façade have to be read before it answers.
 */
export const decisions = {
  check,
  checkStream: checkOne,
  accessible,
  accessibleStream: accessible,
}
