import type { ActivityDetail, ActivityEventName } from '../activity/events.ts'
import type { ActivityEvent } from '../activity/store/entries-sql.ts'
import { changedFields } from '../core/changed-fields.ts'
import type { ErrorReason } from '../core/define-reasons.ts'
import { createEntityTag } from '../core/entity-tag.ts'
import { ServiceError } from '../core/errors.ts'
import { violates } from '../database/database-errors.ts'
import type { Page, PageRequest } from '../database/page.ts'

/** A group, custom role or service account. */
type NamedObject = { id: string; workspaceId: string; name: string }

/** A group or custom role. */
type DescribedObject = NamedObject & { description: string }

type Changes = { name?: string; description?: string }

/** Returns an event about an object, whose detail has the name of the object. */
export function createNamedEvent<Name extends ActivityEventName>(
  action: Name,
  { id, workspaceId, name }: NamedObject,
  detail: Omit<ActivityDetail<Name>, 'name'>,
): ActivityEvent<Name> {
  return { action, targetId: id, workspaceId, detail: { name, ...detail } as ActivityDetail<Name> }
}

/** Returns a page of a list and the length of the list, or without `page` the whole list. */
export async function listOrPage<Item>(
  request: PageRequest,
  list: () => Promise<Item[]>,
  listPage: (request: PageRequest) => Promise<Page<Item>>,
): Promise<{ items: Item[]; total?: number }> {
  if (request.page === undefined) return { items: await list() }
  const { items, total } = await listPage(request)
  return { items, total }
}

/**
 * Changes the name or description of a locked group or role. Returns it as it is then, or undefined if
 * nothing changes.
 *
 * @throws ServiceError `taken` if another one of the workspace has the name
 */
export async function changeNamed<Stored extends DescribedObject>(
  store: { update(id: string, changes: Changes): Promise<void> },
  object: Stored,
  { name, description }: { name?: string | undefined; description?: string | undefined },
  taken: ErrorReason,
): Promise<Stored | undefined> {
  const before: DescribedObject = object
  const changes = changedFields({ name: name?.trim(), description }, before)
  if (!changes) return undefined
  await rejectTakenName(taken, store.update(object.id, changes))
  return { ...object, ...changes }
}

/** Waits for a statement. Throws `taken` if it violates that names are unique. */
export async function rejectTakenName(taken: ErrorReason, statement: Promise<void>): Promise<void> {
  await statement.catch((error) => {
    throw violates(error, 'unique') ? new ServiceError(taken) : error
  })
}

/** Returns the ETag of a group or role. */
export function tagOf({ id, name, description }: DescribedObject): string {
  return createEntityTag(id, { name, description })
}
