import { Command } from 'commander'
import { activityCommand } from './activity.ts'
import { adminCommand } from './admin.ts'
import { requireNetworked } from './admin-api.ts'
import { backupCommand, restoreCommand } from './backup.ts'
import { clientAppCommand } from './client-app.ts'
import { doctorCommand } from './doctor.ts'
import { groupCommand } from './group.ts'
import { importCommand } from './import.ts'
import { keysCommand } from './keys.ts'
import { managementAppCommand } from './management-app.ts'
import { memoryCommand } from './memory.ts'
import { migrateFromCommand } from './migrate-from.ts'
import { print } from './output.ts'
import { resourceIdCommand, resourcesCommand } from './resources.ts'
import { serviceAppCommand } from './service-app.ts'
import { withDatabase } from './session.ts'
import { sharesCommand } from './shares.ts'
import { syncCommand } from './sync.ts'
import { tokenCommand } from './token.ts'
import { userCommand } from './user.ts'
import { readVersion } from './version.ts'
import { whyCommand } from './why.ts'
import { workspaceCommand } from './workspace.ts'

/**
 * Creates the commands that operate a server through its database and files. Each action imports
 * its dependencies, so that help and completion do not load the database driver.
 */
export function createProgram(): Command {
  const program = new Command('daikon')
    .description('Run and operate a daikon server. Settings are read from the environment.')
    .version(readVersion())
    .option('--json', 'print the result as JSON')
    .option(
      '--server <url>',
      'run the command on this server, as the management app in DAIKON_CLIENT_ID and DAIKON_CLIENT_SECRET',
    )
    .hook('preAction', (_program, command) => requireNetworked(command))
    .addCommand(migrateCommand())
    .addCommand(keysCommand())
    .addCommand(adminCommand())
    .addCommand(userCommand())
    .addCommand(workspaceCommand())
    .addCommand(groupCommand())
    .addCommand(whyCommand())
    .addCommand(serviceAppCommand())
    .addCommand(clientAppCommand())
    .addCommand(managementAppCommand())
    .addCommand(activityCommand())
    .addCommand(importCommand())
    .addCommand(resourcesCommand())
    .addCommand(sharesCommand())
    .addCommand(migrateFromCommand())
    .addCommand(resourceIdCommand())
    .addCommand(tokenCommand())
    .addCommand(syncCommand())
    .addCommand(memoryCommand())
    .addCommand(doctorCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
  return program
}

function migrateCommand(): Command {
  return new Command('migrate')
    .description('apply pending database migrations')
    .action(async (_options, command) => {
      const { migrate } = await import('../database/migrate.ts')
      const isJson = command.optsWithGlobals().json
      const applied = await withDatabase(({ databaseUrl }) =>
        migrate(databaseUrl, {
          warn: (message) => process.stderr.write(`${message}\n`),
          onApplied: (name) => isJson || process.stdout.write(`Applied ${name}.\n`),
        }),
      )
      if (isJson || applied.length === 0)
        print(command, { applied }, ['The database is up to date.'])
    })
}
