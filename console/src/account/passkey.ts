import { call } from './session.ts'

type CreationOptions = Parameters<typeof PublicKeyCredential.parseCreationOptionsFromJSON>[0]

/** Lets the browser create a passkey, and keeps it. Returns false if the person cancels. */
export async function addPasskey(): Promise<boolean> {
  const options = await call<CreationOptions>('POST', '/users/me/passkeys/options', {})
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey }).catch((error: Error) => {
    if (error.name === 'NotAllowedError') return null
    throw error
  })
  if (!credential) return false
  const json = (credential as PublicKeyCredential).toJSON()
  await call('POST', '/users/me/passkeys', { credential: json })
  return true
}

/** Whether the browser can create passkeys. */
export const canAddPasskeys =
  typeof PublicKeyCredential !== 'undefined' &&
  typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function'
