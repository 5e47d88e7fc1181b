import { SignInCodeStore } from './sign-in-code-store.ts'

/** The stores of codes by e-mail. */
export const emailSignInStores = { signInCodes: SignInCodeStore }
