import { Alert, Button } from '@mantine/core'
import { useState } from 'react'
import { ApiError, describeError } from '../api/api-error.ts'
import { CodeInput } from '../ui/code-input.tsx'
import { Icon } from '../ui/icon.tsx'
import { parseJsonObject } from '../ui/json-object.ts'
import { type ConditionResult, evaluateCondition } from './condition-queries.ts'

type Props = { expression: string; parameters: Record<string, string> }

/** Evaluates a condition with a request that the administrator describes as JSON. */
export function TryCondition({ expression, parameters }: Props) {
  const [text, setText] = useState(() => createSample(parameters))
  const [error, setError] = useState<string>()
  const [result, setResult] = useState<ConditionResult>()
  const [isRunning, setRunning] = useState(false)

  async function evaluate() {
    setResult(undefined)
    const { value = {}, error } = parseJsonObject(text)
    setError(error)
    if (error) return
    setRunning(true)
    try {
      setResult(await evaluateCondition({ expression, parameters }, value))
    } catch (error) {
      setError(describeProblem(error))
    } finally {
      setRunning(false)
    }
  }

  return (
    <>
      <CodeInput
        label="Sample"
        description="A request as JSON: subject, agent, resource, action, context and params."
        mt="sm"
        value={text}
        error={error}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button size="xs" mt="xs" loading={isRunning} onClick={evaluate}>
        Evaluate
      </Button>
      <div aria-live="polite">{result && <Result result={result} />}</div>
    </>
  )
}

function Result({ result: { result, error, missing, line, column } }: { result: ConditionResult }) {
  return (
    <Alert
      color={result ? 'leaf' : 'red'}
      variant="light"
      mt="sm"
      icon={<Icon name={result ? 'check' : 'close'} />}
      title={result ? 'The condition is true' : 'The condition is false'}
    >
      {error && (
        <p>
          {line && `Line ${line}, column ${column}: `}
          {error}
        </p>
      )}
      {missing.length > 0 && <p>The request lacks {missing.join(', ')}.</p>}
    </Alert>
  )
}

/** Returns a sample with the members that a request can have, and the parameters to fill in. */
function createSample(parameters: Record<string, string>): string {
  const params = Object.fromEntries(Object.keys(parameters).map((name) => [name, null]))
  const sample = {
    subject: { id: '', type: 'user', email: '', role: 'viewer' },
    // As for a person who asks without an agent.
    agent: { type: '', id: '' },
    resource: { owner_id: '', visibility: 'private', attributes: {} },
    action: 'view',
    context: {},
    params,
  }
  return JSON.stringify(sample, null, 2)
}

function describeProblem(error: unknown): string {
  const fields = error instanceof ApiError ? error.fields : []
  if (fields.length === 0) return describeError(error)
  return fields.map(({ field, message }) => `${field} ${message}`).join('; ')
}
