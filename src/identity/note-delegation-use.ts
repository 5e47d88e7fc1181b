/** Notes in memory when an agent acted by a delegation, whose ID is `id`. */
export type NoteDelegationUse = (id: string, at: Date) => void

/** What holds on a server without delegations. */
export const noteNoUse: NoteDelegationUse = () => {}
