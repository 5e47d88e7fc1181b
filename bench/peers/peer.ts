import type { PreparedRequest } from '../prepared-requests.ts'

/** Whether a user may perform an action on a document. Both are UUIDs, as all ids here. */
export type Question = { user: string; document: string; action: 'view' | 'edit' }

/** All documents that a user may view. */
export type ListQuestion = { user: string; documents: string[] }

export type Share = { document: string; user: string }

/** A kind of call, for the fields of its responses that are compared. */
export type Call = 'check' | 'batch' | 'list' | 'share'

/** A server with one configuration, and its requests. */
export type Peer = {
  name: string
  port: number
  /** The process whose CPU time is counted, with its descendants. */
  pid: number
  /** False where another configuration writes in the same way. */
  measuresShares: boolean
  prepareCheck(question: Question, allowed: boolean): PreparedRequest
  prepareBatch(questions: Question[], allowed: boolean[]): PreparedRequest
  prepareList(list: ListQuestion): PreparedRequest
  prepareShare(share: Share): PreparedRequest
  /** The top-level fields of the responses that are compared; others vary. */
  comparedFields: Record<Call, number[]>
  /** Calls the server without the load generator. */
  check(question: Question): Promise<boolean>
}
