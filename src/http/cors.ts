import cors from 'cors'
import type { Request, Response } from 'express'

/** The origins whose pages may call the API. */
export type CorsOptions = {
  /** The origins that are allowed everywhere except on admin routes. */
  corsOrigins: string[]
  /** The only origin that is allowed on admin routes. */
  adminOrigin: string
  /** Whether an active client app has a redirect URI at the origin. */
  isClientOrigin: (origin: string) => Promise<boolean>
}

/** Case-insensitive, because Express matches paths that way. */
const adminRoutes = /^\/(auth\/)?admin(\/|$)/i

const corsHeaders = {
  credentials: true,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  allowedHeaders: ['Content-Type', 'Authorization', 'X-Service-Key'],
  exposedHeaders: ['Retry-After', 'RateLimit', 'RateLimit-Policy', 'X-Request-ID'],
  maxAge: 600,
}

/** Decides which origins may call the API, and sets the CORS headers for them. */
export type CrossOrigin = {
  /** Whether the request is a preflight. */
  isPreflight(request: Request): boolean
  /** Whether the settings allow the origin of the request, regardless of client apps. */
  isConfigured(request: Request): boolean
  /** Whether the origin of the request is allowed. May read the database. */
  isAllowed(request: Request): Promise<boolean>
  /** Sets the headers that allow the origin of the request to read the response. */
  setHeaders(request: Request, response: Response): void
  /** Responds to a preflight. */
  sendPreflight(request: Request, response: Response): void
}

/**
 * Creates the CORS rules. Requests of origins that are not allowed get no CORS headers, and their
 * preflights fail like any OPTIONS request.
 */
export function createCrossOrigin(options: CorsOptions): CrossOrigin {
  const { corsOrigins, adminOrigin, isClientOrigin } = options

  function isConfigured({ path, headers: { origin } }: Request): boolean {
    if (!origin) return false
    return adminRoutes.test(path) ? origin === adminOrigin : corsOrigins.includes(origin)
  }

  const respond = cors({ ...corsHeaders, origin: true })
  // Otherwise `cors` responds to every OPTIONS request, even if it is not a preflight.
  const setHeaders = cors({ ...corsHeaders, origin: true, preflightContinue: true })

  return {
    isPreflight: ({ method, headers }) =>
      method === 'OPTIONS' &&
      headers.origin !== undefined &&
      headers['access-control-request-method'] !== undefined,
    isConfigured,
    async isAllowed(request) {
      const { origin } = request.headers
      if (!origin) return false
      if (isConfigured(request)) return true
      if (adminRoutes.test(request.path)) return false
      // If the database is unavailable, the route itself reports that.
      return isClientOrigin(origin).catch(() => false)
    },
    setHeaders: (request, response) => setHeaders(request, response, () => {}),
    sendPreflight: (request, response) => respond(request, response, () => {}),
  }
}
