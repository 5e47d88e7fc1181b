import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import {
  type ExportFormat,
  exportActivity,
  exportFormats,
  followActivity,
} from '../activity/export.ts'
import type { ChainPosition } from '../activity/verify.ts'
import { print } from './output.ts'
import { withDatabase } from './session.ts'

export function activityCommand(): Command {
  const command = new Command('activity').description('read and verify the activity log')

  command
    .command('export')
    .description('write the whole log to standard output, oldest entry first')
    .addOption(
      new Option('--format <format>', 'output format').choices(exportFormats).makeOptionMandatory(),
    )
    .option('--follow', 'then write new entries as they are sealed, until interrupted')
    .action(async (options: { format: ExportFormat; follow?: true }, command) => {
      let exported = 0
      const interrupted = new AbortController()
      if (options.follow) {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) {
          process.once(signal, () => interrupted.abort())
        }
      }
      await withDatabase(({ operator: { stores } }) => {
        const chunks = options.follow
          ? followActivity(stores, options.format, interrupted.signal)
          : exportActivity(stores, options.format)
        const texts = async function* () {
          for await (const { text, entries } of chunks) {
            yield text
            exported += entries
          }
        }
        // By default, a stream buffers 16 texts of a thousand entries each for a slow reader.
        const source = Readable.from(texts(), { highWaterMark: 1 })
        return pipeline(source, process.stdout, { end: false })
      })
      print(command, { exported }, [`Exported ${exported} entries.`], process.stderr)
    })

  command
    .command('verify')
    .description('recompute the hash chain; exits with status 1 at the first entry that differs')
    .option(
      '--expect <sequence:hash>',
      'require this entry, noted from an earlier run',
      readPosition,
    )
    .action(async ({ expect }: { expect?: ChainPosition }, command) => {
      const { verifyActivity } = await import('../activity/verify.ts')
      const result = await withDatabase(({ operator }) => verifyActivity(operator.stores, expect))
      const { entries, unsealed, erased, head, problem } = result
      if (problem) process.exitCode = 1
      print(command, { ok: problem === undefined, ...result }, [
        problem ?? 'The activity log is intact.',
        `Verified entries: ${entries}; erased values: ${erased}; not sealed yet: ${unsealed}.`,
        `Last verified entry: ${head.sequence}:${head.hash}`,
      ])
    })

  return command
}

function readPosition(text: string): ChainPosition {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (!sequence || !hash) {
    throw new InvalidArgumentError('It must have the form that verify prints, such as 12:ab….')
  }
  return { sequence: Number(sequence), hash }
}
