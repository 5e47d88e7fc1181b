import { randomUUID } from 'node:crypto'
import test from 'ava'
import { AccessibleResourcesResponse } from '../../gen/daikon/v1/permissions.ts'
import { encodeMessage } from '../../src/core/encoded-message.ts'
import { AccessiblePage, idSeparator } from '../../src/permissions/accessible-page.ts'
import { writePageToken } from '../../src/permissions/page-token.ts'

const encode = (fields: object) =>
  AccessibleResourcesResponse.encode(AccessibleResourcesResponse.fromPartial(fields)).finish()

for (const [count, limit, hasFullAccess] of [
  [0, 1, false],
  [0, 1, true],
  [1, 1, false],
  [2, 1, true],
  [3, 2, false],
  [100, 1000, true],
] as const) {
  test(`the encoding of ${count} IDs with limit ${limit} and full access ${hasFullAccess} matches the generated code`, (t) => {
    const ids = Array.from({ length: count }, () => randomUUID())
    const page = new AccessiblePage(ids.join(idSeparator), limit, hasFullAccess)
    const next = ids[limit]
    const expected: AccessibleResourcesResponse = {
      resource_ids: ids.slice(0, limit),
      has_full_access: hasFullAccess,
      next_page_token: next && writePageToken(next),
    }
    t.deepEqual(page.resource_ids, expected.resource_ids)
    t.is(page.next_page_token, expected.next_page_token)
    t.deepEqual(page[encodeMessage](encode), Buffer.from(encode(expected)))
  })
}
