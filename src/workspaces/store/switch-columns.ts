/** What only the owners of a workspace decide, with the columns, which messages name alike. */
export const switchColumns = {
  /** Whether administrators may give support access. */
  supportAccess: 'support_access',
  /** Whether sessions that began with a code by e-mail reach the workspace. */
  emailSignIn: 'email_sign_in',
  /** Whether clients that nobody registered are admitted. */
  thirdPartyClients: 'third_party_clients',
  /** Whether agents may act for members. */
  delegations: 'delegations',
} as const

export type SwitchName = keyof typeof switchColumns
export type SwitchColumn = (typeof switchColumns)[SwitchName]

export type Switches = Record<SwitchName, boolean>

/** The values of switches by their columns. */
export type SwitchValues = { [Column in SwitchColumn]?: boolean | undefined }

export const switchNames = Object.keys(switchColumns) as SwitchName[]

/** Returns the values of switches by their columns. */
export function toColumns(switches: Switches): Record<SwitchColumn, boolean>
export function toColumns(switches: Partial<Switches>): SwitchValues
export function toColumns(switches: Partial<Switches>): SwitchValues {
  return Object.fromEntries(switchNames.map((name) => [switchColumns[name], switches[name]]))
}
