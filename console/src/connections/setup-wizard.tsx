import { Alert, Button, Group } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { CopyableId } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useServerForm } from '../ui/form.tsx'
import { toLines } from '../ui/lines.ts'
import { LinesField } from '../ui/lines-field.tsx'
import { Select } from '../ui/select.tsx'
import { QueryState } from '../ui/states.tsx'
import { Steps } from '../ui/steps.tsx'
import { useWorkspaceSearch } from '../workspaces/workspace-search.ts'
import { ClientFields, IssuerField, NameField } from './connection-fields.tsx'
import {
  type ConnectionFields,
  emptyConnection,
  requireFilled,
  sendFields,
  toMappingBody,
  toProviderBody,
} from './connection-form.ts'
import {
  type ConnectionId,
  connectionQuery,
  createConnection,
  discoverIssuer,
  type IssuerConfiguration,
} from './connection-queries.ts'
import classes from './connections.module.css'
import { DomainList } from './domains.tsx'
import { IssuerFacts } from './issuer-facts.tsx'
import { MappingFields } from './mapping-fields.tsx'
import { type ProviderTemplate, providerTemplates } from './provider-templates.ts'
import { SignInTest } from './sign-in-test.tsx'

const steps = ['Provider', 'Client', 'Roles and groups', 'Test'] as const
type Step = 0 | 1 | 2 | 3

/** The fields of each step. */
const stepFields: (keyof ConnectionFields)[][] = [
  ['name', 'issuer', 'domains'],
  ['client_id', 'client_secret', 'scopes'],
]

type Props = { workspaceId: string; isOpen: boolean; onClose: () => void }

/** Connects a workspace to an identity provider, step by step, and tests it. */
export function SetupWizard({ workspaceId, isOpen, onClose }: Props) {
  const { navigate } = useWorkspaceSearch()
  const [created, setCreated] = useState<ConnectionId>()
  function close() {
    onClose()
    if (!created) return
    setCreated(undefined)
    const { id } = created
    void navigate({ search: ({ tab }) => ({ tab, connection: id }) })
  }
  return (
    <Dialog
      title="Connect an identity provider"
      opened={isOpen}
      onClose={close}
      size="lg"
      // A click outside the dialog would discard the input.
      closeOnClickOutside={false}
    >
      {/* Unmounted when closed, so that it opens at the first step. */}
      <Setup workspaceId={workspaceId} created={created} onCreated={setCreated} onClose={close} />
    </Dialog>
  )
}

type SetupProps = {
  workspaceId: string
  /** The connection, once it is created. */
  created: ConnectionId | undefined
  onCreated: (id: ConnectionId) => void
  onClose: () => void
}

