import { Command } from 'commander'
import { print } from './output.ts'
import { withDatabase } from './session.ts'

export function memoryCommand(): Command {
  const command = new Command('memory').description('manage the facts that nodes keep in memory')

  command
    .command('forget')
    .description('make every node drop its facts, after changes in SQL that left no record')
    .action(async (_options, command) => {
      await withDatabase(({ operator }) => operator.stores.accessChanges.recordEverything())
      print(command, { forgotten: true }, ['No node uses the facts it had in memory any more.'])
    })

  return command
}
