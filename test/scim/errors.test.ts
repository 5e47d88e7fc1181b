import test from 'ava'
import { ServiceError } from '../../src/core/errors.ts'
import { reasons } from '../../src/scim/reasons.ts'
import { scimFormat } from '../../src/scim/rest-format.ts'

for (const reason of Object.values(reasons)) {
  if (reason.code !== 'invalid_argument') continue
  test(`an error ${reason.name} has a scimType`, (t) => {
    t.true('scimType' in scimFormat.writeError(new ServiceError(reason), 400))
  })
}
