import type { Command } from 'commander'

/** Prints what a command did: JSON under `--json`, else lines for people. */
export function print(command: Command, result: unknown, lines: string[]): void {
  process.stdout.write(render(command, result, lines))
}

/** The same on standard error, for commands whose standard output is a file's. */
export function printAside(command: Command, result: unknown, lines: string[]): void {
  process.stderr.write(render(command, result, lines))
}

function render(command: Command, result: unknown, lines: string[]): string {
  const { json } = command.optsWithGlobals()
  return json ? `${JSON.stringify(result)}\n` : lines.map((line) => `${line}\n`).join('')
}

/** Rows as columns, for people. */
export function table(objects: object[]): string[] {
  if (objects.length === 0) return ['None.']
  const rows = objects.map((object) => ({ ...object }) as Record<string, unknown>)
  // What is absent of one may be there of another.
  const names = [...new Set(rows.flatMap(Object.keys))]
  const cells = [names, ...rows.map((row) => names.map((name) => String(row[name] ?? '')))]
  const widths = names.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  return cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
