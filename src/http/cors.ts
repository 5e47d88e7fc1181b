import cors from 'cors'
import type { Request, Response } from 'express'

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

/** Decides which origins may call the API, and sets the CORS headers for them. */
export type CrossOrigin = {
  /** Whether the request is a preflight. */
  isPreflight(request: Request): boolean
  /** Whether the origin of the request is allowed by the settings, without a look at the client apps. */
  isConfigured(request: Request): boolean
  /** Whether the origin of the request is allowed. May read the database. */
  isAllowed(request: Request): Promise<boolean>
  /** Sets the headers that allow the origin of the request to read the response. */
  setHeaders(request: Request, response: Response): void
  /** Responds to a preflight. */
  sendPreflight(request: Request, response: Response): void
}

/**
 * Requests of origins that are not allowed get no CORS headers, so that their preflight fails like any
 * OPTIONS request.
 */
export function createCrossOrigin(options: CorsOptions): CrossOrigin {
  const { corsOrigins, adminOrigin, isClientOrigin } = options

  function isConfigured({ path, headers: { origin } }: Request): boolean {
    if (!origin) return false
    return adminRoutes.test(path) ? origin === adminOrigin : corsOrigins.includes(origin)
  }

  const respond = cors({ ...corsHeaders, origin: true })
  // Otherwise `cors` responds to every OPTIONS request, also to those that are not a preflight.
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
      // When the database is unavailable, the route itself reports that.
      return isClientOrigin(origin).catch(() => false)
    },
    setHeaders: (request, response) => setHeaders(request, response, () => {}),
    sendPreflight: (request, response) => respond(request, response, () => {}),
  }
}
