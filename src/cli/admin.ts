import { Command } from 'commander'
import { normalizeEmail } from '../core/email.ts'
import { UsageError } from './failure.ts'
import { print } from './output.ts'
import { withDatabase } from './session.ts'

export function adminCommand(): Command {
  const command = new Command('admin').description('manage administrators')

  command
    .command('promote')
    .description('make a user an administrator')
    .argument('<email>', 'e-mail address of the user')
    .action((email: string, _options, command) => changeAdministrator(command, email, true))

  command
    .command('demote')
    .description('revoke the administrator status of a user, effective immediately')
    .argument('<email>', 'e-mail address of the user')
    .action((email: string, _options, command) => changeAdministrator(command, email, false))

  return command
}

async function changeAdministrator(command: Command, text: string, is_admin: boolean) {
  const email = normalizeEmail(text)
  if (!email) throw new UsageError(`${text} is not a valid e-mail address`)
  const { setAdministrator } = await import('../admin/user-status.ts')
  const result = await withDatabase(({ operator }) =>
    setAdministrator(operator, { email, is_admin }),
  )
  print(command, result, [`${email} is ${is_admin ? 'now' : 'not'} an administrator.`])
}
