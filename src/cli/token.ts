import { Command } from 'commander'
import { loadKeys } from '../identity/key-source.ts'
import type { ClaimsStore } from '../identity/store/claims-store.ts'
import type { UserStore } from '../identity/store/user-store.ts'
import { readIssuer } from '../server/address-file.ts'
import { type Config, readConfig } from '../server/config.ts'
import { UsageError } from './failure.ts'
import { print } from './output.ts'
import { withDatabase } from './session.ts'

export function tokenCommand(): Command {
  return new Command('token')
    .description('create an access token of a user without a sign-in; requires DEBUG=true')
    .option('--email <email>', 'e-mail address of the user', 'alice@example.com')
    .option('--workspace <slug>', 'slug of the workspace that the token is valid for', 'demo')
    .action(async (options: { email: string; workspace: string }, command) => {
      if (!readConfig(process.env).DEBUG) {
        throw new UsageError('The token command requires DEBUG=true')
      }
      const token = await withDatabase(({ operator, config }) => {
        const issuer = process.env.BASE_URL || readIssuer(config.DATA_DIR) || config.BASE_URL
        const { email, workspace } = options
        return signDemoToken(operator.stores, { ...config, BASE_URL: issuer }, email, workspace)
      })
      print(command, { access_token: token }, [token])
    })
}

type TokenStores = { claims: ClaimsStore; users: UserStore }

/** Signs an access token for an active member of a workspace. */
export async function signDemoToken(
  stores: TokenStores,
  config: Config,
  email: string,
  slug: string,
): Promise<string> {
  const { createTokens } = await import('../identity/tokens.ts')
  const claims = await stores.claims.findAccessClaims({ email, slug })
  if (!claims) throw new UsageError(await explainMissingMember(stores, email, slug))
  const keys = await loadKeys(config)
  const tokens = createTokens({
    currentKeys: () => keys,
    issuer: config.BASE_URL,
    now: () => new Date(),
  })
  return tokens.sign('access', claims, config.ACCESS_TOKEN_EXPIRE_MINUTES * 60)
}

async function explainMissingMember(
  { users }: TokenStores,
  email: string,
  slug: string,
): Promise<string> {
  const user = await users.findByEmail(email)
  if (!user) return `No user has the e-mail address ${email}`
  if (!user.isActive) {
    return `${email} is deactivated: run \`daikon user activate ${email}\` to activate the user`
  }
  return `${email} is not a member of the workspace ${slug}`
}
