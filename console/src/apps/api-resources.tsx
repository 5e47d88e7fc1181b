import { Button, Fieldset, Text, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Schemas } from '../api/client.ts'
import { toLines } from '../ui/lines.ts'
import { ListFields } from '../ui/list-fields.tsx'
import { Facts, Section } from '../ui/page.tsx'
import type { ServiceApp } from './app-queries.ts'

type ApiResource = Schemas['ApiResource']

/** An API in the form, with a line for each scope. */
export type ApiResourceValues = { uri: string; name: string; scopes: string }

export type ServiceAppValues = { name: string; api_resources: ApiResourceValues[] }

const emptyResource: ApiResourceValues = { uri: '', name: '', scopes: '' }

export function toServiceAppValues({ name, api_resources }: ServiceApp): ServiceAppValues {
  const toLine = (scope: Schemas['ApiScope']) => `${scope.name} ${scope.description}`
  return {
    name,
    api_resources: api_resources.map(({ scopes, ...resource }) => ({
      ...resource,
      scopes: scopes.map(toLine).join('\n'),
    })),
  }
}

/** Null removes all APIs. */
export function toServiceAppBody({ name, api_resources }: ServiceAppValues) {
  const resources = api_resources.map(
    ({ scopes, ...resource }): ApiResource => ({
      ...resource,
      scopes: toLines(scopes).map((line) => {
        const [scope = '', ...description] = line.split(/ +/)
        return { name: scope, description: description.join(' ') }
      }),
    }),
  )
  return { name, api_resources: resources.length > 0 ? resources : null }
}

/** Lists the APIs of a service that access tokens can be limited to. */
export function ApiResources({ app: { api_resources } }: { app: ServiceApp }) {
  if (api_resources.length === 0) return null
  return (
    <Section title="APIs">
      <Facts
        items={api_resources.map(({ uri, name, scopes }) => [
          name,
          <div key={uri}>
            <span className="mono">{uri}</span>
            {scopes.map((scope) => (
              <Text key={scope.name} size="sm">
                <span className="mono">{scope.name}</span> {scope.description}
              </Text>
            ))}
          </div>,
        ])}
      />
    </Section>
  )
}

export function ApiResourceFields({ form }: { form: UseFormReturnType<ServiceAppValues> }) {
  return (
    <ListFields form={form} list="api_resources" emptyItem={emptyResource} addLabel="Add an API">
      {(index, onRemove) => (
        <Fieldset legend={`API ${index + 1}`} mt="md">
          <TextInput
            label="URI"
            description="The audience of tokens. Tokens of a URI that is changed or removed end."
            {...form.getInputProps(`api_resources.${index}.uri`)}
          />
          <TextInput
            label="Name of the API"
            mt="sm"
            {...form.getInputProps(`api_resources.${index}.name`)}
          />
          <Textarea
            label="Scopes"
            description="One per line: the name, a space, and what it lets a program do."
            autosize
            mt="sm"
            {...form.getInputProps(`api_resources.${index}.scopes`)}
          />
          <Button
            size="xs"
            variant="subtle"
            color="red"
            mt="sm"
            aria-label={`Remove API ${index + 1}`}
            onClick={onRemove}
          >
            Remove
          </Button>
        </Fieldset>
      )}
    </ListFields>
  )
}
