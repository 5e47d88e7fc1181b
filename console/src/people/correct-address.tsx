import { Checkbox, Text, TextInput } from '@mantine/core'
import { api, unwrap } from '../api/client.ts'
import { FormModal } from '../ui/form.tsx'
import { notifyDone } from '../ui/notify.ts'
import { type Person, refreshPeople } from './people-queries.ts'

type Props = { person: Person; isOpen: boolean; onClose: () => void }

/** Corrects the e-mail address of a person. */
export function CorrectAddress({ person, isOpen, onClose }: Props) {
  const hasSignedIn = person.last_sign_in_at !== null || person.linked_accounts.length > 0
  return (
    <FormModal
      title={`Correct the address of ${person.name || person.email}`}
      action="Correct"
      isOpen={isOpen}
      onClose={onClose}
      initialValues={{ email: person.email, reason: '', keep_sign_in: false }}
      send={async ({ email, reason, keep_sign_in }) => {
        const params = { path: { user_id: person.id } }
        const body = { email, ...(hasSignedIn && { reason, keep_sign_in }) }
        await unwrap(api.PATCH('/admin/users/{user_id}', { params, body }))
        await refreshPeople()
        notifyDone('The address was corrected.')
      }}
    >
      {(form) => (
        <>
          <Text mb="md">
            {hasSignedIn && !form.values.keep_sign_in
              ? 'All sessions end, and linked accounts are unlinked: only who has the new address can sign in.'
              : 'Memberships, shares and resources remain.'}
          </Text>
          <TextInput
            label="E-mail address"
            type="email"
            data-autofocus
            {...form.getInputProps('email')}
          />
          {hasSignedIn && (
            <>
              <TextInput
                label="Reason"
                description="The activity log contains it. Do not write an address."
                maxLength={500}
                mt="md"
                {...form.getInputProps('reason')}
              />
              <Checkbox
                label="Keep the sign-in"
                description="Only if it is the same person with another address."
                mt="md"
                {...form.getInputProps('keep_sign_in', { type: 'checkbox' })}
              />
            </>
          )}
        </>
      )}
    </FormModal>
  )
}
