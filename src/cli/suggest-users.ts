import type { Command } from 'commander'
import { ServiceError } from '../core/errors.ts'
import { withAdminApi } from './admin-api.ts'

const maxSuggestions = 3

/** The maximum length of a search for users. */
const maxLength = 100

/**
 * Returns e-mail addresses of users whose name or address contains an unknown name or, if that is an
 * address, what precedes its host. Returns none to a management app that may not list users.
 */
export async function suggestUsers(command: Command, name: string): Promise<string[]> {
  const [q = ''] = name.trim().split('@', 1)
  if (q === '' || q.length > maxLength) return []
  try {
    const { items } = await withAdminApi(command, (api) =>
      api('listUsers', { page: 1, page_size: maxSuggestions, q }),
    )
    return items.map(({ email }) => email)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'permission_denied') return []
    throw error
  }
}
