import { isScalar } from 'yaml'
import { parseRelationship } from './relationship.ts'
import type { ParsedTuples } from './tuple.ts'
import { parseYaml } from './yaml-text.ts'

/** Whether a file is what `zed backup create` writes, an Avro container. */
export function isBackup(bytes: Buffer): boolean {
  return bytes.subarray(0, 4).equals(Buffer.from('Obj\u0001'))
}

/**
 * Parses relationships of SpiceDB: a text file with one a line, such as
 * `zed backup parse-relationships` prints, or the `relationships` of a validation file in YAML.
 */
export function parseSpiceDb(path: string, text: string): ParsedTuples {
  return /\.ya?ml$/i.test(path) ? parseValidationFile(text) : parseLines(text.split('\n'), 1)
}

function parseLines(lines: string[], firstLine: number): ParsedTuples {
  const parsed: ParsedTuples = { tuples: [], problems: [] }
  for (const [index, line] of lines.entries()) {
    const content = line.trim()
    if (content === '' || content.startsWith('//')) continue
    const found = parseRelationship(line, firstLine + index)
    if ('message' in found) parsed.problems.push(found)
    else parsed.tuples.push(found)
  }
  return parsed
}

function parseValidationFile(text: string): ParsedTuples {
  const { document, problems, locate } = parseYaml(text)
  if (problems.length > 0) return { tuples: [], problems }
  const node = document.get('relationships', true)
  if (!isScalar(node) || node.type !== 'BLOCK_LITERAL') {
    const place = locate((isScalar(node) && node.range?.[0]) || 0)
    const message =
      'has no relationships, one a line in a block that begins with "relationships: |"'
    return { tuples: [], problems: [{ place, message }] }
  }
  // The lines of the file rather than of the value, because they have the columns.
  const firstLine = locate(node.range?.[0] ?? 0).line + 1
  const count = String(node.value).trimEnd().split('\n').length
  return parseLines(text.split('\n').slice(firstLine - 1, firstLine - 1 + count), firstLine)
}
