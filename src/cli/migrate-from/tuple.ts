/** A position in a file. Lines and columns count from 1. */
export type Place = { line: number; column: number }

/** What is wrong at a position in a file. */
export type Problem = { place: Place; message: string }

export type ObjectName = { type: string; id: string }

/**
 * The subject of a tuple: an object, or with `relation` everybody who has that relation to it. The ID
 * `*` means every object of the type.
 */
export type Subject = ObjectName & { relation: string | undefined }

/** A relationship between an object and a subject, which OpenFGA calls a relationship tuple. */
export type Tuple = {
  place: Place
  object: ObjectName
  relation: string
  subject: Subject
  /** A condition (OpenFGA) or caveat (SpiceDB) with the context that is stored with it. */
  condition: { name: string; context: Record<string, unknown> } | undefined
  /** In RFC 3339. */
  expiresAt: string | undefined
}

/** The tuples of a file, and what is wrong with the others. */
export type ParsedTuples = { tuples: Tuple[]; problems: Problem[] }

/** Names a place in the form `export.json:7:12`. */
export function describePlace(path: string, { line, column }: Place): string {
  return `${path}:${line}:${column}`
}

/** Whether a tuple holds only sometimes. */
export function hasTrait({
  condition,
  expiresAt,
}: Pick<Tuple, 'condition' | 'expiresAt'>): boolean {
  return condition !== undefined || expiresAt !== undefined
}
