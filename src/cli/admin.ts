import { Command } from 'commander'
import { normalizeEmail } from '../core/email.ts'
import { ServiceError } from '../core/errors.ts'
import { UsageError } from './failure.ts'
import { print } from './output.ts'
import { withDatabase } from './session.ts'

export function adminCommand(): Command {
  const command = new Command('admin').description('manage administrators')

  command
    .command('promote')
    .description('make a user an administrator')
    .argument('<email>', 'e-mail address of the user')
    .option('--create', 'create the user if nobody with this address has signed in yet')
    .action((email: string, { create }: { create?: true }, command) =>
      changeAdministrator(command, email, true, create),
    )

  command
    .command('demote')
    .description('revoke the administrator status of a user, effective immediately')
    .argument('<email>', 'e-mail address of the user')
    .action((email: string, _options, command) => changeAdministrator(command, email, false))

  return command
}

async function changeAdministrator(
  command: Command,
  text: string,
  is_admin: boolean,
  create = false,
) {
  const email = normalizeEmail(text)
  if (!email) throw new UsageError(`${text} is not a valid e-mail address`)
  const { setAdministratorByEmail } = await import('../admin/user-status.ts')
  const result = await withDatabase(({ operator }) =>
    setAdministratorByEmail(operator, { email, is_admin, create }),
  ).catch((error) => {
    throw error instanceof ServiceError && error.code === 'not_found'
      ? new UsageError(explainUnknown(email, is_admin))
      : error
  })
  print(command, result, [`${email} is ${is_admin ? 'now' : 'not'} an administrator.`])
}

function explainUnknown(email: string, isPromotion: boolean): string {
  const unknown = `No user has the e-mail address ${email}`
  return isPromotion
    ? `${unknown}: let them sign in first, or run \`daikon admin promote ${email} --create\``
    : unknown
}
