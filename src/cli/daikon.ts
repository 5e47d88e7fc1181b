import { Command } from 'commander'
import { ConfigError } from '../config/config.ts'
import { ServiceError } from '../core/errors.ts'
import { databaseError, lacksMigrations } from '../database/database-errors.ts'
import { migrate } from '../database/migrate.ts'
import { activityCommand } from './activity.ts'
import { adminCommand } from './admin.ts'
import { clientAppCommand } from './client-app.ts'
import { importCommand } from './import.ts'
import { keysCommand } from './keys.ts'
import { print } from './print.ts'
import { serviceAppCommand } from './service-app.ts'
import { withDatabase } from './session.ts'
import { tokenCommand } from './token.ts'

/** The operator's tool: `npm run daikon -- <command>`. */
const program = new Command('daikon')
  .description('Operate a daikon server, by the same environment it reads')
  .option('--json', 'print JSON')
  .addCommand(keysCommand())
  .addCommand(adminCommand())
  .addCommand(serviceAppCommand())
  .addCommand(clientAppCommand())
  .addCommand(activityCommand())
  .addCommand(importCommand())
  .addCommand(tokenCommand())

program
  .command('migrate')
  .description('bring the database schema up to date')
  .action(async (_options, command) => {
    const applied = await withDatabase(({ databaseUrl }) => migrate(databaseUrl))
    const lines = applied.length > 0 ? applied.map((name) => `Applied ${name}.`) : ['Up to date.']
    print(command, { applied }, lines)
  })

program.parseAsync().catch((error: unknown) => {
  const advice = 'The database has not been migrated: run `npm run daikon -- migrate` first'
  const known = lacksMigrations(error) ? new Error(advice) : databaseError(error)
  const cause =
    known instanceof ServiceError && known.code === 'unavailable' ? known.cause : undefined
  const message = known instanceof Error ? known.message : String(known)
  process.stderr.write(`${message}${cause instanceof Error ? `: ${cause.message}` : ''}\n`)
  process.exitCode = error instanceof ConfigError ? 2 : 1
})
