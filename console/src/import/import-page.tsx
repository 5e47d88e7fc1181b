import { Stepper } from '@mantine/core'
import { useState } from 'react'
import { Page, Section } from '../ui/page.tsx'
import { ChooseFile } from './choose-file.tsx'
import {
  type ChosenFile,
  executeImport,
  type ImportReport,
  previewImport,
} from './import-requests.ts'
import { Preview } from './preview.tsx'
import { Report } from './report.tsx'

type State =
  | { step: 'file' }
  | { step: 'preview'; file: ChosenFile; report: ImportReport }
  | { step: 'done'; report: ImportReport }

const steps = ['file', 'preview', 'done']

/** Imports people and memberships from a CSV file: choose, preview, execute, report. */
export function ImportPage() {
  const [state, setState] = useState<State>({ step: 'file' })
  const restart = () => setState({ step: 'file' })
  return (
    <Page
      title="Import"
      description="Adds people, memberships and groups from a CSV file. An import removes nothing."
    >
      <Section title="CSV import">
        <Stepper active={steps.indexOf(state.step)} size="sm" mb="lg" allowNextStepsSelect={false}>
          <Stepper.Step label="Choose a file" />
          <Stepper.Step label="Check the changes" />
          <Stepper.Step label="Report" />
        </Stepper>
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
          />
        )}
        {state.step === 'done' && <Report report={state.report} onRestart={restart} />}
      </Section>
    </Page>
  )
}
