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
import { print } from './output.ts'
import { serviceAppCommand } from './service-app.ts'
import { withDatabase } from './session.ts'
import { tokenCommand } from './token.ts'
import { userCommand } from './user.ts'
import { workspaceCommand } from './workspace.ts'

const program = new Command('daikon')
  .description('Operate a daikon server. Settings are read from the environment, as by the server.')
  .option('--json', 'print the result as JSON')
  .addCommand(migrateCommand())
  .addCommand(keysCommand())
  .addCommand(adminCommand())
  .addCommand(userCommand())
  .addCommand(workspaceCommand())
  .addCommand(serviceAppCommand())
  .addCommand(clientAppCommand())
  .addCommand(activityCommand())
  .addCommand(importCommand())
  .addCommand(tokenCommand())

function migrateCommand(): Command {
  return new Command('migrate')
    .description('apply pending database migrations')
    .action(async (_options, command) => {
      const applied = await withDatabase(({ databaseUrl }) => migrate(databaseUrl))
      const lines = applied.map((name) => `Applied ${name}.`)
      print(command, { applied }, lines.length > 0 ? lines : ['The database is up to date.'])
    })
}

function showGlobalOptions(command: Command): void {
  command.configureHelp({ showGlobalOptions: true })
  command.commands.forEach(showGlobalOptions)
}

showGlobalOptions(program)
program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${describeError(error)}\n`)
  process.exitCode = error instanceof ConfigError ? 2 : 1
})

/** One line, or one per mistake in the settings; for a database error with its cause. */
function describeError(error: unknown): string {
  if (lacksMigrations(error)) {
    return 'The database has not been migrated. Run `npm run daikon -- migrate` first.'
  }
  const known = databaseError(error)
  if (!(known instanceof Error)) return String(known)
  const isUnavailable = known instanceof ServiceError && known.code === 'unavailable'
  return isUnavailable && known.cause instanceof Error
    ? `${known.message}: ${known.cause.message}`
    : known.message
}
