import { Command } from 'commander'
import { normalizeEmail } from '../identity/email.ts'
import { User } from '../storage/entities/people.ts'
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
        const changed = await withDatabase(({ em }) =>
          email ? em.nativeUpdate(User, { email }, { is_admin }) : Promise.resolve(0),
        )
        if (!changed || !email) throw new Error(`There is no user ${text}`)
        print(command, { email, is_admin }, [
          `${email} is ${is_admin ? 'an' : 'no'} administrator.`,
        ])
      })
  }
  return command
}
