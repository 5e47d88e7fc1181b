import createClient from 'openapi-fetch'
import type { components, paths } from '../../gen/rest-api.ts'
import { settings } from '../settings.ts'
import { LocatedRequest } from './access.ts'
import { ApiError } from './api-error.ts'
import { fetchWithSession } from './fetch.ts'

export type Schemas = components['schemas']

/** The typed client for the REST API. */
export const api = createClient<paths>({
  baseUrl: settings.base_url,
  fetch: fetchWithSession,
  Request: LocatedRequest,
})

type Result<Data> = { data?: Data; error?: unknown; response: Response }

/**
 * Returns the data of a response.
 *
 * @throws {ApiError} if the response is an error
 */
export async function unwrap<Data>(result: Promise<Result<Data>>): Promise<Data> {
  const { data, error, response } = await result
  if (response.ok) return data as Data
  const problem = typeof error === 'object' && error !== null ? error : {}
  throw new ApiError(response.status, problem)
}

/** A page of a list and the length of the whole list. */
export type Page<Item> = { items: Item[]; total: number }

/**
 * Returns the page of a list whose length is in a header.
 *
 * @throws {ApiError} if the response is an error
 */
export async function unwrapPage<Item>(result: Promise<Result<Item[]>>): Promise<Page<Item>> {
  const items = await unwrap(result)
  const { response } = await result
  return { items, total: Number(response.headers.get('x-total-count')) }
}
