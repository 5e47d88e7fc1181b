import type { EntityManager } from '@mikro-orm/postgresql'
import { Command } from 'commander'
import { type Config, readConfig } from '../config/config.ts'
import { loadKeys } from '../identity/key-source.ts'
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
      const token = await withDatabase(({ em, config }) =>
        signDemoToken(em, config, options.email, options.workspace),
      )
      print(command, { access_token: token }, [token])
    })
}

/** Signs an access token for an active member of a workspace. */
export async function signDemoToken(
  em: EntityManager,
  config: Config,
  email: string,
  slug: string,
): Promise<string> {
  const { loadAccessClaims } = await import('../identity/access-claims.ts')
  const { createTokens } = await import('../identity/tokens.ts')
  const claims = await loadAccessClaims(em, { email, slug })
  if (!claims) throw new UsageError(await explainMissingMember(em, email, slug))
  const keys = await loadKeys(config)
  const tokens = createTokens({
    currentKeys: () => keys,
    issuer: config.BASE_URL,
    now: () => new Date(),
  })
  return tokens.sign('access', claims, config.ACCESS_TOKEN_EXPIRE_MINUTES * 60)
}

async function explainMissingMember(
  em: EntityManager,
  email: string,
  slug: string,
): Promise<string> {
  const { User } = await import('../database/entities/people.ts')
  const user = await em.findOne(User, { email })
  if (!user) return `No user has the e-mail address ${email}`
  if (!user.is_active) {
    return `${email} is deactivated: run \`daikon user activate ${email}\` to activate the user`
  }
  return `${email} is not a member of the workspace ${slug}`
}
