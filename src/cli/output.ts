import type { Command } from 'commander'

/** Prints the result of a command as JSON with `--json`, and as lines of text otherwise. */
export function print(
  command: Command,
  result: unknown,
  lines: string[],
  stream: NodeJS.WriteStream = process.stdout,
): void {
  const { json } = command.optsWithGlobals()
  stream.write(json ? `${JSON.stringify(result)}\n` : lines.map((line) => `${line}\n`).join(''))
}

/** Formats objects as a table with a header and one line per object. */
export function formatTable(objects: object[]): string[] {
  if (objects.length === 0) return ['None.']
  const rows = objects.map((object) => ({ ...object }) as Record<string, unknown>)
  const names = [...new Set(rows.flatMap(Object.keys))]
  const cells = [names, ...rows.map((row) => names.map((name) => String(row[name] ?? '')))]
  const widths = names.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)))
  return cells.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
