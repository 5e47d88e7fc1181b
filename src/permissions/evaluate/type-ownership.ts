import { otherService } from '../../core/errors.ts'
import type { Principal } from '../../core/request-context.ts'
import type { SearchLookups } from '../engine/searches/search-lookups.ts'
import { hasServicePrefix } from '../resource-id.ts'

type Lookup = Pick<SearchLookups, 'listRegisteredTypes'>

/**
 * Returns the types whose prefix names a different service than the service key. A type that the
 * service has itself registered under exactly this name belongs to the service.
 */
export async function findOtherServiceTypes(
  { listRegisteredTypes }: Lookup,
  serviceName: string | undefined,
  types: Iterable<string>,
): Promise<Set<string>> {
  if (serviceName === undefined) return new Set()
  const others = new Set(types)
  for (const type of others)
    if (!hasServicePrefix(type) || type.startsWith(`${serviceName}:`)) others.delete(type)
  if (others.size === 0) return others
  for (const own of await listRegisteredTypes(serviceName, [...others])) others.delete(own)
  return others
}

/** Throws `permission_denied` if the prefix of a type names a different service than the key. */
export async function requireOwnType(
  lookup: Lookup,
  { service }: Principal,
  type: string,
): Promise<void> {
  const others = await findOtherServiceTypes(lookup, service?.name, [type])
  if (service?.name !== undefined && others.size > 0) throw otherService(service.name)
}
