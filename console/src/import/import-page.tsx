import { useState } from 'react'
import { Card, Page } from '../ui/page.tsx'
import { Steps } from '../ui/steps.tsx'
import { ChooseFile } from './choose-file.tsx'
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

const steps = ['file', 'preview', 'done']
const labels = ['Choose a file', 'Check the changes', 'Report']

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
        <Steps labels={labels} current={steps.indexOf(state.step)} />
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
