/** The maximum number of rows that are loaded at once. */
export const maxRows = 10_000

/** The largest page that the API returns. */
const maxPageSize = 100

type Paging = { page: number; page_size: number }

/** Loads a list with numbered pages. */
export async function* loadPages<Row>(
  load: (paging: Paging) => Promise<{ items: Row[] }>,
): AsyncGenerator<Row[]> {
  for (let page = 1; ; page += 1) {
    const { items } = await load({ page, page_size: maxPageSize })
    yield items
    if (items.length < maxPageSize) return
  }
}

/** Returns the rows of all pages, up to the maximum. */
export async function loadAll<Row>(pages: AsyncIterable<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const page of pages) {
    rows.push(...page)
    if (rows.length >= maxRows) break
  }
  return rows.slice(0, maxRows)
}
