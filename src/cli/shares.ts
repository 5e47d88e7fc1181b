import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { decodeUtf8 } from './input-file.ts'
import { print } from './output.ts'
import { createProgressBar } from './progress-bar.ts'
import { withDatabase } from './session.ts'

export function sharesCommand(): Command {
  const command = new Command('shares').description('share resources of existing data')

  command
    .command('import')
    .description('grant the shares of a file, all or none, replacing those that exist')
    .argument('<file>', 'CSV file with a header (.csv), or JSON Lines (.jsonl)')
    .action(async (path: string, _options, command) => {
      const { importShares } = await import('./import-shares.ts')
      const { parseShareFile } = await import('./share-file.ts')
      const lines = parseShareFile(path, decodeUtf8(await readFile(path)))
      const progressBar = createProgressBar(process.stderr)
      const result = await withDatabase(({ operator }) =>
        importShares(operator, lines, progressBar.onProgress),
      ).finally(progressBar.clear)
      print(command, result, [`${result.granted} granted.`])
    })

  return command
}
