import cors from 'cors'
import type { RequestHandler } from 'express'

/** Which pages of other origins may call. */
export type CorsOptions = {
  /** Everywhere but at the administrator's routes. */
  corsOrigins: string[]
  /** At the administrator's routes, and nobody else's. */
  adminOrigin: string
  /** Whether an active client app takes its codes at this origin, as of now. */
  isClientOrigin: (origin: string) => Promise<boolean>
}

/** As Express matches them, in any case. */
const adminRoutes = /^\/(auth\/)?admin(\/|$)/i

const shared = {
  credentials: true,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  allowedHeaders: ['Content-Type', 'Authorization', 'X-Service-Key'],
  exposedHeaders: ['Retry-After', 'RateLimit', 'RateLimit-Policy', 'X-Request-ID'],
  maxAge: 600,
}

/**
 * Tells a page of an allowed origin that it may read the answer, and answers its preflight. One of
 * another origin is told nothing; its preflight goes on to be refused like any OPTIONS.
 */
export function allowOrigins(options: CorsOptions): RequestHandler {
  const { corsOrigins, adminOrigin, isClientOrigin } = options
  const allow = cors({ ...shared, origin: true })
  return async (request, response, next) => {
    response.vary('Origin')
    const { origin } = request.headers
    const asks = request.headers['access-control-request-method'] !== undefined
    if (!origin || (request.method === 'OPTIONS' && !asks)) return next()
    if (await isAllowed(request.path, origin)) return allow(request, response, next)
    next()
  }

  async function isAllowed(path: string, origin: string): Promise<boolean> {
    if (adminRoutes.test(path)) return origin === adminOrigin
    if (corsOrigins.includes(origin)) return true
    // With storage away nothing is known of the origin; the route itself says that it is away.
    return isClientOrigin(origin).catch(() => false)
  }
}
