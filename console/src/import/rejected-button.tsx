import { Button } from '@mantine/core'
import { useState } from 'react'
import { downloadText } from '../ui/download.ts'
import { Icon } from '../ui/icon.tsx'
import { notifyFailure } from '../ui/notify.ts'
import type { Rejected } from './import-requests.ts'

/** Downloads the rows with errors. */
export function RejectedButton({ findRejected }: { findRejected: () => Promise<Rejected> }) {
  const [isLoading, setLoading] = useState(false)
  async function download() {
    setLoading(true)
    try {
      const { file } = await findRejected()
      downloadText(file.name, 'text/csv', file.text)
    } catch (error) {
      notifyFailure(error)
    } finally {
      setLoading(false)
    }
  }
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon name="download" size={16} />}
      loading={isLoading}
      onClick={download}
    >
      Download the rows with errors
    </Button>
  )
}

/** Returns a number of rows in words. */
export function countRows(count: number): string {
  return count === 1 ? '1 row' : `${count.toLocaleString()} rows`
}
