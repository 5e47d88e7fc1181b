import { ActionIcon } from '@mantine/core'
import { useState } from 'react'
import { type CsvColumn, toCsv } from './csv.ts'
import { downloadText } from './download.ts'
import { Icon } from './icon.tsx'
import { notifyDone, notifyFailure } from './notify.ts'

/** The maximum number of rows in a file. */
const maxRows = 10_000

/** The largest page that the API returns. */
const maxPageSize = 100

type Props<Row> = {
  /** The name of the file without its ending, such as `people`. */
  name: string
  columns: CsvColumn<Row>[]
  /** The rows, or how they are loaded page by page. */
  rows: Row[] | (() => AsyncIterable<Row[]>)
  /** Whether the button is in the header of a section, where buttons are small. */
  isSmall?: boolean
}

/** Downloads all rows of a list that match its filters, not only the page that is shown. */
export function CsvButton<Row>({ name, columns, rows, isSmall = false }: Props<Row>) {
  const [isLoading, setLoading] = useState(false)
  async function download() {
    setLoading(true)
    try {
      const all = Array.isArray(rows) ? rows : await loadAll(rows())
      downloadText(`${name}.csv`, 'text/csv', toCsv(columns, all))
      notifyDone(describeDownload(all.length))
    } catch (error) {
      notifyFailure(error)
    } finally {
      setLoading(false)
    }
  }
  return (
    <ActionIcon
      variant="default"
      size={isSmall ? 30 : 36}
      aria-label={`Download ${name.replaceAll('-', ' ')} as CSV`}
      title="Download as CSV"
      loading={isLoading}
      onClick={download}
    >
      <Icon name="download" size={isSmall ? 16 : 18} />
    </ActionIcon>
  )
}

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

async function loadAll<Row>(pages: AsyncIterable<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const page of pages) {
    rows.push(...page)
    if (rows.length >= maxRows) break
  }
  return rows.slice(0, maxRows)
}

function describeDownload(rows: number): string {
  const count = `${rows.toLocaleString()} ${rows === 1 ? 'row' : 'rows'} downloaded.`
  return rows < maxRows ? count : `${count} Filter the list if it has more.`
}
