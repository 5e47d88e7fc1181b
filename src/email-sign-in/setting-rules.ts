import type { CentralSettings } from '../config/settings.ts'
import type { IdentitySettings } from '../identity/settings.ts'

type Settings = Pick<IdentitySettings, 'SIGN_IN_METHODS'> & Pick<CentralSettings, 'SMTP_URL'>

/** Returns a sentence for each rule that the settings break, starting with a variable. */
export function findEmailMistakes({ SIGN_IN_METHODS: methods, SMTP_URL }: Settings): string[] {
  return methods.includes('email') && SMTP_URL === ''
    ? ['SIGN_IN_METHODS lists email, so SMTP_URL must be set']
    : []
}
