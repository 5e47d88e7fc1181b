import { once } from 'node:events'
import { Command, Option } from 'commander'
import { type ExportFormat, exportActivity, exportFormats } from '../activity/export.ts'
import { withDatabase } from './session.ts'

/** `activity export`: the whole log on standard output. */
export function activityCommand(): Command {
  const command = new Command('activity').description('read the activity log')

  command
    .command('export')
    .description('write the whole log to standard output, the oldest entry first')
    .addOption(new Option('--format <format>', 'how').choices(exportFormats).makeOptionMandatory())
    .action((options: { format: ExportFormat }) =>
      withDatabase(async ({ em }) => {
        for await (const text of exportActivity(em, options.format)) {
          if (!process.stdout.write(text)) await once(process.stdout, 'drain')
        }
      }),
    )

  return command
}
