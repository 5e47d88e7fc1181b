import type { SummaryRow } from './plan.ts'
import type { Tuple } from './tuple.ts'

/** What a tuple becomes, or why it is not mapped. */
export type Outcome = Pick<SummaryRow, 'isMapped' | 'text'>

/** The number of lines that a row of the summary names. */
const maxLines = 3

export function mapped(text: string): Outcome {
  return { isMapped: true, text }
}

export function unmapped(text: string): Outcome {
  return { isMapped: false, text }
}

/** Counts the outcomes of tuples by relation, form of the subject and text, sorted by these. */
export function summarize(outcomes: [Tuple, Outcome][]): SummaryRow[] {
  const rows = new Map<string, SummaryRow>()
  for (const [tuple, outcome] of outcomes) {
    const relation = `${tuple.object.type}#${tuple.relation}`
    const subject = describeSubject(tuple)
    const key = [relation, subject, outcome.text].join('\n')
    const example = `${tuple.object.type}:${tuple.object.id}#${tuple.relation}@${nameSubject(tuple)}`
    const row = rows.get(key) ?? { relation, subject, ...outcome, count: 0, lines: [], example }
    row.count += 1
    row.lines = [...row.lines, tuple.place.line].toSorted((a, b) => a - b).slice(0, maxLines)
    rows.set(key, row)
  }
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

function describeSubject({ subject: { type, id, relation }, condition, expiresAt }: Tuple): string {
  const form = relation === undefined ? type : `${type}#${relation}`
  const wildcard = id === '*' ? ':*' : ''
  const traits = [condition && `with ${condition.name}`, expiresAt && 'with expiration']
  return [form + wildcard, ...traits].filter(Boolean).join(' ')
}

function nameSubject({ subject: { type, id, relation } }: Tuple): string {
  return relation === undefined ? `${type}:${id}` : `${type}:${id}#${relation}`
}
