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

/** Names each problem with its place. */
export function describeProblems(path: string, problems: Problem[]): string[] {
  return problems.map(({ place, message }) => `${describePlace(path, place)}: ${message}`)
}

/** Names an object in the form `folder:plan`. */
export function nameOf({ type, id }: ObjectName): string {
  return `${type}:${id}`
}

/** Whether a tuple holds only sometimes. */
export function hasTrait({
  condition,
  expiresAt,
}: Pick<Tuple, 'condition' | 'expiresAt'>): boolean {
  return condition !== undefined || expiresAt !== undefined
}
