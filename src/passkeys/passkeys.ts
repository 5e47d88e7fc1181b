import type {
  DeleteUserPasskeyRequest,
  ListUserPasskeysRequest,
} from '../../gen/daikon/v1/admin_users.ts'
import type {
  DeletePasskeyRequest,
  DeletePasskeyResponse,
  ListPasskeysRequest,
  ListPasskeysResponse,
  PasskeyResponse,
  UpdatePasskeyRequest,
} from '../../gen/daikon/v1/users.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import { ServiceError } from '../core/errors.ts'
import { requireUser } from '../core/request-context.ts'
import { createIsOn, removeWayIn } from '../identity/linked-accounts.ts'
import { passkeyProvider } from '../identity/session-provider.ts'
import { preventSessions } from '../identity/sessions.ts'
import { userNotFound } from '../identity/user-errors.ts'
import { requirePasskey } from './add-passkey.ts'
import type { PasskeyContext } from './context.ts'
import { renderPasskeyMail } from './mails.ts'
import { reasons } from './reasons.ts'
import { viewPasskey } from './view.ts'

/** Lists the passkeys of the user, oldest first. */
export async function listPasskeys(
  { stores, principal }: PasskeyContext,
  _request: ListPasskeysRequest,
): Promise<ListPasskeysResponse> {
  const passkeys = await stores.passkeys.list(requireUser(principal).id)
  return { passkeys: passkeys.map(viewPasskey) }
}

/** Lists the passkeys of another user, oldest first. */
export async function listUserPasskeys(
  { stores }: PasskeyContext,
  { user_id }: ListUserPasskeysRequest,
): Promise<ListPasskeysResponse> {
  if (!(await stores.users.find(user_id))) throw userNotFound()
  return { passkeys: (await stores.passkeys.list(user_id)).map(viewPasskey) }
}

/** Renames a passkey of the user. */
export async function updatePasskey(
  { stores, principal }: PasskeyContext,
  { passkey_id, name }: UpdatePasskeyRequest,
): Promise<PasskeyResponse> {
  const { id: userId } = requireUser(principal)
  return stores.transaction(async (tx) => {
    if (!(await tx.passkeys.rename(passkey_id, userId, name.trim())))
      throw new ServiceError(reasons.PASSKEY_NOT_FOUND)
    const event = {
      action: 'user.passkey_renamed',
      targetId: userId,
      detail: { passkey_id },
    } as const
    await tx.activity.record(actorOf(principal), event)
    return viewPasskey(await requirePasskey(tx, userId, passkey_id))
  })
}

/** Removes a passkey of the user, and ends what it began but the session of the caller. */
export async function deletePasskey(
  context: PasskeyContext,
  { passkey_id }: DeletePasskeyRequest,
): Promise<DeletePasskeyResponse> {
  const { id: userId, token } = requireUser(context.principal)
  await removePasskey(context, { userId, passkeyId: passkey_id, tokenId: token.id })
  return {}
}

/** Removes a passkey of another user, and ends what it began. */
export async function deleteUserPasskey(
  context: PasskeyContext,
  { user_id, passkey_id }: DeleteUserPasskeyRequest,
): Promise<DeleteResponse> {
  await removePasskey(context, { userId: user_id, passkeyId: passkey_id })
  return {}
}

async function removePasskey(
  { stores, principal, now, identity }: PasskeyContext,
  { userId, passkeyId, tokenId }: { userId: string; passkeyId: string; tokenId?: string },
): Promise<void> {
  const sessionProvider = passkeyProvider(passkeyId)
  const { name, email } = await stores.transaction(async (tx) => {
    await preventSessions(tx, now, userId, sessionProvider)
    const { name } = await requirePasskey(tx, userId, passkeyId)
    const accounts = await tx.accounts.list(userId)
    const account = accounts.find(({ id }) => id === passkeyId)
    if (!account) throw new ServiceError(reasons.PASSKEY_NOT_FOUND)
    const currentId = tokenId && (await tx.sessions.findIdOfAccessToken(tokenId))
    const isOn = createIsOn(identity)
    await removeWayIn(tx, now, userId, { account, accounts, sessionProvider, currentId, isOn })
    await tx.activity.record(actorOf(principal), {
      action: 'user.passkey_removed',
      targetId: userId,
      detail: { passkey_id: passkeyId },
    })
    const { email } = await tx.users.requireProfile(userId)
    return { name, email }
  })
  identity.sendMail(renderPasskeyMail(email, { is: 'removed', name }, identity.settings.BASE_URL))
}
