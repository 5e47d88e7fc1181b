import { isAmbiguous } from './request-path.ts'

/** The segments of a path template: text, or a variable for one segment or for all that follow. */
export type PathTemplate = ({ text: string } | { variable: string; isRest: boolean })[]

type Segment = PathTemplate[number]

const variablePattern = /^\{([A-Za-z_]\w{0,63})(=\*\*)?\}$/

/**
 * Parses a path template such as `/folders/{folder}/{path=**}`, whose text is not percent-encoded.
 * If it is not valid, returns a message that completes "<field> …".
 */
export function parsePathTemplate(path: string): PathTemplate | { problem: string } {
  if (!path.startsWith('/')) return { problem: 'must begin with a slash' }
  if (path === '/') return []
  const template: PathTemplate = []
  for (const text of path.slice(1).split('/')) {
    const segment = parseSegment(text)
    if ('problem' in segment) return segment
    template.push(segment)
  }
  const names = variablesOf(template)
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated) return { problem: `must not contain the variable {${repeated}} twice` }
  if (template.slice(0, -1).some(isRest))
    return { problem: 'must not contain segments after a variable such as {path=**}' }
  return template
}

function parseSegment(text: string): Segment | { problem: string } {
  const [, variable, rest] = variablePattern.exec(text) ?? []
  if (variable) return { variable, isRest: rest !== undefined }
  const problem = findTextProblem(text)
  return problem === undefined ? { text } : { problem }
}

function findTextProblem(text: string): string | undefined {
  if (text === '') return 'must not contain empty segments, such as after a slash at the end'
  if (/[{}]/.test(text))
    return 'must contain variables only as whole segments, such as {id} or, at the end, {path=**}'
  if (/[?#]/.test(text)) return 'must not contain ? or #'
  if (/%[0-9a-f]{2}/i.test(text)) return 'must not be percent-encoded'
  if (isAmbiguous(text))
    return 'must not contain dot segments, semicolons, backslashes or control characters'
  return undefined
}

function isRest(segment: Segment | undefined): boolean {
  return segment !== undefined && 'isRest' in segment && segment.isRest
}

/** Returns the names of the variables in a path template. */
export function variablesOf(template: PathTemplate): string[] {
  return template.flatMap((segment) => ('variable' in segment ? [segment.variable] : []))
}

/** The values of the variables in a path, by name. */
export type PathValues = ReadonlyMap<string, string>

/** Returns the values of the variables if the template matches the segments of a path. */
export function matchPath(template: PathTemplate, path: string[]): PathValues | undefined {
  const hasLength = isRest(template.at(-1))
    ? path.length >= template.length
    : path.length === template.length
  if (!hasLength) return undefined
  const values = new Map<string, string>()
  for (const [index, segment] of template.entries()) {
    const text = path[index] as string
    if ('variable' in segment)
      values.set(segment.variable, segment.isRest ? path.slice(index).join('/') : text)
    else if (segment.text !== text) return undefined
  }
  return values
}
