import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { printDryRun } from './dry-run.ts'
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
    .option('--dry-run', 'report what would be granted and every problem, and change nothing')
    .action(async (path: string, { dryRun }, command) => {
      const { checkShares, importShares } = await import('./import-shares.ts')
      const { parseShareFile } = await import('./share-file.ts')
      const lines = parseShareFile(path, decodeUtf8(await readFile(path)))
      if (dryRun) {
        const problems = await withDatabase(({ operator }) => checkShares(operator, lines))
        const found = { lines: lines.length, granted: lines.length, problems }
        return printDryRun(command, found, `to grant: ${lines.length}`)
      }
      const progressBar = createProgressBar(process.stderr)
      const result = await withDatabase(({ operator }) =>
        importShares(operator, lines, progressBar.onProgress),
      ).finally(progressBar.clear)
      print(command, result, [`${result.granted} granted.`])
    })

  return command
}
