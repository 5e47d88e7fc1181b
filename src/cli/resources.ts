import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { printDryRun } from './dry-run.ts'
import { decodeUtf8 } from './input-file.ts'
import { print } from './output.ts'
import { createProgressBar } from './progress-bar.ts'
import { withDatabase } from './session.ts'

export function resourcesCommand(): Command {
  const command = new Command('resources').description('register resources of existing data')

  command
    .command('import')
    .description('register the resources of a file in batches, skipping those that exist')
    .argument('<file>', 'CSV file with a header (.csv), or JSON Lines (.jsonl)')
    .option('--dry-run', 'report what would be registered and every problem, and change nothing')
    .action(async (path: string, { dryRun }, command) => {
      const { checkResources, importResources } = await import('./import-resources.ts')
      const { parseResourceFile } = await import('./resource-file.ts')
      const lines = parseResourceFile(path, decodeUtf8(await readFile(path)))
      if (dryRun) {
        const found = await withDatabase(({ operator }) => checkResources(operator, lines))
        const summary = `to register: ${found.registered}, registered already: ${found.unchanged}`
        return printDryRun(command, { lines: lines.length, ...found }, summary)
      }
      const progressBar = createProgressBar(process.stderr)
      const result = await withDatabase(({ operator }) =>
        importResources(operator, lines, progressBar.onProgress),
      ).finally(progressBar.clear)
      print(command, result, [
        `${result.registered} registered, ${result.unchanged} registered already.`,
      ])
    })

  return command
}

export function resourceIdCommand(): Command {
  return new Command('resource-id')
    .description('print the resource_id that an external ID stands for')
    .argument('<service>', 'service name')
    .argument('<type>', 'resource type')
    .argument('<external-id>', 'ID of the resource in the service')
    .action(async (service: string, type: string, externalId: string, _options, command) => {
      const { toResourceId } = await import('../permissions/resource-id.ts')
      const resource_id = toResourceId(service, type, externalId)
      print(command, { resource_id }, [resource_id])
    })
}
