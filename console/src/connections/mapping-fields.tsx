import { Button, TextInput, type TextInputProps } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import rowClasses from '../ui/list-fields.module.css'
import { ListFields } from '../ui/list-fields.tsx'
import { GroupPicker } from '../ui/pickers.tsx'
import { Select } from '../ui/select.tsx'
import { guest, roles } from '../workspaces/roles.ts'
import { type ConnectionFields, emptyGroupRow, emptyRoleRow } from './connection-form.ts'
import classes from './connections.module.css'

/** A connection never makes somebody an owner. */
const givenRoles = roles.filter(({ value }) => value !== 'owner')

/** What a value of the claim can give, from the highest to the lowest. */
const mappedRoles = [...givenRoles, guest]

type Props = {
  workspaceId: string
  form: UseFormReturnType<ConnectionFields>
  /** The claims that the provider names, if it was asked. */
  claims?: string[] | undefined
  /** What to know about the claims of a kind of provider. */
  hint?: string | undefined
}

/** What the claims of the provider give to members: a role and groups. */
export function MappingFields({ workspaceId, form, claims = [], hint }: Props) {
  return (
    <>
      <Select
        label="Default role"
        description="The role of new members, and of members whose claim maps to no role."
        options={givenRoles}
        {...form.getInputProps('default_role')}
      />
      <h3 className={classes.part}>Roles</h3>
      <p className={classes.help}>
        Leave the claim empty to keep the roles as they are. Otherwise, each sign-in gives the
        highest role of its values, or the default role. {hint}
      </p>
      {claims.length > 0 && (
        <p className={classes.help}>The provider names the claims {claims.join(', ')}.</p>
      )}
      <TextInput
        label="Claim with roles"
        placeholder="roles"
        mt="xs"
        {...form.getInputProps('role_claim')}
      />
      <ListFields form={form} list="roles" emptyItem={emptyRoleRow} addLabel="Add a role">
        {(index, onRemove) => (
          <ValueRow
            label={`Value ${index + 1} of the role claim`}
            value={form.getInputProps(`roles.${index}.value`)}
            removeLabel={`Remove role ${index + 1}`}
            onRemove={onRemove}
          >
            <Select
              label={`Role ${index + 1}`}
              options={mappedRoles}
              {...form.getInputProps(`roles.${index}.role`)}
            />
          </ValueRow>
        )}
      </ListFields>
      <h3 className={classes.part}>Groups</h3>
      <p className={classes.help}>
        Members join the groups of the values, leave the other groups that are listed here, and stay
        in all others.
      </p>
      <TextInput
        label="Claim with groups"
        placeholder="groups"
        mt="xs"
        {...form.getInputProps('groups_claim')}
      />
      <ListFields form={form} list="groups" emptyItem={emptyGroupRow} addLabel="Add a group">
        {(index, onRemove) => (
          <ValueRow
            label={`Value ${index + 1} of the groups claim`}
            value={form.getInputProps(`groups.${index}.value`)}
            removeLabel={`Remove group ${index + 1}`}
            onRemove={onRemove}
          >
            <div>
              <GroupPicker
                label={`Group ${index + 1}`}
                workspaceId={workspaceId}
                {...form.getInputProps(`groups.${index}.group_id`)}
              />
            </div>
          </ValueRow>
        )}
      </ListFields>
    </>
  )
}

type ValueRowProps = {
  label: string
  /** The properties of the field for the value. */
  value: TextInputProps
  removeLabel: string
  onRemove: () => void
  /** The field for what the value gives. */
  children: ReactNode
}

/** A value of a claim, what it gives, and a button that removes both. */
function ValueRow({ label, value, removeLabel, onRemove, children }: ValueRowProps) {
  return (
    <div className={rowClasses.row}>
      <TextInput label={label} {...value} />
      {children}
      <Button variant="subtle" color="red" aria-label={removeLabel} onClick={onRemove}>
        Remove
      </Button>
    </div>
  )
}
