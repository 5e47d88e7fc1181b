import { createHash } from 'node:crypto'

/** A subject who sees one in `step` documents, by the shares of ten groups. */
export type Viewer = { id: string; visible: number; step: number; holders: string[] }

/** The number of groups of each viewer. */
export const viewerGroups = 10

/** Returns viewers of few, more and many of the documents. */
export function viewersOf(documents: number): Viewer[] {
  return [10, 1000, 5000, 20_000, documents / 10, documents / 2].map((visible, index) => ({
    id: `viewer${index}`,
    visible,
    step: documents / visible,
    holders: Array.from({ length: viewerGroups }, (_, group) => nameOf(`viewer${index} ${group}`)),
  }))
}

/** Returns the name of a holder or level as daikon sends it, 22 characters. Equal to `nameSql`. */
export function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

export function nameSql(text: string): string {
  return `left(translate(encode(sha256(convert_to(${text}, 'UTF8')), 'base64'), '+/', '-_'), 22)`
}
