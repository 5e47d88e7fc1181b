import { useQuery } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from './client.ts'
import { queryClient } from './query-client.ts'

export type NamedObject = Schemas['NamedObject']

/** The maximum number of IDs in one request. */
const maxIds = 200

type Waiting = {
  resolve: (name: NamedObject | null) => void
  reject: (error: unknown) => void
}

let waiting = new Map<string, Waiting[]>()

/** Loads the object that an ID identifies; null if the ID is unknown. */
export function useName(id: string | null) {
  return useQuery({
    queryKey: ['name', id],
    queryFn: () => loadName(id ?? ''),
    staleTime: 5 * 60_000,
    enabled: id !== null,
  })
}

/** Reloads the names on the screen after one may have changed. */
export function refreshNames(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['name'] })
}

/** Loads the object of an ID, or null, together with all others that are requested in the same turn of the event loop. */
export function loadName(id: string): Promise<NamedObject | null> {
  return new Promise((resolve, reject) => {
    if (waiting.size === 0) setTimeout(sendWaiting)
    const others = waiting.get(id) ?? []
    waiting.set(id, [...others, { resolve, reject }])
  })
}

async function sendWaiting(): Promise<void> {
  const batch = waiting
  waiting = new Map()
  const ids = [...batch.keys()]
  for (let start = 0; start < ids.length; start += maxIds) {
    await loadNames(ids.slice(start, start + maxIds), batch)
  }
}

async function loadNames(ids: string[], batch: Map<string, Waiting[]>): Promise<void> {
  try {
    const { names } = await unwrap(api.POST('/admin/names', { body: { ids } }))
    const byId = new Map(names.map((name) => [name.id, name]))
    for (const id of ids) {
      for (const { resolve } of batch.get(id) ?? []) resolve(byId.get(id) ?? null)
    }
  } catch (error) {
    for (const id of ids) for (const { reject } of batch.get(id) ?? []) reject(error)
  }
}
