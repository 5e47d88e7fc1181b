/** How a condition finds rows. */
export type Shape = 'few' | 'many' | 'lazy'

/** Beyond this number, folders are looked up per row. */
const maxFolders = 500

/**
 * Chooses between finding all visible rows first, which costs as many look-ups as there are, and looking at
 * the rows of a list until a page is full, which costs `rows` × total ÷ visible.
 */
export function chooseShape({
  estimate,
  rows,
  total,
  folders,
  isCut,
}: {
  /** The number of visible rows. */
  estimate: number
  /** The number of rows that a page needs. */
  rows: number
  /** The number of all rows. */
  total: number
  folders: number
  /** Whether there are more folders than were read. */
  isCut: boolean
}): Shape {
  if (isCut) return 'lazy'
  if (estimate ** 2 <= rows * Math.max(total, estimate)) return 'few'
  return folders > maxFolders ? 'lazy' : 'many'
}
