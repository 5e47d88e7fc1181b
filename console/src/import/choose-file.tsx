import { Alert, Button, FileButton, Group, Loader } from '@mantine/core'
import { type DragEvent, useState } from 'react'
import { CopyableCode } from '../ui/copy.tsx'
import { Icon } from '../ui/icon.tsx'
import { ErrorState } from '../ui/states.tsx'
import classes from './choose-file.module.css'
import { type ChosenFile, maxFileBytes } from './import-requests.ts'
import { type Conversion, type ReadFile, readFile, readText } from './read-file.ts'

const example = `email,name,workspace_slug,role,groups
alice@example.com,Alice,demo,editor,Writers;Reviewers
bob@example.com,Bob,demo,viewer,`

/** Accepts a CSV file by drag and drop or from the file dialog. */
export function ChooseFile({ onFile }: { onFile: (file: ChosenFile) => Promise<void> }) {
  const [isOver, setOver] = useState(false)
  const [isReading, setReading] = useState(false)
  const [error, setError] = useState<unknown>()
  const [conversion, setConversion] = useState<Conversion>()

  async function choose(file: File | null | undefined) {
    if (!file) return
    await read(async () => {
      if (file.size > maxFileBytes) throw new Error('The file is larger than 5 MiB: split it.')
      return readFile(file)
    })
  }

  /** Reads a file and passes it on, unless it has to be converted. */
  async function read(work: () => ReadFile | Promise<ReadFile>) {
    setError(undefined)
    setConversion(undefined)
    setReading(true)
    try {
      const result = await work()
      if ('file' in result) return await onFile(result.file)
      setConversion(result.conversion)
    } catch (error) {
      setError(error)
    }
    setReading(false)
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
      {conversion && (
        <Convert
          conversion={conversion}
          onConvert={() => read(() => readText(conversion.file))}
          onCancel={() => setConversion(undefined)}
        />
      )}
      {error !== undefined && (
        <div className={classes.error}>
          <ErrorState error={error} />
        </div>
      )}
      <h2 className={classes.title}>Format</h2>
      <p className="dimmed">
        The first line names the columns, in any order. email and workspace_slug are required; name,
        role, guest, groups and external_id are optional. Groups are separated by semicolons and
        created if they do not exist. guest is true, false, or empty to leave it as it is.
      </p>
      <CopyableCode code={example} label="Example of a CSV file" />
    </>
  )
}

/** The number of lines of a converted file that are shown. */
const shownLines = 5

/** Asks whether a file is to be converted, and shows how it begins then. */
function Convert({
  conversion: { problem, action, file },
  onConvert,
  onCancel,
}: {
  conversion: Conversion
  onConvert: () => void
  onCancel: () => void
}) {
  const begin = file.text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/, shownLines)
  return (
    <Alert color="yellow" variant="light" role="alert" mt="md" title={problem}>
      <figure className={classes.begin} aria-label="The first lines of the converted file">
        <pre>{begin.join('\n')}</pre>
      </figure>
      <Group gap="xs">
        <Button size="xs" onClick={onConvert}>
          {action}
        </Button>
        <Button size="xs" variant="default" onClick={onCancel}>
          Choose another file
        </Button>
      </Group>
    </Alert>
  )
}
