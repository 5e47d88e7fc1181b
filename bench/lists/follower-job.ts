/** The resource types of a copy, each with UUIDs as IDs. Without types, the follower ends. */
export type FollowerJob = { types: string[] }

/** What a follower has done once the copy is complete. */
export type FollowerResult = { seconds: number; written: number }
