import type { ShareBatchRequest, ShareBatchResponse } from '../../gen/daikon/v1/permissions.ts'
import { actorOf } from '../activity/actor.ts'
import type { QuotaContext } from '../core/quotas.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { createListNaming } from './error-naming.ts'
import { viewShare } from './resource.ts'
import type { ShareStores } from './share.ts'
import { shareAll } from './share-all.ts'

/** Names fields such as `shares[3].grantee_email`. */
const naming = createListNaming('shares')

/** Grants all shares or none. Existing shares are replaced, as by `share`. */
export async function shareBatch(
  {
    stores,
    principal,
    now,
    quotas,
  }: WriteContext<ShareStores> & Pick<RequestContext, 'now'> & QuotaContext,
  { shares, context }: ShareBatchRequest,
): Promise<ShareBatchResponse> {
  const options = { principal, actor: actorOf(principal), now, quotas, naming, context }
  const granted = await shareAll(stores, shares, options)
  return { shares: granted.map(viewShare) }
}
