import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import type { CsvImportReport } from '../../gen/daikon/v1/admin_import.ts'
import { ServiceError } from '../core/errors.ts'
import { overNetwork, withAdminApi } from './admin-api.ts'
import { decodeUtf8, truncateLines } from './input-file.ts'
import { print } from './output.ts'
import { createProgressBar } from './progress-bar.ts'

type Options = { dryRun?: boolean; createWorkspaces?: boolean }

export function importCommand(): Command {
  return overNetwork(new Command('import'))
    .description('import members from a CSV file, all rows or none')
    .argument(
      '<file.csv>',
      'file with the columns email and workspace_slug; name, role, groups and external_id are optional',
    )
    .option('--dry-run', 'print what would change without changing it')
    .option('--create-workspaces', 'create missing workspaces that a row makes an owner of')
    .action(
      async (path: string, { dryRun = false, createWorkspaces = false }: Options, command) => {
        const csv = decodeUtf8(await readFile(path))
        const request = { csv, create_workspaces: createWorkspaces }
        const { requireValid } = await import('./require-valid.ts')
        const method = dryRun ? 'previewCsvImport' : 'executeCsvImport'
        requireValid(method, request)
        const progressBar = createProgressBar(process.stderr)
        const report = await withAdminApi(command, (api) =>
          api(method, request, progressBar.onProgress),
        )
          .finally(progressBar.clear)
          .catch((error) => {
            throw withViolations(error)
          })
        print(command, report, formatReport(report, dryRun))
        if (report.summary?.errors) process.exitCode = 1
      },
    )
}

function formatReport({ summary, rows }: CsvImportReport, dryRun: boolean): string[] {
  const { create = 0, update = 0, unchanged = 0, errors = 0 } = summary ?? {}
  if (!dryRun) return [`${create} created, ${update} updated, ${unchanged} unchanged.`]
  const errorLines = rows.flatMap(({ line, errors }) =>
    errors.map(({ field, message }) =>
      field ? `Line ${line}: ${field} ${message}` : `Line ${line}: ${message}`,
    ),
  )
  return [
    ...truncateLines(errorLines),
    `${create} to create, ${update} to update, ${unchanged} unchanged, ${errors} with errors.`,
    'Dry run: nothing was changed.',
  ]
}

/** Appends the field violations to the message of an error. */
function withViolations(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.violations.length === 0) return error
  const lines = error.violations.map(({ field, message }) => `${field} ${message}`.trim())
  return new Error([error.message, ...truncateLines(lines)].join('\n'))
}
