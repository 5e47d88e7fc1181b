import { Alert, Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Icon } from '../ui/icon.tsx'
import type { ImportReport } from './import-requests.ts'
import { RowTable } from './row-table.tsx'
import { Summary } from './summary.tsx'

/** Shows the changes that the import made. */
export function Report({ report, onRestart }: { report: ImportReport; onRestart: () => void }) {
  return (
    <>
      <Alert color="leaf" variant="light" icon={<Icon name="check" />} mb="md" role="status">
        The file was imported.
      </Alert>
      <Summary summary={report.summary} />
      <div style={{ marginTop: '1rem' }}>
        <RowTable report={report} filter="all" />
      </div>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onRestart}>
          Import another file
        </Button>
        <Button component={Link} to="/people">
          Show people
        </Button>
      </Group>
    </>
  )
}
