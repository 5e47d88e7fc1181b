import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import type { CsvImportReport } from '../../gen/daikon/v1/admin_import.ts'
import { executeCsvImport, previewCsvImport } from '../admin/import/import.ts'
import { ServiceError } from '../core/errors.ts'
import { requireValid } from './field-rules.ts'
import { print } from './print.ts'
import { createProgressBar } from './progress-bar.ts'
import { withDatabase } from './session.ts'

/** Lines of a report that people are shown; `--json` has what the server would answer. */
const mostLines = 20

/** `import <file.csv>`: brings people into workspaces, as the admin panel does. */
export function importCommand(): Command {
  return new Command('import')
    .description('import members from a CSV file, all of it or nothing')
    .argument('<file.csv>', 'columns email, workspace_slug and, where wanted, name, role, groups')
    .option('--dry-run', 'tell what would change, and change nothing')
    .action(async (path: string, { dryRun = false }: { dryRun?: boolean }, command) => {
      const request = { csv: decode(await readFile(path)) }
      requireValid(dryRun ? 'previewCsvImport' : 'executeCsvImport', request)
      const bar = createProgressBar(process.stderr)
      const run = dryRun ? previewCsvImport : executeCsvImport
      const report = await withDatabase(({ operator }) => run(operator, request, bar.tell))
        .finally(bar.clear)
        .catch((error) => {
          throw withProblems(error)
        })
      print(command, report, lines(report, dryRun))
      if (report.summary?.errors) process.exitCode = 1
    })
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Error('The file is not UTF-8 text')
  }
}

function lines({ summary, rows }: CsvImportReport, dryRun: boolean): string[] {
  const { create = 0, update = 0, unchanged = 0, errors = 0 } = summary ?? {}
  const wrong = rows.flatMap(({ line, errors }) =>
    errors.map(({ field, message }) => `Line ${line}: ${field} ${message}`.replace(':  ', ': ')),
  )
  const counts = `${create} to create, ${update} to update, ${unchanged} unchanged, ${errors} with errors`
  return [
    ...wrong.slice(0, mostLines),
    ...(errors > mostLines ? ['…'] : []),
    dryRun
      ? `${counts}; nothing is changed.`
      : `${create} created, ${update} updated, ${unchanged} unchanged.`,
  ]
}

/** The problems that a refused file has, for the operator to read. */
function withProblems(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.violations.length === 0) return error
  const told = error.violations
    .slice(0, mostLines)
    .map(({ field, message }) => `${field} ${message}`.trim())
  return new Error([error.message, ...told].join('\n'))
}
