import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, Option } from 'commander'
import { type ExportFormat, exportActivity, exportFormats } from '../activity/export.ts'
import { print } from './output.ts'
import { withDatabase } from './session.ts'

export function activityCommand(): Command {
  const command = new Command('activity').description('read the activity log')

  command
    .command('export')
    .description('write the whole log to standard output, oldest entry first')
    .addOption(
      new Option('--format <format>', 'output format').choices(exportFormats).makeOptionMandatory(),
    )
    .action(async (options: { format: ExportFormat }, command) => {
      let exported = 0
      await withDatabase(({ em }) => {
        const chunks = exportActivity(em, options.format)
        const texts = async function* () {
          for await (const { text, entries } of chunks) {
            yield text
            exported += entries
          }
        }
        return pipeline(Readable.from(texts()), process.stdout, { end: false })
      })
      print(command, { exported }, [`Exported ${exported} entries.`], process.stderr)
    })

  return command
}
