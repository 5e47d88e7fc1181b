import { hash } from 'node:crypto'
import type { SearchPage, SearchPageInfo } from '../../../gen/daikon/v1/access.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { invalidArgument } from '../../core/errors.ts'

/** The maximum and default number of results on a page. */
const maxLimit = 1000

/** The start of a page and the maximum number of its results. */
export type SearchPosition = { cursor: string[]; limit: number }

/**
 * Reads the requested page of a search. Tokens are not signed: a client that forges one only chooses
 * where the page starts, so `isCursor` need only check the format of the cursor.
 *
 * @throws ServiceError `invalid_argument` if the token is invalid, or from a search with other
 * parameters or another limit
 */
export function readSearchPage(
  page: SearchPage | undefined,
  search: object,
  isCursor: (cursor: string[]) => boolean,
): SearchPosition {
  const { token, limit } = page ?? {}
  if (!token) return { cursor: [], limit: limit ?? maxLimit }
  const [digest, tokenLimit, ...cursor] = parseToken(token)
  const isValid =
    digest === digestOf(search) && isLimit(tokenLimit) && cursor.every(isText) && isCursor(cursor)
  if (!isValid) {
    const message = 'must be a page token from a previous response to the same search'
    throw invalidArgument({ field: 'page.token', message })
  }
  if (limit !== undefined && limit !== tokenLimit) {
    const message = `must be absent or ${tokenLimit}, the limit of the previous page`
    throw invalidArgument({ field: 'page.limit', message })
  }
  return { cursor, limit: tokenLimit }
}

/** Describes a page of `count` results; `cursor` is undefined on the last page. */
export function describePage(
  search: object,
  { limit }: SearchPosition,
  count: number,
  cursor: string[] | undefined,
): SearchPageInfo {
  return { next_token: cursor ? writeToken([digestOf(search), limit, ...cursor]) : '', count }
}

function writeToken(values: unknown[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

function parseToken(token: string): unknown[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    return Array.isArray(values) ? values : []
  } catch {
    return []
  }
}

function digestOf(search: object): string {
  return hash('sha256', canonicalJson(search), 'base64url').slice(0, 16)
}

function isLimit(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxLimit
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
