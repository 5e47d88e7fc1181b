import { hash } from 'node:crypto'
import type { SearchPage, SearchPageInfo } from '../../../gen/daikon/v1/access.ts'
import { invalidArgument } from '../../core/errors.ts'

const defaultLimit = 1000

/** Where a page begins and how many results it has at most. */
export type SearchPosition = { cursor: string[]; limit: number }

/**
 * Reads the requested page of a search. A token is valid only with the same search, and keeps its limit.
 *
 * @throws ServiceError `invalid_argument` for a token that no search with these parameters returned
 */
export function readSearchPage(page: SearchPage | undefined, search: object): SearchPosition {
  const { token, limit } = page ?? {}
  if (!token) return { cursor: [], limit: limit ?? defaultLimit }
  const [digest, tokenLimit, ...cursor] = parseToken(token)
  const isValid =
    digest === digestOf(search) && typeof tokenLimit === 'number' && cursor.every(isText)
  if (!isValid) {
    const message = 'must be a page token from a previous response to the same search'
    throw invalidArgument({ field: 'page.token', message })
  }
  return { cursor: cursor.filter(isText), limit: limit ?? tokenLimit }
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
  return hash('sha256', JSON.stringify(search), 'base64url').slice(0, 16)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
