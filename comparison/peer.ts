import type { PreparedRequest } from '../bench/prepared-requests.ts'

/**
 * Whether a user may perform an action on a document. All IDs are UUIDs. With `amount`, the question
 * is about the copy of the document whose shares have a condition on the amount.
 */
export type Question = {
  user: string
  document: string
  action: 'view' | 'edit'
  amount?: number
}

/** All documents that a user may view. */
export type ListQuestion = { user: string; documents: string[] }

/** Users, each of whom may view about this number of documents. */
export type Viewers = { label: string; documents: number; users: string[] }

export type Share = { document: string; user: string }

/** A kind of call. Determines which fields of its responses are compared. */
export type Call = 'check' | 'batch' | 'list' | 'share'

/** A server in one configuration, and its requests. */
export type Peer = {
  name: string
  port: number
  /** The process whose CPU time is counted, including its descendants. */
  pid: number
  /** False if another configuration performs the same writes. */
  measuresShares: boolean
  prepareCheck(question: Question, allowed: boolean): PreparedRequest
  prepareBatch(questions: Question[], allowed: boolean[]): PreparedRequest
  prepareList(list: ListQuestion): PreparedRequest
  prepareShare(share: Share): PreparedRequest
  /** The top-level fields of the responses to compare. Other fields vary. */
  comparedFields: Record<Call, number[]>
  /** Calls the server directly, without the load generator. */
  check(question: Question): Promise<boolean>
}

/** A server that can list documents for a service that joins the list with its own database. */
export type ListingPeer = Peer & {
  /** Returns the IDs of all documents that a user may view, or of `limit` of them. */
  listDocuments(user: string, limit?: number): Promise<string[]>
}
