import { arrayLiteral, textElement } from '../../database/sql-values.ts'
import { builtInActions } from '../access.ts'
import type { Check, Subject } from './question.ts'
import { idOf, type SubjectKindName, subjectKinds } from './subjects/subject-kinds.ts'

/** The distinct values of a statement, each of which is sent once. */
type Positions<Value> = {
  /** Adds a value if it is new. Returns its position, from 1 as in PostgreSQL. */
  add(value: Value): number
}

function createPositions<Value>(onNew: (value: Value) => void): Positions<Value> {
  const positions = new Map<Value, number>()
  return {
    add(value) {
      const known = positions.get(value)
      if (known !== undefined) return known
      onNew(value)
      positions.set(value, positions.size + 1)
      return positions.size
    },
  }
}

/** Creates the hashes of the service keys of a statement. */
export function createKeyTable() {
  const hashes: string[] = []
  return { hashes, ...createPositions<string>((hash) => hashes.push(textElement(hash))) }
}

/** Creates the kinds of a statement: services with a resource type. */
export function createKindTable() {
  const services: string[] = []
  const types: string[] = []
  // A line break separates the names, neither of which can contain one.
  const { add } = createPositions<string>((kind) => {
    const [service = '', type = ''] = kind.split('\n')
    services.push(textElement(service))
    types.push(textElement(type))
  })
  return {
    services,
    types,
    add: (service: string, type: string) => add(`${service}\n${type}`),
  }
}

/**
 * Returns the action as an element of an array literal. Built-in actions are undefined, because
 * decisions about them depend only on the grants on the resource.
 */
export function actionElement(action: string): string | undefined {
  return builtInActions.includes(action) ? undefined : textElement(action)
}

/**
 * Returns the function that turns actions of checks into elements of an array literal. A coverage also
 * depends on the names of built-in actions.
 */
export function actionElementOf(kind: SubjectKindName): (action: string) => string | undefined {
  return subjectKinds[kind].coverage ? textElement : actionElement
}

/** Returns the parameters that describe subjects: $1 to $5 of `statements/checks.ts`. */
export function subjectParameters(subjects: Subject[]): string[] {
  return [
    arrayLiteral(subjects.map(({ tokenId }) => tokenId)),
    arrayLiteral(subjects.map(idOf)),
    arrayLiteral(subjects.map(({ workspaceId }) => workspaceId)),
    textColumn(subjects.map(({ externalId }) => externalId)),
    textColumn(subjects.map(({ email }) => email)),
  ]
}

/** PostgreSQL's `unnest` fills a column without values with nulls. */
function textColumn(texts: (string | undefined)[]): string {
  if (texts.every((text) => text === undefined)) return '{}'
  return arrayLiteral(texts.map((text) => (text === undefined ? undefined : textElement(text))))
}

/** Collects the checks of a statement, whose subjects are of one kind. */
export function createCheckTable(kind: SubjectKindName) {
  const toElement = actionElementOf(kind)
  const subjects: Subject[] = []
  const subjectPositions = createPositions<Subject>((subject) => subjects.push(subject))
  const kinds = createKindTable()
  const checkSubjects: number[] = []
  const checkKinds: number[] = []
  const resources: string[] = []
  const actions: (string | undefined)[] = []
  return {
    subjects: subjects as readonly Subject[],
    /** Adds a subject if it is new. Returns its position. */
    addSubject: subjectPositions.add,
    /** Adds a check of the subject at a position. Returns the position of its kind. */
    addCheck(check: Omit<Check, 'subject'>, subject: number): number {
      const kind = kinds.add(check.serviceName, check.resourceType)
      checkSubjects.push(subject)
      checkKinds.push(kind)
      resources.push(check.resourceId)
      actions.push(toElement(check.action))
      return kind
    },
    /** The number of checks. */
    size: () => resources.length,
    subjectCount: () => subjects.length,
    /** Returns $1 to $11 of `statements/checks.ts`. */
    parameters: () => [
      ...subjectParameters(subjects),
      arrayLiteral(kinds.services),
      arrayLiteral(kinds.types),
      arrayLiteral(checkSubjects),
      arrayLiteral(checkKinds),
      arrayLiteral(resources),
      arrayLiteral(actions),
    ],
  }
}
