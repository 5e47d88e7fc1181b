export type FollowerJob = {
  /** The resource types of a copy, each with UUIDs as IDs. Without types, the follower ends. */
  types: string[]
  /** The number of resources that are read into memory first. The copy contains these alone. */
  recorded?: number
}

/** What a follower has done once the copy is complete. */
export type FollowerResult = { seconds: number; written: number }
