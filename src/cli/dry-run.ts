import type { Command } from 'commander'
import { print } from './output.ts'

/** Prints what an import would do with the lines of a file, or all problems, with status 1. */
export function printDryRun(
  command: Command,
  { lines, problems, ...counts }: { lines: number; problems: string[]; [name: string]: unknown },
  summary: string,
): void {
  const hasProblems = problems.length > 0
  const text = hasProblems ? `problems: ${problems.length}` : summary
  print(command, hasProblems ? { lines, problems } : { lines, ...counts, problems }, [
    ...problems,
    `Lines: ${lines}, ${text}.`,
    'Dry run: nothing was changed.',
  ])
  if (hasProblems) process.exitCode = 1
}
