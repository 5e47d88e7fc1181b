import { queryOptions } from '@tanstack/react-query'
import type { LinkProps } from '@tanstack/react-router'
import { api, type Schemas, unwrap } from '../api/client.ts'
import type { IconName } from '../ui/icon.tsx'
import { objectLink } from '../ui/object-link.ts'
import { screens } from './screens.ts'

type FoundObject = Schemas['FoundObject']

/** A result of the command palette. */
export type Result = {
  key: string
  label: string
  description: string
  icon: IconName
  link: Pick<LinkProps, 'to' | 'params' | 'search'>
}

/** Results of one kind. */
export type ResultSection = { label: string; results: Result[] }

/** Finds people, workspaces, groups and resources by name, and any object by its ID. */
export function searchQuery(q: string) {
  return queryOptions({
    queryKey: ['search', q],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/admin/search', { params: { query: { q, limit: 5 } }, signal })),
    enabled: q !== '',
    // Names change, and the palette is opened again and again.
    staleTime: 5_000,
  })
}

const kinds: Record<string, { label: string; icon: IconName }> = {
  user: { label: 'People', icon: 'user' },
  workspace: { label: 'Workspaces', icon: 'building' },
  group: { label: 'Groups', icon: 'users' },
  role: { label: 'Roles', icon: 'key' },
  permission: { label: 'Resources', icon: 'file' },
  service_app: { label: 'Service apps', icon: 'key' },
  client_app: { label: 'Client apps', icon: 'window' },
}

const ranks: Record<string, number> = { exact: 0, prefix: 1, words: 2 }

/** Returns the screens and objects that match a text: sections with better matches first. */
export function findResults(text: string, objects: FoundObject[]): ResultSection[] {
  const found = [
    ...findScreens(text),
    ...objects.flatMap((object) => {
      const [kind, link] = [kinds[object.type], objectLink(object)]
      if (!kind || !link) return []
      const result = { ...object, ...kind, key: object.id, label: object.name, link }
      return [{ section: kind.label, rank: ranks[object.match] ?? 2, result }]
    }),
  ]
  const sections = Map.groupBy(
    found.toSorted((a, b) => a.rank - b.rank),
    ({ section }) => section,
  )
  return [...sections].map(([label, items]) => ({
    label,
    results: items.map(({ result }) => result),
  }))
}

function findScreens(text: string) {
  const word = text.toLowerCase()
  return screens.flatMap(({ to, label, icon }) => {
    const name = label.toLowerCase()
    if (!name.includes(word)) return []
    const rank = name === word ? 0 : name.startsWith(word) ? 1 : 2
    return [
      { section: 'Screens', rank, result: { key: to, label, description: '', icon, link: { to } } },
    ]
  })
}
