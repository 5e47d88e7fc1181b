import type { FieldViolation } from '../core/errors.ts'
import { type PathTemplate, parsePathTemplate } from './path-template.ts'
import type { Route, RouteRule } from './route.ts'

/** A route, with the text of its segments also in lower case. */
type Prepared = { methods: Set<string>; rule: RouteRule; segments: Segment[] }

/** A variable has no text. */
type Segment = { text?: string; folded?: string; hasCase: boolean; isRest: boolean }

/**
 * Returns what is risky about valid routes if the application ignores the case of paths, which
 * routes distinguish: at most one warning of each kind for a route, which names the first other one.
 *
 * @example
 * // [{ field: 'routes[1].path', message: 'also matches paths of routes[0] in another case …' }]
 * findRouteWarnings([
 *   { methods: [], path: '/admin/{page}', rule: { allow: 'authenticated' } },
 *   { methods: [], path: '/{path=**}', rule: { allow: 'anyone' } },
 * ])
 */
export function findRouteWarnings(routes: Route[]): FieldViolation[] {
  const interned = new Map<string, string>()
  const prepared = routes.map((route) => prepare(route, interned))
  return prepared.flatMap((route, index) => {
    const earlier = prepared.slice(0, index)
    const findRisk = (isRisk: (route: Prepared, other: Prepared) => boolean) =>
      earlier.findIndex(
        (other) =>
          !isSameRule(route, other) && isRisk(route, other) && haveCommonMethod(route, other),
      )
    const twin = findRisk(differInCase)
    const narrower = findRisk(isBypass)
    const messages: string[] = []
    if (twin >= 0)
      messages.push(`begins like the path of routes[${twin}] except for case; ${advice}`)
    if (narrower >= 0)
      messages.push(
        `also matches paths of routes[${narrower}] in another case, without what that one requires; ${advice}`,
      )
    return messages.map((message) => ({ field: `routes[${index}].path`, message }))
  })
}

const advice =
  'an application that ignores case, such as Express by default, serves the same page for both'

/** Each pair of routes is compared, so a longer path would take too long. It has no warnings. */
const maxSegments = 32

function prepare({ methods, path, rule }: Route, interned: Map<string, string>): Prepared {
  const template = parsePathTemplate(path)
  if ('problem' in template) throw new Error(`The route ${path} ${template.problem}`)
  const segments = template.length > maxSegments ? [] : template
  return {
    methods: new Set(methods),
    rule,
    segments: segments.map((segment) => toSegment(segment, interned)),
  }
}

function toSegment(segment: PathTemplate[number], interned: Map<string, string>): Segment {
  if ('variable' in segment) return { hasCase: false, isRest: segment.isRest }
  const text = intern(segment.text, interned)
  const folded = intern(text.toLowerCase(), interned)
  return { text, folded, hasCase: folded !== text.toUpperCase(), isRest: false }
}

/** Returns the same string for the same text, because comparing two of them reads every character. */
function intern(text: string, interned: Map<string, string>): string {
  const known = interned.get(text)
  if (known === undefined) interned.set(text, text)
  return known ?? text
}

function haveCommonMethod({ methods: a }: Prepared, { methods: b }: Prepared): boolean {
  return a.size === 0 || b.size === 0 || [...a].some((method) => b.has(method))
}

function isSameRule({ rule: a }: Prepared, { rule: b }: Prepared): boolean {
  if ('allow' in a || 'allow' in b) return 'allow' in a && 'allow' in b && a.allow === b.allow
  return a.action === b.action && a.resourceType === b.resourceType && a.resourceId === b.resourceId
}

/** Whether one path is the beginning of the other if case is ignored, but not otherwise. */
function differInCase({ segments: a }: Prepared, { segments: b }: Prepared): boolean {
  let differs = false
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const first = a[index] as Segment
    const second = b[index] as Segment
    if (first.isRest || second.isRest) break
    if (first.text === undefined || second.text === undefined) continue
    if (first.folded !== second.folded) return false
    differs ||= first.text !== second.text
  }
  return differs
}

/**
 * Whether a route requires less than a narrower one before it, and matches its paths in another case.
 */
function isBypass(route: Prepared, narrower: Prepared): boolean {
  if (!requiresLess(route.rule, narrower.rule)) return false
  const { length } = route.segments
  const last = route.segments.at(-1)
  const matchesMore = last?.isRest === true
  if (narrower.segments.length < length) return false
  if (narrower.segments.length > length && !matchesMore) return false
  let matchesOtherCase = false
  for (let index = 0; index < narrower.segments.length; index += 1) {
    const { text, hasCase, isRest } = narrower.segments[index] as Segment
    const matching = (route.segments[index] ?? last) as Segment
    if (matching.text === undefined) {
      if (isRest && !matching.isRest) return false
      matchesOtherCase ||= hasCase
    } else if (matching.text !== text) return false
  }
  return matchesOtherCase
}

/**
 * Whether a rule lets through users whom another one may not. A resource that the path names is
 * another one if the case of the path differs, so only a rule about a fixed resource counts.
 */
function requiresLess(rule: RouteRule, other: RouteRule): boolean {
  if ('allow' in rule) return !('allow' in other) || rule.allow === 'anyone'
  return !('allow' in other) && !rule.resourceId.includes('{')
}
