import { type SignInError, signInErrors } from '../sign-in-result.ts'

/** Returns the error of a sign-in with this name. */
export function findSignInError(name: string | undefined): SignInError | undefined {
  return name !== undefined && Object.hasOwn(signInErrors, name) ? (name as SignInError) : undefined
}
