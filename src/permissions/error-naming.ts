/** How errors refer to the fields of the items of a call. */
export type ErrorNaming = {
  field(index: number, name: string): string
  /** Prefixes a message with the fields that it is about. */
  detail(fields: string[], message: string): string
}

/** Names fields of a single item, such as `owner_id`. */
export const singleNaming: ErrorNaming = {
  field: (_index, name) => name,
  detail: (_fields, message) => message,
}

/** Names fields of the items of a list, such as `resources[3].owner_id`. */
export function createListNaming(list: string): ErrorNaming {
  return {
    field: (index, name) => (name ? `${list}[${index}].${name}` : `${list}[${index}]`),
    detail(fields, message) {
      const omitted = fields.length - maxNamedFields
      const more = omitted > 0 ? ` and ${omitted} more` : ''
      return `${fields.slice(0, maxNamedFields).join(', ')}${more}: ${message}`
    },
  }
}

const maxNamedFields = 10
