import { openDatabase } from '../src/database/database.ts'
import { poolTimeouts } from '../src/database/pool.ts'
import { createEmailSignInJobs } from '../src/email-sign-in/jobs.ts'
import { readKeys } from '../src/identity/keys.ts'
import { createProviders } from '../src/identity/providers/providers.ts'
import { createMailClient } from '../src/outbound/mail-client.ts'
import { createInProcessRateLimiter } from '../src/rate-limit/in-process.ts'
import { createApplication } from '../src/server/application.ts'
import { readConfig } from '../src/server/config.ts'
import { serveState } from './child-process.ts'

/** An application with codes by e-mail and a provider, which `environment` configures with the mail server. */
const [url = '', privatePath = '', publicPath = '', environment = '{}'] = process.argv.slice(2)
const database = await openDatabase(url, () => {}, poolTimeouts)
const keys = await readKeys({ privatePath, publicPath })
const config = readConfig({
  ...JSON.parse(environment),
  SIGN_IN_METHODS: 'google,email',
})
const app = createApplication({
  database,
  rateLimiter: createInProcessRateLimiter(),
  providers: createProviders(config),
  now: () => new Date(),
  currentKeys: () => keys,
  onFailure: (error) => process.stderr.write(`${error.message}: ${error.cause}\n`),
  logFailure: (text) => (error) => process.stderr.write(`${text}: ${error}\n`),
  warn: () => {},
  encryptionKeys: [],
  sendMail: createMailClient(config.SMTP_URL, config.SMTP_FROM),
  settings: {
    ...config,
    SERVICE_KEYS_REQUIRED: true,
    RATE_LIMIT_ENABLED: false,
    ALLOWED_HOSTS: ['*'],
    CORS_ORIGINS: [],
  },
})
for (const { interval, run } of createEmailSignInJobs(app.services)) {
  const repeat = async () => {
    while ((await run()) === 'more') {}
    setTimeout(repeat, interval)
  }
  repeat()
}
const port = await app.listenGrpc('127.0.0.1', 0)
serveState({ port, httpPort: await app.listenHttp('127.0.0.1', 0) })
