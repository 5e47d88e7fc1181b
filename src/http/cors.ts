import cors from 'cors'
import type { RequestHandler } from 'express'

/** The origins whose pages may call the API. */
export type CorsOptions = {
  /** Allowed everywhere except on the administrators' routes. */
  corsOrigins: string[]
  /** Allowed on the administrators' routes, exclusively. */
  adminOrigin: string
  /** Whether an active client app has a redirect URI at the origin. */
  isClientOrigin: (origin: string) => Promise<boolean>
}

/** Case-insensitive, as Express matches paths. */
const adminRoutes = /^\/(auth\/)?admin(\/|$)/i

const corsHeaders = {
  credentials: true,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  allowedHeaders: ['Content-Type', 'Authorization', 'X-Service-Key'],
  exposedHeaders: ['Retry-After', 'RateLimit', 'RateLimit-Policy', 'X-Request-ID'],
  maxAge: 600,
}

/**
 * Handles preflights and sets the CORS headers for allowed origins. Requests of other origins
 * continue without these headers, so that their preflight fails like any OPTIONS request.
 */
export function allowOrigins(options: CorsOptions): RequestHandler {
  const { corsOrigins, adminOrigin, isClientOrigin } = options
  const allow = cors({ ...corsHeaders, origin: true })
  return async (request, response, next) => {
    response.vary('Origin')
    const { origin } = request.headers
    const hasRequestMethod = request.headers['access-control-request-method'] !== undefined
    if (!origin || (request.method === 'OPTIONS' && !hasRequestMethod)) return next()
    if (await isAllowed(request.path, origin)) return allow(request, response, next)
    next()
  }

  async function isAllowed(path: string, origin: string): Promise<boolean> {
    if (adminRoutes.test(path)) return origin === adminOrigin
    if (corsOrigins.includes(origin)) return true
    // When the database is unavailable, the route itself reports that.
    return isClientOrigin(origin).catch(() => false)
  }
}
