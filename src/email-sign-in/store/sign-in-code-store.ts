import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import { codeSeconds, maxTries } from '../code.ts'

/** A request for a code: of which flow, for which address, in which browser. */
export type AskedCode = {
  flowHash: string
  email: string
  /** The hash of a browser that the address has a budget of its own in, or empty. */
  browserHash: string
}

/** A request that is claimed to be answered by an e-mail. */
export type ClaimedCode = AskedCode & { attempt: number }

/** The budget that an e-mail is taken from. */
export type MailBudget = { addressHash: string; browserHash: string }

/** The maximum number of e-mails to an address. */
const maxMailsPerHour = 5
const maxMailsPerDay = 20

/** The maximum number of wrong codes that an IP address types in an hour. */
const maxWrongPerHour = 20

/** Seconds after which a claimed request is claimed again, because its node may have been killed. */
const leaseSeconds = 30

/** Seconds between attempts to send an e-mail. */
const retrySeconds = 10

/** The codes by e-mail, and what counts them. */
export class SignInCodeStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Asks for a code, which ends the earlier one of the flow. */
  async ask({ flowHash, email, browserHash }: AskedCode, now: Date): Promise<void> {
    await query(this.#em, askSql, [flowHash, email, browserHash, now])
  }

  /** Claims requests that are due to be answered. */
  claim(now: Date, limit: number): Promise<ClaimedCode[]> {
    return query(this.#em, claimSql, [now, limit])
  }

  /**
   * Takes an e-mail from a budget. Returns its ID, or undefined if the budget is used up. Requires a
   * transaction, until whose end others wait.
   */
  async takeMail({ addressHash, browserHash }: MailBudget, now: Date): Promise<string | undefined> {
    await query(this.#em, lockSql, [`sign-in code mail ${addressHash}`])
    const [taken] = await query<{ id: string }>(this.#em, takeMailSql, [
      addressHash,
      browserHash,
      now,
    ])
    return taken?.id
  }

  /** Gives an e-mail back that could not be sent. */
  async returnMail(id: string): Promise<void> {
    await query(this.#em, 'delete from sign_in_code_mails where id = $1', [id])
  }

  /** Stores the MAC of a drawn code. */
  async draw({ flowHash, attempt }: ClaimedCode, mac: string): Promise<void> {
    await query(this.#em, drawSql, [flowHash, attempt, mac])
  }

  /** Ends the work on a request, unless the flow has asked again. */
  async settle({ flowHash, attempt }: ClaimedCode): Promise<void> {
    await query(this.#em, settleSql, [flowHash, attempt])
  }

  /** Schedules the next attempt to send an e-mail. */
  async retry({ flowHash, attempt }: ClaimedCode, now: Date): Promise<void> {
    await query(this.#em, retrySql, [flowHash, attempt, now])
  }

  /**
   * Takes a try of a flow's code, whether there is one or not. Returns the address and the MAC of the code, if
   * it was drawn, or undefined without a request that is alive.
   */
  async takeTry(
    flowHash: string,
    now: Date,
  ): Promise<{ email: string; mac: string | null } | undefined> {
    const [found] = await query<{ email: string; mac: string | null }>(this.#em, takeTrySql, [
      flowHash,
      now,
    ])
    return found
  }

  /** Consumes a right code. Returns false if that has been done before. */
  async consume(flowHash: string, mac: string): Promise<boolean> {
    return (await query(this.#em, consumeSql, [flowHash, mac])).length > 0
  }

  /**
   * Returns the seconds until a network may type codes again, or undefined if it may now. Requires a
   * transaction, until whose end others of the network wait.
   */
  async findWait(network: string, now: Date): Promise<number | undefined> {
    await query(this.#em, lockSql, [`wrong sign-in code ${network}`])
    const [full] = await query<{ seconds: number | null }>(this.#em, findWaitSql, [network, now])
    return full?.seconds ?? undefined
  }

  async recordWrong(network: string, now: Date): Promise<void> {
    await query(this.#em, recordWrongSql, [network, now])
  }

  /** Removes codes that wrong ones have ended, and returns their addresses. */
  async takeRefused(limit: number): Promise<string[]> {
    const rows = await query<{ email: string }>(this.#em, takeRefusedSql, [limit])
    return rows.map(({ email }) => email)
  }

  /** Deletes what has expired and counts no more. Returns the number of deleted rows. */
  async sweep(now: Date, limit: number): Promise<number> {
    const [swept] = await query<{ count: number }>(this.#em, sweepSql, [now, limit])
    return swept?.count ?? 0
  }
}

/** $1 text that names what is locked. */
const lockSql = 'select pg_advisory_xact_lock(hashtextextended($1, 0))'

/** $1 hash of the flow, $2 address, $3 hash of the browser, $4 current time. */
const askSql = `
  insert into sign_in_codes (flow_hash, email, browser_hash, expires_at, next_attempt_at)
  values ($1, $2, $3, $4::timestamptz + interval '${codeSeconds} seconds', $4)
  on conflict (flow_hash) do update set email = excluded.email, browser_hash = excluded.browser_hash,
    expires_at = excluded.expires_at, next_attempt_at = excluded.next_attempt_at,
    attempts = sign_in_codes.attempts + 1, code_mac = null, tries = 0`

/** $1 current time, $2 maximum number. */
const claimSql = `
  with due as (
    select flow_hash from sign_in_codes where next_attempt_at <= $1 and expires_at > $1
    order by next_attempt_at limit $2 for update skip locked
  )
  update sign_in_codes c set attempts = c.attempts + 1,
    next_attempt_at = $1::timestamptz + interval '${leaseSeconds} seconds'
  from due where c.flow_hash = due.flow_hash
  returning c.flow_hash as "flowHash", c.email, c.browser_hash as "browserHash", c.attempts as attempt`

/** $1 hash of the address, $2 hash of the browser, $3 current time. */
const takeMailSql = `
  insert into sign_in_code_mails (address_hash, browser_hash, sent_at)
  select $1, $2, $3::timestamptz from (
    select count(*) filter (where sent_at > $3::timestamptz - interval '1 hour') as hour, count(*) as day
    from sign_in_code_mails
    where address_hash = $1 and browser_hash = $2 and sent_at > $3::timestamptz - interval '1 day'
  ) sent
  where sent.hour < ${maxMailsPerHour} and sent.day < ${maxMailsPerDay}
  returning id::text`

/** $1 hash of the flow, $2 attempt, $3 MAC of the code. */
const drawSql = 'update sign_in_codes set code_mac = $3 where flow_hash = $1 and attempts = $2'

/** $1 hash of the flow, $2 attempt. */
const settleSql = `
  update sign_in_codes set next_attempt_at = null where flow_hash = $1 and attempts = $2`

/** $1 hash of the flow, $2 attempt, $3 current time. */
const retrySql = `
  update sign_in_codes set next_attempt_at = $3::timestamptz + interval '${retrySeconds} seconds'
  where flow_hash = $1 and attempts = $2`

/** $1 hash of the flow, $2 current time. */
const takeTrySql = `
  update sign_in_codes set tries = tries + 1
  where flow_hash = $1 and expires_at > $2 and tries < ${maxTries}
  returning email, code_mac as mac`

/** $1 hash of the flow, $2 MAC of the code. */
const consumeSql = `
  delete from sign_in_codes where flow_hash = $1 and code_mac = $2 returning flow_hash`

/** $1 network, $2 current time. The oldest of the last wrong codes leaves the window after an hour. */
const findWaitSql = `
  select ceil(extract(epoch from typed_at + interval '1 hour' - $2::timestamptz))::int as seconds
  from wrong_sign_in_codes
  where network = $1 and typed_at > $2::timestamptz - interval '1 hour'
  order by typed_at desc offset ${maxWrongPerHour - 1} limit 1`

/** $1 network, $2 current time. */
const recordWrongSql = 'insert into wrong_sign_in_codes (network, typed_at) values ($1, $2)'

/** $1 maximum number. */
const takeRefusedSql = `
  with refused as (
    select flow_hash from sign_in_codes
    where tries >= ${maxTries} and code_mac is not null limit $1 for update skip locked
  )
  delete from sign_in_codes c using refused where c.flow_hash = refused.flow_hash returning c.email`

/** $1 current time, $2 maximum number of each. */
const sweepSql = `
  with codes as (
    delete from sign_in_codes where ctid in (
      select ctid from sign_in_codes where expires_at <= $1 limit $2) returning 1
  ), mails as (
    delete from sign_in_code_mails where ctid in (
      select ctid from sign_in_code_mails where sent_at <= $1::timestamptz - interval '1 day'
      limit $2) returning 1
  ), wrong as (
    delete from wrong_sign_in_codes where ctid in (
      select ctid from wrong_sign_in_codes where typed_at <= $1::timestamptz - interval '1 hour'
      limit $2) returning 1
  )
  select ((select count(*) from codes) + (select count(*) from mails)
    + (select count(*) from wrong))::int as count`
