import { type Document, isMap, isNode, isScalar, isSeq, type Node, parseDocument } from 'yaml'
import { createLocator } from './text-place.ts'
import type { Place, Problem } from './tuple.ts'

/** A YAML or JSON file. `placeOf` finds a field or item by its path from the root. */
export type YamlText = {
  document: Document
  problems: Problem[]
  locate: (offset: number) => Place
  placeOf: (path: string[]) => Place
}

/** Parses a file of one YAML document, or JSON. */
export function parseYaml(text: string): YamlText {
  const document = parseDocument(text, { prettyErrors: false })
  const locate = createLocator(text)
  return {
    document,
    problems: document.errors.map(({ pos, message }) => ({ place: locate(pos[0]), message })),
    locate,
    placeOf: (path) => locate(findOffset(document, path)),
  }
}

/** Returns the offset of a field's name or of an item, or of what contains it if it is missing. */
function findOffset({ contents }: Document, path: string[]): number {
  let node: unknown = contents
  let offset = startOf(node) ?? 0
  for (const segment of path) {
    let next: unknown
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === segment)
      offset = startOf(pair?.key) ?? offset
      next = pair?.value
    } else if (isSeq(node)) {
      next = node.items[Number(segment)]
      offset = startOf(next) ?? offset
    }
    node = next
  }
  return offset
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? (node as Node).range?.[0] : undefined
}
