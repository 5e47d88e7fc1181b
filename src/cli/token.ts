import type { EntityManager } from '@mikro-orm/postgresql'
import { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { readConfig } from '../config/config.ts'
import { loadAccessClaims } from '../identity/access-claims.ts'
import { readKeys } from '../identity/keys.ts'
import { createTokens } from '../identity/tokens.ts'
import { print } from './print.ts'
import { withDatabase } from './session.ts'

/** `token`: a person's access token without a sign-in, for trying things out. */
export function tokenCommand(): Command {
  return new Command('token')
    .description('make an access token of a person (only with DEBUG=true)')
    .option('--email <address>', 'whose', 'alice@example.com')
    .option('--workspace <slug>', 'for which workspace', 'demo')
    .action(async (options: { email: string; workspace: string }, command) => {
      if (!readConfig(process.env).DEBUG)
        throw new Error('Tokens without a sign-in need DEBUG=true')
      const token = await withDatabase(({ em, config }) =>
        makeDemoToken(em, config, options.email, options.workspace),
      )
      print(command, { access_token: token }, [token])
    })
}

/** Signs an access token for a member, as a sign-in would. */
export async function makeDemoToken(
  em: EntityManager,
  config: Config,
  email: string,
  slug: string,
): Promise<string> {
  const subject = await loadAccessClaims(em, { email, slug })
  if (!subject) throw new Error(`${email} is no active member of the workspace ${slug}`)
  const keys = await readKeys({
    privatePath: config.JWT_PRIVATE_KEY_PATH,
    publicPath: config.JWT_PUBLIC_KEY_PATH,
  })
  const tokens = createTokens({ keys, issuer: config.BASE_URL, now: () => new Date() })
  return tokens.sign('access', subject, config.ACCESS_TOKEN_EXPIRE_MINUTES * 60)
}
