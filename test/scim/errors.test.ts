import test from 'ava'
import { ServiceError } from '../../src/core/errors.ts'
import { toScimError } from '../../src/http/scim-error.ts'
import { reasons } from '../../src/scim/reasons.ts'

for (const reason of Object.values(reasons)) {
  if (reason.code !== 'invalid_argument') continue
  test(`an error ${reason.name} has a scimType`, (t) => {
    t.truthy(toScimError(new ServiceError(reason)).scimType)
  })
}
