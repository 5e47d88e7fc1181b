import { Command } from 'commander'
import { setAdministrator } from '../admin/user-status.ts'
import { normalizeEmail } from '../core/email.ts'
import { print } from './print.ts'
import { withDatabase } from './session.ts'

/** `admin promote|demote`: who may use the admin panel. */
export function adminCommand(): Command {
  const command = new Command('admin').description('say who is an administrator')
  for (const [name, is_admin] of [
    ['promote', true],
    ['demote', false],
  ] as const) {
    command
      .command(name)
      .description(is_admin ? 'make a user an administrator' : 'take it back, from now on')
      .argument('<email>')
      .action(async (text: string, _options, command) => {
        const email = normalizeEmail(text)
        if (!email) throw new Error(`${text} is no e-mail address`)
        const done = await withDatabase(({ operator }) =>
          setAdministrator(operator, { email, is_admin }),
        )
        print(command, done, [`${email} is ${is_admin ? 'an' : 'no'} administrator.`])
      })
  }
  return command
}
