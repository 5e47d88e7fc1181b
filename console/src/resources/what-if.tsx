import { Button, Fieldset, Group, List } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Select } from '../ui/select.tsx'
import { QueryState } from '../ui/states.tsx'
import { describeRole, guest, roles } from '../workspaces/roles.ts'
import { rolesQuery } from '../workspaces/workspace-queries.ts'
import { Verdict } from './explanation.tsx'
import { type Assumption, type Question, type Resource, whatIfQuery } from './resource-queries.ts'
import { noCondition, ShareCondition, toCondition } from './share-condition.tsx'
import { type Grant, GrantSelect, useDeclaredType } from './share-form.tsx'

type Assumed = { label: string; assumption: Assumption }

type FieldsProps = { resource: Resource; userId: string; onAdd: (assumed: Assumed) => void }

const kinds = [
  { value: 'share', label: 'A share with them' },
  { value: 'role', label: 'A custom role' },
  { value: 'membership', label: 'A role in the workspace' },
]

/** Explains the decision as if the person had further shares and roles. Nothing is stored. */
export function WhatIf({ resource, ...question }: { resource: Resource } & Question) {
  const [isOpen, setOpen] = useState(false)
  const [kind, setKind] = useState('share')
  const [assumed, setAssumed] = useState<Assumed[]>([])
  const explanation = useQuery(
    whatIfQuery(
      resource.id,
      question,
      assumed.map(({ assumption }) => assumption),
    ),
  )
  const fields = {
    resource,
    userId: question.userId,
    onAdd: (added: Assumed) => setAssumed([...assumed, added]),
  }
  if (!isOpen) {
    return (
      <Button size="xs" variant="default" mt="sm" onClick={() => setOpen(true)}>
        What if…
      </Button>
    )
  }
  return (
    <Fieldset legend="What if they had" mt="md">
      <Select
        label="Assume"
        options={kinds}
        value={kind}
        onChange={(kind) => setKind(kind ?? 'share')}
      />
      {kind === 'share' && <ShareFields {...fields} />}
      {kind === 'role' && <CustomRoleFields {...fields} />}
      {kind === 'membership' && <MembershipFields {...fields} />}
      {assumed.length > 0 && (
        <>
          <List size="sm" my="sm">
            {assumed.map(({ label }, index) => (
              <List.Item key={index}>
                <Group gap="xs">
                  {label}
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    color="red"
                    aria-label={`Remove the assumption ${label}`}
                    onClick={() => setAssumed(assumed.filter((_, place) => place !== index))}
                  >
                    Remove
                  </Button>
                </Group>
              </List.Item>
            ))}
          </List>
          <div aria-live="polite">
            <QueryState query={explanation} skeleton={null}>
              {(data) => <Verdict explanation={data} />}
            </QueryState>
          </div>
        </>
      )}
    </Fieldset>
  )
}

function ShareFields({ resource, userId, onAdd }: FieldsProps) {
  const conditions = useDeclaredType(resource)?.conditions ?? []
  const [grant, setGrant] = useState<Grant>({ permission: 'view', role: null })
  const [condition, setCondition] = useState(noCondition)
  function add() {
    const { permission, role } = grant
    const under = condition.name ? `, under the condition ${condition.name}` : ''
    const share = {
      grantee_type: 'user',
      grantee_id: userId,
      permission,
      role,
      ...(condition.name && { condition: toCondition(condition, conditions) }),
    }
    onAdd({
      label: `a share (${permission ?? role})${under}`,
      assumption: { share } as Assumption,
    })
  }
  return (
    <>
      <GrantSelect resource={resource} value={grant} error={undefined} onChange={setGrant} />
      {conditions.length > 0 && (
        <ShareCondition
          conditions={conditions}
          value={condition}
          errors={{}}
          onChange={setCondition}
        />
      )}
      <AddButton onClick={add} />
    </>
  )
}

function CustomRoleFields({ resource, onAdd }: FieldsProps) {
  const customRoles = useQuery(rolesQuery(resource.workspace_id, { page: 1, page_size: 100 }))
  const [roleId, setRoleId] = useState<string | null>(null)
  const items = customRoles.data?.items ?? []
  const chosen = items.find(({ id }) => id === roleId)
  return (
    <>
      <Select
        label="Custom role"
        options={items.map(({ id, name }) => ({ value: id, label: name }))}
        isSearchable
        nothingFound="No roles found"
        mt="md"
        value={roleId}
        onChange={setRoleId}
      />
      <AddButton
        isDisabled={!chosen}
        onClick={() =>
          chosen &&
          onAdd({
            label: `the custom role ${chosen.name}`,
            assumption: { role: { role_id: chosen.id } } as Assumption,
          })
        }
      />
    </>
  )
}

function MembershipFields({ onAdd }: FieldsProps) {
  const [role, setRole] = useState('viewer')
  return (
    <>
      <Select
        label="Role"
        options={[...roles, guest]}
        mt="md"
        value={role}
        onChange={(role) => setRole(role ?? 'viewer')}
      />
      <AddButton
        onClick={() =>
          onAdd({
            label: `the role ${describeRole(role)} in the workspace`,
            assumption: {
              membership: role === guest.value ? { role: 'viewer', guest: true } : { role },
            } as Assumption,
          })
        }
      />
    </>
  )
}

function AddButton({ isDisabled = false, onClick }: { isDisabled?: boolean; onClick: () => void }) {
  return (
    <Button size="xs" variant="default" mt="sm" disabled={isDisabled} onClick={onClick}>
      Add
    </Button>
  )
}
