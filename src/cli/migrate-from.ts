import { readFile } from 'node:fs/promises'
import { Argument, Command } from 'commander'
import { ServiceError } from '../core/errors.ts'
import { UsageError } from './failure.ts'
import { decodeUtf8, truncateLines } from './input-file.ts'
import type { Plan } from './migrate-from/plan.ts'
import { describeProblems, type ParsedTuples } from './migrate-from/tuple.ts'
import { print } from './output.ts'
import { createProgressBar } from './progress-bar.ts'
import { withDatabase } from './session.ts'

const systems = ['openfga', 'spicedb'] as const

type System = (typeof systems)[number]

type Options = { mapping: string; apply?: boolean; skipUnmapped?: boolean }

/** `daikon migrate-from`: moves the relationships of another system to daikon. */
export function migrateFromCommand(): Command {
  return new Command('migrate-from')
    .description('move the tuples of OpenFGA or SpiceDB to daikon, all or none')
    .addArgument(new Argument('<system>', 'the system that wrote the export').choices(systems))
    .argument(
      '<export>',
      'OpenFGA: .json, .jsonl or .yaml; SpiceDB: text, or a validation file (.yaml)',
    )
    .requiredOption('--mapping <file>', 'what the types and relations become, in YAML or JSON')
    .option('--apply', 'migrate; without it, print what would be migrated')
    .option(
      '--skip-unmapped',
      'migrate without tuples that are not mapped and objects that cannot be created',
    )
    .action(migrate)
}

async function migrate(
  system: System,
  path: string,
  { mapping: mappingPath, apply = false, skipUnmapped = false }: Options,
  command: Command,
): Promise<void> {
  const { countPlan, formatPreview } = await import('./migrate-from/preview.ts')
  const plan = await readPlan(system, path, mappingPath)
  const counts = countPlan(plan)
  if (!apply) {
    const lines = [
      ...formatPreview(plan, path),
      'Preview: nothing was changed. Add --apply to migrate.',
    ]
    const { summary: tuples, orphans: orphaned, problems } = plan
    print(command, { ...counts, tuples, orphaned, problems }, lines)
  }
  if (plan.problems.length > 0) throw nothingChanged(describeProblems(path, plan.problems))
  if (!apply) return
  if (counts.unmapped + counts.orphans > 0 && !skipUnmapped) {
    const found = [
      counts.unmapped > 0 && `Tuples that are not mapped: ${counts.unmapped}.`,
      counts.orphans > 0 && `Objects that cannot be created: ${counts.orphans}.`,
    ]
    const advice =
      'Run the command without --apply to see which, and with --skip-unmapped to leave them out.'
    throw nothingChanged([[...found, advice].filter(Boolean).join(' ')])
  }
  const { applyPlan } = await import('./migrate-from/apply-plan.ts')
  const progressBar = createProgressBar(process.stderr)
  const applied = await withDatabase(({ operator }) =>
    applyPlan(operator, plan, { path, skipOrphans: skipUnmapped }, progressBar.onProgress),
  )
    .finally(progressBar.clear)
    .catch(explain)
  const { members, groups, nested_groups, unmapped } = counts
  const orphans = counts.orphans + applied.orphans
  const orphaned = orphans > 0 ? ` and ${orphans} orphans` : ''
  print(command, { members, groups, nested_groups, unmapped, ...applied, orphans }, [
    `Members: ${members}, groups: ${groups}, nested groups: ${nested_groups}, left out: ${unmapped}${orphaned}.`,
    `${applied.registered} registered, ${applied.unchanged} registered already.`,
    `${applied.granted} granted.`,
  ])
}

/** Reads both files. Throws an error with everything that is wrong in them. */
async function readPlan(system: System, path: string, mappingPath: string): Promise<Plan> {
  const { parseMapping } = await import('./migrate-from/mapping.ts')
  const { mapTuples } = await import('./migrate-from/map-tuples.ts')
  const { tuples, problems } = await parseExport(system, path)
  const file = parseMapping(decodeUtf8(await readFile(mappingPath)))
  const lines = [
    ...describeProblems(mappingPath, file.problems),
    ...describeProblems(path, problems),
  ]
  if (!file.mapping || lines.length > 0) throw nothingChanged(lines)
  return mapTuples(tuples, file.mapping, new Date())
}

async function parseExport(system: System, path: string): Promise<ParsedTuples> {
  const bytes = await readFile(path)
  if (system === 'openfga') {
    const { parseOpenFga } = await import('./migrate-from/openfga.ts')
    return parseOpenFga(path, decodeUtf8(bytes))
  }
  const { isBackup, parseSpiceDb } = await import('./migrate-from/spicedb.ts')
  if (isBackup(bytes))
    throw new UsageError(
      `${path} is a binary backup; write its text with: zed backup parse-relationships ${path}`,
    )
  return parseSpiceDb(path, decodeUtf8(bytes))
}

function nothingChanged(lines: string[]): Error {
  return new Error([...truncateLines(lines), 'Nothing was changed.'].join('\n'))
}

async function explain(error: unknown): Promise<never> {
  if (!(error instanceof ServiceError)) throw error
  const { describeLineErrors } = await import('./line-errors.ts')
  throw nothingChanged(describeLineErrors(error))
}
