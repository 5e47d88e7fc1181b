export type List<Item> = Item[] | { values: Item[] } | null

/** Returns the items of a list; null stands for all. */
export function itemsOf<Item>(list: List<Item>): Item[] | null {
  return list === null || Array.isArray(list) ? list : list.values
}

/** Returns a list as requests contain it. */
export function toList<Item>(items: Item[]) {
  return { values: items }
}
