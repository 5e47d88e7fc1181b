import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type DeclarationFields, toConditions } from './declaration-form.ts'
import { belowQuery } from './resource-type-queries.ts'

type Props = { service: string; values: DeclarationFields }

/** Shows how many resources the inherited requirements of a form bind beside those of the type. */
export function ResourcesBelow({ service, values }: Props) {
  // Text that is being typed is not sent.
  const [{ resource_type, conditions, requirements }] = useDebouncedValue(values, 300)
  const declaration = {
    ...{ service_name: service, resource_type, description: '', allow_public: false, roles: [] },
    conditions: toConditions(conditions),
    requirements: requirements.filter(({ inherited }) => inherited),
  }
  const { data: count } = useQuery(belowQuery(declaration))
  if (count === undefined) return null
  return (
    <Text size="sm" mt="xs" className="dimmed">
      Also below:{' '}
      {count === 1 ? '1 resource inherits' : `${count.toLocaleString()} resources inherit`} from
      resources of this type.
    </Text>
  )
}
