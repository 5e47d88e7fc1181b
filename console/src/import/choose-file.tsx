import { Button, FileButton, Loader } from '@mantine/core'
import { type DragEvent, useState } from 'react'
import { CopyableCode } from '../ui/copy.tsx'
import { Icon } from '../ui/icon.tsx'
import { ErrorState } from '../ui/states.tsx'
import classes from './choose-file.module.css'
import { type ChosenFile, maxFileBytes, readFile } from './import-requests.ts'

const example = `email,name,workspace_slug,role,groups
alice@example.com,Alice,demo,editor,Writers;Reviewers
bob@example.com,Bob,demo,viewer,`

/** Accepts a CSV file by drag and drop or from the file dialog. */
export function ChooseFile({ onFile }: { onFile: (file: ChosenFile) => Promise<void> }) {
  const [isOver, setOver] = useState(false)
  const [isReading, setReading] = useState(false)
  const [error, setError] = useState<unknown>()

  async function choose(file: File | null | undefined) {
    if (!file) return
    setError(undefined)
    setReading(true)
    try {
      if (file.size > maxFileBytes) throw new Error('The file is larger than 5 MiB: split it.')
      await onFile(await readFile(file))
    } catch (error) {
      setError(error)
      setReading(false)
    }
  }

  function drop(event: DragEvent) {
    event.preventDefault()
    setOver(false)
    void choose(event.dataTransfer.files[0])
  }

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same by keyboard */}
      <div
        className={classes.drop}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        {isReading ? <Loader size="sm" /> : <Icon name="upload" size={28} />}
        <p>{isReading ? 'Checking every row…' : 'Drop a CSV file here'}</p>
        <FileButton
          onChange={choose}
          accept=".csv,text/csv"
          inputProps={{ 'aria-label': 'CSV file' }}
        >
          {(props) => (
            <Button variant="default" disabled={isReading} {...props}>
              Choose a file
            </Button>
          )}
        </FileButton>
        <small>Up to 5 MiB. Nothing changes before you have seen the preview.</small>
      </div>
      {error !== undefined && (
        <div className={classes.error}>
          <ErrorState error={error} />
        </div>
      )}
      <h2 className={classes.title}>Format</h2>
      <p className="dimmed">
        The first line names the columns, in any order. email and workspace_slug are required; name,
        role, groups and external_id are optional. Groups are separated by semicolons and created if
        they do not exist.
      </p>
      <CopyableCode code={example} label="Example of a CSV file" />
    </>
  )
}
