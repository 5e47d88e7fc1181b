/** An attribute of a schema (RFC 7643, section 7). The absent characteristics have their defaults. */
export type Attribute = {
  name: string
  type: 'string' | 'boolean' | 'complex' | 'reference' | 'binary'
  description: string
  multiValued?: true
  required?: true
  caseExact?: true
  mutability?: 'readOnly' | 'immutable'
  returned?: 'always'
  uniqueness?: 'server'
  subAttributes?: Attribute[]
  referenceTypes?: string[]
  /** Values that a directory may expect; others are kept as well. */
  canonicalValues?: string[]
}

/** A schema with the attributes that this server keeps. It ignores all others. */
export type Schema = { id: string; name: string; description: string; attributes: Attribute[] }

/** The schemas of a resource type: the core schema and its extensions. */
export type ResourceSchemas = { core: Schema; extensions: Schema[] }

function text(name: string, description: string, more: Partial<Attribute> = {}): Attribute {
  return { name, type: 'string', description, ...more }
}

function reference(name: string, description: string, referenceTypes = ['external']): Attribute {
  return { name, type: 'reference', description, referenceTypes }
}

function complex(name: string, description: string, subAttributes: Attribute[]): Attribute {
  return { name, type: 'complex', description, subAttributes }
}

/** The function of a value. Entra ID maps attributes to values of the listed types. */
function typeOf(...types: string[]): Attribute {
  const listed = types.length > 0 ? { canonicalValues: types } : {}
  return text('type', 'The function of the value, such as `work`.', listed)
}

/** An attribute with several values, each with a type and at most one of them primary. */
function list(
  name: string,
  description: string,
  types: string[] = [],
  value: Attribute = text('value', 'The value.'),
): Attribute {
  const subAttributes: Attribute[] = [
    value,
    text('display', 'A name of the value for people.'),
    typeOf(...types),
    { name: 'primary', type: 'boolean', description: 'Whether the value is preferred.' },
  ]
  return { ...complex(name, description, subAttributes), multiValued: true }
}

const readOnly = { mutability: 'readOnly' } as const

/**
 * The ID that the directory has given a resource. Schemas list it although it is a common attribute,
 * because Entra ID maps only attributes that it finds there.
 */
export const externalId = text('externalId', 'The ID in the directory.', { caseExact: true })

export const userSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A person',
  attributes: [
    text('userName', 'The e-mail address of the person, in a verified domain of the workspace.', {
      required: true,
      uniqueness: 'server',
    }),
    complex('name', 'The parts of the name.', [
      text('formatted', 'The full name.'),
      text('familyName', 'The family name.'),
      text('givenName', 'The given name.'),
      text('middleName', 'The middle names.'),
      text('honorificPrefix', 'The title before the name.'),
      text('honorificSuffix', 'The suffix after the name.'),
    ]),
    text('displayName', 'The name to show.'),
    text('nickName', 'The casual name.'),
    reference('profileUrl', 'The URL of a profile.'),
    text('title', 'The job title.'),
    text(
      'userType',
      'The kind of employment, which the mapping of the connection may turn into a role.',
    ),
    text('preferredLanguage', 'The preferred languages.'),
    text('locale', 'The locale.'),
    text('timezone', 'The time zone.'),
    { name: 'active', type: 'boolean', description: 'Whether the person is a member.' },
    list('emails', 'E-mail addresses.', ['work', 'home', 'other']),
    list('phoneNumbers', 'Phone numbers.', ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
    list('ims', 'Addresses of instant messengers.'),
    list('photos', 'URLs of photos.', ['photo', 'thumbnail'], reference('value', 'The URL.')),
    {
      ...complex('addresses', 'Postal addresses.', [
        text('formatted', 'The full address.'),
        text('streetAddress', 'The street and number.'),
        text('locality', 'The city.'),
        text('region', 'The state or region.'),
        text('postalCode', 'The postal code.'),
        text('country', 'The country.'),
        typeOf('work', 'home', 'other'),
        { name: 'primary', type: 'boolean', description: 'Whether the address is preferred.' },
      ]),
      multiValued: true,
    },
    {
      ...complex('groups', 'The groups that the directory has put the person into.', [
        text('value', 'The ID of the group.', readOnly),
        { ...reference('$ref', 'The URL of the group.', ['Group']), ...readOnly },
        text('display', 'The name of the group.', readOnly),
      ]),
      multiValued: true,
      ...readOnly,
    },
    list('entitlements', 'What the person is entitled to.'),
    list(
      'roles',
      'Roles, which the mapping of the connection may turn into the role of the member.',
    ),
    list('x509Certificates', 'Certificates.', [], {
      name: 'value',
      type: 'binary',
      description: 'The certificate.',
      caseExact: true,
    }),
  ],
}

export const enterpriseSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'A person in a company',
  attributes: [
    text('employeeNumber', 'The number of the employee.'),
    text('costCenter', 'The cost center.'),
    text('organization', 'The organization.'),
    text('division', 'The division.'),
    text('department', 'The department.'),
    complex('manager', 'The manager.', [
      text('value', 'The ID of the manager.'),
      reference('$ref', 'The URL of the manager.', ['User']),
      text('displayName', 'The name of the manager.'),
    ]),
  ],
}

export const groupSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'A group of the workspace',
  attributes: [
    text('displayName', 'The name of the group, unique in the workspace.', {
      required: true,
      uniqueness: 'server',
    }),
    {
      ...complex('members', 'The members that the directory has added.', [
        text('value', 'The ID of the user.', { mutability: 'immutable' }),
        { ...reference('$ref', 'The URL of the user.', ['User']), mutability: 'immutable' },
        text('display', 'The userName of the user.', readOnly),
      ]),
      multiValued: true,
    },
  ],
}

export const userSchemas: ResourceSchemas = { core: userSchema, extensions: [enterpriseSchema] }
export const groupSchemas: ResourceSchemas = { core: groupSchema, extensions: [] }

/** Finds an attribute by its name, whose case does not matter (RFC 7643, section 2.1). */
export function findAttribute(attributes: Attribute[], name: string): Attribute | undefined {
  const wanted = name.toLowerCase()
  return attributes.find((attribute) => attribute.name.toLowerCase() === wanted)
}
