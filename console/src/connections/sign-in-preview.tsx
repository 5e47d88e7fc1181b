import type { ReactNode } from 'react'
import { Section } from '../ui/page.tsx'
import type { Connection } from './connection-queries.ts'
import classes from './sign-in-preview.module.css'

/** Draws the pages that a person sees who signs in through a connection. */
export function SignInPreview({ connection }: { connection: Connection }) {
  const { name, issuer, domains, enforced, is_active } = connection
  const shown = domains.find(({ verified_at }) => verified_at) ?? domains[0]
  const address = `ann@${shown?.domain}`
  const host = new URL(issuer).host
  const isReady = is_active && domains.some(({ verified_at }) => verified_at)
  return (
    <Section
      title="What people see"
      description={
        isReady
          ? 'Drawings of the sign-in pages.'
          : 'Drawings of the sign-in pages, once the connection is active and a domain is verified.'
      }
    >
      <ol className={classes.pages}>
        <li>
          <Drawing
            label={`The sign-in page of daikon asks for the e-mail address, such as ${address}`}
          >
            <b className={classes.title}>
              Sign in to <em>your app</em>
            </b>
            <span className={classes.text}>Choose the account that you want to use.</span>
            <span className={classes.label}>E-mail address</span>
            <span className={classes.input}>{address}</span>
            <span className={`${classes.choice} ${classes.primary}`}>Continue</span>
          </Drawing>
          <p>The app opens the sign-in page of daikon.</p>
        </li>
        <li>
          <Drawing label={`The page of the provider at ${host}`}>
            <span className={classes.host}>{host}</span>
            <b className={classes.title}>{name}</b>
            <span className={classes.text}>The provider’s own sign-in page</span>
          </Drawing>
          <p>
            An address of {shown?.domain} leads to the provider, and from there back to the app.
          </p>
        </li>
        {enforced && (
          <li>
            <Drawing label={`A page with the choice ${name}`}>
              <b className={classes.title}>Sign in</b>
              <span className={classes.text}>Choose the account that you want to use.</span>
              <span className={classes.choice}>Continue with {name}</span>
            </Drawing>
            <p>A member who has signed in otherwise has to choose the connection.</p>
          </li>
        )}
      </ol>
    </Section>
  )
}

/** A small picture of a page. */
function Drawing({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div role="img" aria-label={label} className={classes.page}>
      <div aria-hidden="true" className={classes.card}>
        {children}
      </div>
    </div>
  )
}
