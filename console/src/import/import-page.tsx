import { useState } from 'react'
import { Card, Page } from '../ui/page.tsx'
import { ChooseFile } from './choose-file.tsx'
import classes from './import-page.module.css'
import {
  type ChosenFile,
  executeImport,
  type ImportReport,
  previewImport,
  type Rejected,
  separateRows,
} from './import-requests.ts'
import { Preview } from './preview.tsx'
import { Report } from './report.tsx'

type State =
  | { step: 'file' }
  | { step: 'preview'; file: ChosenFile; report: ImportReport }
  | { step: 'done'; report: ImportReport; rejected?: Rejected }

const steps = [
  { step: 'file', label: 'Choose a file' },
  { step: 'preview', label: 'Check the changes' },
  { step: 'done', label: 'Report' },
]

/**
 * Imports people and memberships from a CSV file in four steps: choose, preview, execute, report.
 */
export function ImportPage() {
  const [state, setState] = useState<State>({ step: 'file' })
  const restart = () => setState({ step: 'file' })
  return (
    <Page
      title="Import"
      description="Adds people, memberships and groups from a CSV file. An import removes nothing."
    >
      <Card label="CSV import">
        <ol className={classes.steps}>
          {steps.map(({ step, label }) => (
            <li key={step} aria-current={step === state.step ? 'step' : undefined}>
              {label}
            </li>
          ))}
        </ol>
        {state.step === 'file' && (
          <ChooseFile
            onFile={async (file) => {
              const report = await previewImport(file)
              setState({ step: 'preview', file, report })
            }}
          />
        )}
        {state.step === 'preview' && (
          <Preview
            file={state.file}
            report={state.report}
            onCancel={restart}
            onExecute={async () => {
              const report = await executeImport(state.file)
              setState({ step: 'done', report })
            }}
            onExecuteGood={async () => {
              const { good, rejected } = await separateRows(state.file, state.report)
              const report = await executeImport(good)
              setState({ step: 'done', report, rejected })
            }}
          />
        )}
        {state.step === 'done' && <Report {...state} onRestart={restart} />}
      </Card>
    </Page>
  )
}
