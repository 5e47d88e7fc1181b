import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, Option } from 'commander'
import { type ExportFormat, exportActivity, exportFormats } from '../activity/export.ts'
import { printAside } from './print.ts'
import { withDatabase } from './session.ts'

/** `activity export`: the whole log on standard output, what was done on the other one. */
export function activityCommand(): Command {
  const command = new Command('activity').description('read the activity log')

  command
    .command('export')
    .description('write the whole log to standard output, the oldest entry first')
    .addOption(new Option('--format <format>', 'how').choices(exportFormats).makeOptionMandatory())
    .action(async (options: { format: ExportFormat }, command) => {
      let exported = 0
      await withDatabase(({ em }) => {
        const parts = exportActivity(em, options.format)
        // It reads on no sooner than the reader has taken what was written.
        const texts = async function* () {
          for await (const { text, entries } of parts) {
            yield text
            exported += entries
          }
        }
        return pipeline(Readable.from(texts()), process.stdout, { end: false })
      })
      printAside(command, { exported }, [`Exported ${exported} entries.`])
    })

  return command
}
