import { ActionIcon } from '@mantine/core'
import { useState } from 'react'
import { type CsvColumn, toCsv } from './csv.ts'
import { downloadText } from './download.ts'
import { Icon } from './icon.tsx'
import { loadAll, maxRows } from './load-rows.ts'
import { notifyDone, notifyFailure } from './notify.ts'

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

function describeDownload(rows: number): string {
  const count = `${rows.toLocaleString()} ${rows === 1 ? 'row' : 'rows'} downloaded.`
  return rows < maxRows ? count : `${count} Filter the list if it has more.`
}
