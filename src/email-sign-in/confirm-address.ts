import type {
  ConfirmAddressRequest,
  ConfirmAddressResponse,
} from '../../gen/daikon/v1/email_sign_in.ts'
import { ServiceError } from '../core/errors.ts'
import { requireProvider, startFlow, stateRefused } from '../identity/oauth-flow.ts'
import { openOwnFlow } from '../identity/own-flow.ts'
import { readConnectionId } from '../identity/providers/connection.ts'
import { continuationOf } from '../identity/state-cookie.ts'
import type { EmailSignInContext } from './context.ts'
import { reasons } from './reasons.ts'

/** Begins the sign-in by another method of a user who has proved their address by a code in this flow. */
export async function confirmAddress(
  context: EmailSignInContext,
  { provider: name, ...flow }: ConfirmAddressRequest,
): Promise<ConfirmAddressResponse> {
  const login = await openOwnFlow(context, flow)
  const isOther = name !== 'email' && readConnectionId(name) === undefined
  if (!login.links || !isOther) throw stateRefused()
  const provider = await requireProvider(context, name, login.flow)
  const next = { ...continuationOf(login), links: login.links }
  const started = await startFlow(context, provider, next, { loginHint: login.links.subject })
  if (!started.ok) throw new ServiceError(reasons.METHOD_UNAVAILABLE)
  return started.value
}