function Setup({ workspaceId, created, onCreated, onClose }: SetupProps) {
  const [step, setStep] = useState<Step>(0)
  const [kind, setKind] = useState('okta')
  const [found, setFound] = useState<IssuerConfiguration>()
  const heading = useRef<HTMLHeadingElement>(null)
  const template = providerTemplates.find(({ value }) => value === kind)

  async function goOn(fields: ConnectionFields) {
    if (step === 0) {
      requireFilled(fields, ['name', 'issuer', 'domains'])
      setFound(await discoverIssuer(workspaceId, fields.issuer.trim()))
      return setStep(1)
    }
    if (step === 1) {
      requireFilled(fields, ['client_id', 'client_secret'])
      return setStep(2)
    }
    try {
      const connection = await sendFields(fields, () => create(workspaceId, fields))
      onCreated(connection)
      setStep(3)
    } catch (error) {
      setStep(findStep(error))
      throw error
    }
  }

  // The heading of the first step does not have the focus, because its first field has it.
  const isMoved = useRef(false)
  useEffect(() => {
    if (step > 0 || isMoved.current) heading.current?.focus()
    isMoved.current ||= step > 0
  }, [step])
  // Afterwards, because a field that is refused gets the focus on its step, not the heading.
  const { form, isSubmitting, problem, submit, root } = useServerForm(emptyConnection, goOn)

  return (
    <form ref={root} onSubmit={submit} noValidate>
      <Steps labels={steps} current={step} />
      <h3 ref={heading} tabIndex={-1} className={classes.heading}>
        Step {step + 1} of {steps.length}: {steps[step]}
      </h3>
      {step === 0 && <ProviderStep form={form} template={template} onChoose={setKind} />}
      {step === 1 && (
        <>
          <p className={classes.help}>
            daikon has read the configuration of the provider. Copy the credentials of the
            application that you have created there.
          </p>
          <ClientFields form={form} />
        </>
      )}
      {step === 2 && (
        <MappingFields
          workspaceId={workspaceId}
          form={form}
          claims={found?.claims_supported}
          hint={template?.groupValues}
        />
      )}
      {step === 3 && created && found && <TestStep id={created} found={found} />}
      {problem && (
        <Alert color="red" variant="light" role="alert" mt="md">
          {problem}
        </Alert>
      )}
      <Group justify="flex-end" gap="xs" mt="lg">
        {step === 0 && (
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        )}
        {(step === 1 || step === 2) && (
          <Button variant="default" onClick={() => setStep(step === 2 ? 1 : 0)}>
            Back
          </Button>
        )}
        {step === 3 ? (
          <Button onClick={onClose}>Done</Button>
        ) : (
          <Button type="submit" loading={isSubmitting}>
            {step === 2 ? 'Create connection' : 'Next'}
          </Button>
        )}
      </Group>
    </form>
  )
}

function create(workspaceId: string, fields: ConnectionFields) {
  return createConnection(workspaceId, {
    ...toProviderBody(fields),
    ...toMappingBody(fields),
    client_secret: fields.client_secret,
    domains: toLines(fields.domains),
  })
}

/** Returns the step with the first field that the server refuses. */
function findStep(error: unknown): Step {
  const fields = error instanceof ApiError ? error.fields : []
  const found = stepFields.findIndex((names) =>
    fields.some(({ field }) => names.some((name) => field.replace(/\[.*/, '') === name)),
  )
  return found === -1 ? 2 : (found as Step)
}

type ProviderStepProps = {
  form: UseFormReturnType<ConnectionFields>
  template: ProviderTemplate | undefined
  onChoose: (kind: string) => void
}

function ProviderStep({ form, template, onChoose }: ProviderStepProps) {
  return (
    <>
      <NameField form={form} />
      <Select
        label="Provider"
        options={providerTemplates}
        description={template?.steps}
        mt="md"
        value={template?.value ?? null}
        onChange={(kind) => onChoose(kind ?? 'other')}
      />
      <IssuerField form={form} {...(template && { placeholder: template.issuer })} />
      <LinesField
        label="E-mail domains"
        description="One per line, without subdomains. The provider signs in addresses of these domains, once you have proven that they are yours."
        placeholder="example.com"
        minRows={1}
        {...form.getInputProps('domains')}
      />
    </>
  )
}

/** What remains to be done once the connection exists. */
function TestStep({ id, found }: { id: ConnectionId; found: IssuerConfiguration }) {
  const connection = useQuery(connectionQuery(id))
  return (
    <QueryState query={connection}>
      {(data) => (
        <>
          <h4 className={classes.part}>Register the redirect URI at the provider</h4>
          <CopyableId id={data.redirect_uri} label="Copy redirect URI" />
          <h4 className={classes.part}>Prove the domains</h4>
          <p className={classes.help}>
            Create a TXT record for each domain. Nobody can sign in through the connection until a
            domain is verified.
          </p>
          <DomainList connection={data} />
          <h4 className={classes.part}>Try it</h4>
          <SignInTest connection={data} />
          <h4 className={classes.part}>What the provider publishes</h4>
          <IssuerFacts configuration={found} />
        </>
      )}
    </QueryState>
  )
}
