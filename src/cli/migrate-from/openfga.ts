import { isNode, isSeq } from 'yaml'
import { isJsonObject } from '../../core/json-object.ts'
import { UsageError } from '../failure.ts'
import { locateItems } from './json-text.ts'
import { createLocator } from './text-place.ts'
import type { ObjectName, ParsedTuples, Place, Problem, Subject, Tuple } from './tuple.ts'
import { parseYaml } from './yaml-text.ts'

/** The tuples of a file as they are written in it. */
type Items = { items: { place: Place; value: unknown }[]; problems: Problem[] }

const start: Place = { line: 1, column: 1 }

const noTuples = 'has no list of tuples; export them with `fga tuple read --max-pages 0`'

/**
 * Parses tuples of OpenFGA: the JSON that `fga tuple read` prints, the file of a store in YAML, or
 * JSON Lines.
 */
export function parseOpenFga(path: string, text: string): ParsedTuples {
  const { items, problems } = readItems(path, text)
  const tuples = items.flatMap(({ place, value }) => {
    const tuple = readTuple(place, value)
    if (typeof tuple !== 'string') return [tuple]
    problems.push({ place, message: tuple })
    return []
  })
  return { tuples, problems }
}

function readItems(path: string, text: string): Items {
  if (/\.json$/i.test(path)) return readJson(text)
  if (/\.(jsonl|ndjson)$/i.test(path)) return readJsonLines(text)
  if (/\.ya?ml$/i.test(path)) return readYaml(text)
  throw new UsageError('The name of the export must end with .json, .jsonl or .yaml')
}

function readJson(text: string): Items {
  const { value, problem } = parseJson(text)
  if (problem) return { items: [], problems: [problem] }
  const list: unknown = isJsonObject(value) ? value.tuples : value
  if (!Array.isArray(list)) return { items: [], problems: [{ place: start, message: noTuples }] }
  const locate = createLocator(text)
  const offsets = locateItems(text, 'tuples')
  const items = list.map((value, index) => ({ place: locate(offsets[index] ?? 0), value }))
  return { items, problems: [] }
}

function readJsonLines(text: string): Items {
  const items: Items['items'] = []
  const problems: Problem[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const { value, problem } = parseJson(line)
    if (problem) problems.push({ ...problem, place: { ...problem.place, line: index + 1 } })
    else items.push({ place: { line: index + 1, column: line.search(/\S/) + 1 }, value })
  }
  return { items, problems }
}

function readYaml(text: string): Items {
  const { document, problems, locate } = parseYaml(text)
  if (problems.length > 0) return { items: [], problems }
  const list = isSeq(document.contents) ? document.contents : document.get('tuples', true)
  if (!isSeq(list)) return { items: [], problems: [{ place: start, message: noTuples }] }
  const items = list.items.filter(isNode).map((node) => ({
    place: locate(node.range?.[0] ?? 0),
    value: node.toJS(document) as unknown,
  }))
  return { items, problems: [] }
}

function parseJson(text: string): { value?: unknown; problem?: Problem } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    const [, position] = /at position (\d+)/.exec((error as Error).message) ?? []
    const place = createLocator(text)(position === undefined ? text.length : Number(position))
    return { problem: { place, message: 'is not valid JSON' } }
  }
}

/** Returns a tuple, or what is wrong with it. */
function readTuple(place: Place, value: unknown): Tuple | string {
  if (!isJsonObject(value)) return 'must be an object with user, relation and object'
  const { user, relation, object, condition } = isJsonObject(value.key) ? value.key : value
  const objectName = readObject(object)
  if (!objectName) return 'object must have the form type:id'
  if (typeof relation !== 'string' || relation === '') return 'relation is required'
  const subject = readSubject(user)
  if (!subject) return 'user must have the form type:id, type:* or type:id#relation'
  const read = readCondition(condition)
  if (typeof read === 'string') return read
  return { place, object: objectName, relation, subject, condition: read, expiresAt: undefined }
}

function readObject(text: unknown): ObjectName | undefined {
  if (typeof text !== 'string') return undefined
  const [, type, id] = /^([^:#@\s]+):([^#\s]+)$/.exec(text) ?? []
  return type === undefined || id === undefined ? undefined : { type, id }
}

function readSubject(text: unknown): Subject | undefined {
  if (typeof text !== 'string') return undefined
  const hash = text.indexOf('#')
  const object = readObject(hash === -1 ? text : text.slice(0, hash))
  const relation = hash === -1 ? undefined : text.slice(hash + 1)
  return object && relation !== '' ? { ...object, relation } : undefined
}

function readCondition(value: unknown): Tuple['condition'] | string {
  if (value === undefined || value === null) return undefined
  if (!isJsonObject(value) || typeof value.name !== 'string') return 'condition must have a name'
  const context = value.context ?? {}
  if (!isJsonObject(context)) return 'the context of the condition must be an object'
  return value.name === '' ? undefined : { name: value.name, context }
}
